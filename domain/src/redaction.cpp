#include "domain/redaction.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/ascii.hpp"

namespace pmg::domain {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMark = Redaction::kMark;
constexpr std::size_t kShortestValue = 8;
constexpr std::size_t kShortestToken = 16;

/// Parts of names of options, variables and headers whose value is a secret.
constexpr std::array kSecretNames{"token"sv,      "secret"sv,    "passw"sv,         "passphrase"sv,
                                  "apikey"sv,     "api-key"sv,   "api_key"sv,       "access-key"sv,
                                  "access_key"sv, "accesskey"sv, "private-key"sv,   "private_key"sv,
                                  "credential"sv, "_auth"sv,     "authorization"sv, "cookie"sv};
/// The same, as the whole name.
constexpr std::array kSecretWords{"pass"sv, "pwd"sv, "auth"sv, "otp"sv};

/// What tokens of known services begin with.
constexpr std::array kTokenPrefixes{
    "ghp_"sv,  "gho_"sv,  "ghu_"sv,   "ghs_"sv,  "ghr_"sv, "npm_"sv, "sk-"sv,         "xoxb-"sv,
    "xoxp-"sv, "xoxa-"sv, "glpat-"sv, "pypi-"sv, "AKIA"sv, "ASIA"sv, "github_pat_"sv, "dop_v1_"sv};

/// What stands between the name of a header and its value, in small letters.
constexpr std::array kSchemes{"bearer"sv, "basic"sv, "token"sv, "digest"sv, "negotiate"sv};

constexpr std::string_view kBetweenWords = " \t\n'\"`;&|()";

std::string in_small_letters(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), lower);
  return text;
}

bool is_scheme(std::string_view word) {
  return std::ranges::find(kSchemes, in_small_letters(word)) != kSchemes.end();
}

bool is_secret_name(std::string_view name) {
  const std::string text = in_small_letters(name);
  const std::string_view word =
      std::string_view(text).substr(std::min(text.find_first_not_of('-'), text.size()));
  if (std::ranges::find(kSecretWords, word) != kSecretWords.end()) {
    return true;
  }
  return std::ranges::any_of(kSecretNames, [&text](std::string_view part) {
    return text.find(part) != std::string::npos;
  });
}

bool is_token_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/// Where the value of `name=value`, `name:value` or `"name": "value"` begins, `at` being behind the
/// name. A value behind `name: ` without quotes is for `Words`: a header has a scheme before it.
std::optional<std::size_t> value_behind(std::string_view text, std::size_t at) noexcept {
  const bool is_quoted = at < text.size() && text[at] == '"';
  at += is_quoted ? 1 : 0;
  if (at >= text.size() || (text[at] != '=' && text[at] != ':')) {
    return std::nullopt;
  }
  ++at;
  while (is_quoted && at < text.size() && text[at] == ' ') {
    ++at;
  }
  at += at < text.size() && (text[at] == '"' || text[at] == '\'') ? 1 : 0;
  return at;
}

/// In addresses, settings and JSON: `?access_token=…`, `//host/:_authToken=…`, `"password":"…"`.
std::string without_named_values(std::string text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = std::string_view(text).substr(at);
    const auto length =
        static_cast<std::size_t>(std::ranges::find_if_not(rest, is_token_character) - rest.begin());
    const auto value = length > 0 && is_secret_name(rest.substr(0, length))
                           ? value_behind(text, at + length)
                           : std::nullopt;
    if (!value) {
      at += std::max<std::size_t>(length, 1);
      continue;
    }
    const std::size_t end = std::min(text.find_first_of("&;,} \t\n'\"", *value), text.size());
    if (end > *value) {
      text.replace(*value, end - *value, kMark);
    }
    at = *value + (end > *value ? kMark.size() : 0);
  }
  return text;
}

/// A private key of any kind in PEM (RFC 7468), to its end or that of the text.
std::string without_private_keys(std::string text) {
  constexpr std::string_view kBegin = "PRIVATE KEY-----";
  constexpr std::string_view kEnd = "-----END";
  std::size_t at = 0;
  while ((at = text.find(kBegin, at)) != std::string::npos) {
    at += kBegin.size();
    const std::size_t end = std::min(text.find(kEnd, at), text.size());
    text.replace(at, end - at, kMark);
    at = std::min(text.find('\n', at), text.size());
  }
  return text;
}

