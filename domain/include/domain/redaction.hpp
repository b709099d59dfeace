/// Takes secrets out of text before it is kept or shown.
///
///   const Redaction redaction({"hunter2-hunter2"});        // values of removed variables
///   redaction.of_command({"npm", "--token=abc"})            // {"npm", "--token=<redacted>"}
///   redaction.of_text("/tmp/hunter2-hunter2")               // "/tmp/<redacted>"
///
/// RD1: no value that it was given is left in what it returns. RD2: neither is what a command names
/// as a secret: `--password VALUE`, `TOKEN=VALUE`, `Authorization: VALUE`,
/// `https://user:pass@host`, `?token=VALUE`, JSON, private keys, tokens whose prefix tells what
/// they are. Not for: secrets that look like any other word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pmg::domain {

class Redaction {
 public:
  /// Values shorter than eight bytes, and absolute paths (of key files), are no secrets: they
  /// would take harmless text away.
  explicit Redaction(std::vector<std::string> secret_values);

  /// What stands in the place of a secret.
  static constexpr std::string_view kMark = "<redacted>";

  [[nodiscard]] std::string of_text(std::string_view text) const;
  [[nodiscard]] std::vector<std::string> of_command(const std::vector<std::string>& words) const;

 private:
  std::vector<std::string> values_;  ///< the longest first
};

}  // namespace pmg::domain