/// Tokens that are recognised by how they begin; `npm_config_x` is too short a rest for one.
std::string without_tokens(std::string text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_token_character(text[at])) {
      ++at;
      continue;
    }
    const auto end =
        static_cast<std::size_t>(std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                  text.end(), is_token_character) -
                                 text.begin());
    const std::string_view word = std::string_view(text).substr(at, end - at);
    const bool has_digit = word.find_first_of("0123456789") != std::string_view::npos;
    const bool is_token = has_digit && word.size() >= kShortestToken &&
                          std::ranges::any_of(kTokenPrefixes, [word](std::string_view prefix) {
                            return word.starts_with(prefix);
                          });
    if (is_token) {
      text.replace(at, end - at, kMark);
      at += kMark.size();
    } else {
      at = end;
    }
  }
  return text;
}

/// `scheme://user:password@host`: everything before the host.
std::string without_userinfo(std::string text) {
  std::size_t at = 0;
  while ((at = text.find("://", at)) != std::string::npos) {
    at += 3;
    const std::size_t end = text.find_first_of("/?# \t\n'\"", at);
    const std::string_view authority = std::string_view(text).substr(at, end - at);
    const std::size_t host = authority.rfind('@');
    if (host != std::string_view::npos) {
      text.replace(at, host, kMark);
      at += kMark.size();
    }
  }
  return text;
}

/// Reads the words of a command one after the other: one may say that the next is a secret.
class Words {
 public:
  std::string take(std::string_view argument) {
    if (next_is_secret_ && !argument.starts_with('-')) {
      next_is_secret_ = false;
      return std::string(kMark);
    }
    next_is_secret_ = false;
    // A shell script in one argument is looked at word by word.
    std::string out;
    while (!argument.empty()) {
      const std::size_t length = std::min(argument.find_first_of(kBetweenWords), argument.size());
      out += length == 0 ? std::string() : word(argument.substr(0, length));
      argument.remove_prefix(length);
      const std::size_t gap = std::min(argument.find_first_not_of(kBetweenWords), argument.size());
      out += argument.substr(0, gap);
      argument.remove_prefix(gap);
    }
    return out;
  }

 private:
  std::string word(std::string_view text) {
    if (next_is_secret_ && is_scheme(text)) {
      return std::string(text);
    }
    if (std::exchange(next_is_secret_, false) && !text.starts_with('-')) {
      return std::string(kMark);
    }
    const std::size_t split = text.find_first_of("=:");
    const std::string_view name = text.substr(0, split);
    if (text.find("://") != std::string_view::npos) {
      return std::string(text);
    }
    if (!is_secret_name(name)) {
      next_is_secret_ = text.ends_with(':') && is_secret_name(text);  // `--header=X-Token: …`
      return std::string(text);
    }
    if (split == std::string_view::npos) {
      next_is_secret_ = text.starts_with('-');
      return std::string(text);
    }
    if (split + 1 == text.size()) {
      next_is_secret_ = true;
      return std::string(text);
    }
    return std::string(text.substr(0, split + 1)).append(kMark);
  }

  bool next_is_secret_ = false;
};

}  // namespace

Redaction::Redaction(std::vector<std::string> secret_values) : values_(std::move(secret_values)) {
  std::erase_if(values_, [](const std::string& value) {
    return value.size() < kShortestValue || value.starts_with('/');
  });
  std::ranges::stable_sort(values_, std::ranges::greater{},
                           [](const std::string& value) { return value.size(); });
}

std::string Redaction::of_text(std::string_view text) const {
  std::string out(text);
  for (const std::string& value : values_) {
    std::size_t at = 0;
    while ((at = out.find(value, at)) != std::string::npos) {
      out.replace(at, value.size(), kMark);
      at += kMark.size();
    }
  }
  out = without_named_values(without_private_keys(std::move(out)));
  return without_tokens(without_userinfo(std::move(out)));
}

std::vector<std::string> Redaction::of_command(const std::vector<std::string>& words) const {
  std::vector<std::string> out;
  out.reserve(words.size());
  Words reader;
  for (const std::string& word : words) {
    out.push_back(of_text(reader.take(word)));
  }
  return out;
}

}  // namespace pmg::domain
