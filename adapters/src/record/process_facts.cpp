#include "record/process_facts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/redaction.hpp"
#include "domain/script_owner.hpp"
#include "domain/violation.hpp"
#include "platform/files.hpp"
#include "platform/process.hpp"

namespace pmg::adapters {
namespace {

constexpr std::size_t kMostWords = 32;
constexpr std::size_t kMostBytesOfWord = 256;
/// npm, its shell, the script, a compiler driver, a compiler: a dozen is more than is seen.
constexpr int kMostAncestors = 16;

std::string read_proc(std::int32_t pid, const char* name) {
  return platform::read_whole("/proc/" + std::to_string(pid) + "/" + name).value_or("");
}

/// The parts of a file in which each ends with NUL.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\0'), text.size());
    parts.push_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return parts;
}

std::vector<std::string> command_of(std::int32_t pid, const domain::Redaction& redaction) {
  const std::string text = read_proc(pid, "cmdline");
  const std::vector<std::string_view> parts = parts_of(text);
  std::vector<std::string> words(
      parts.begin(),
      parts.begin() + static_cast<std::ptrdiff_t>(std::min(parts.size(), kMostWords)));
  // Secrets first, then the length: half a token is not recognised any more.
  words = redaction.of_command(words);
  for (std::string& word : words) {
    if (word.size() > kMostBytesOfWord) {
      word.resize(kMostBytesOfWord);
      word += "…";
    }
  }
  if (parts.size() > kMostWords) {
    words.emplace_back("…");
  }
  return words;
}

std::vector<domain::ScriptOwner> owners_of(std::int32_t process,
                                           const domain::Redaction& redaction) {
  std::vector<domain::ScriptOwner> owners;
  for (int i = 0; i < kMostAncestors && process > 1; ++i) {
    const std::string environment = read_proc(process, "environ");
    if (auto owner = domain::script_owner(parts_of(environment))) {
      for (std::string* const part : {&owner->package, &owner->version, &owner->script}) {
        *part = redaction.of_text(*part);
      }
      if (std::ranges::find(owners, *owner) == owners.end()) {
        owners.push_back(*std::move(owner));
      }
    }
    const auto status = platform::read_status(process);
    process = status ? status->parent : 0;
  }
  return owners;
}

}  // namespace

domain::ProcessFacts process_facts(std::int32_t thread, const domain::Redaction& redaction) {
  const auto status = platform::read_status(thread);
  domain::ProcessFacts facts;
  facts.pid = status ? status->process : thread;
  facts.name = read_proc(facts.pid, "comm");
  if (facts.name.ends_with('\n')) {
    facts.name.pop_back();
  }
  facts.name = redaction.of_text(facts.name);
  facts.command = command_of(facts.pid, redaction);
  facts.owners = owners_of(facts.pid, redaction);
  return facts;
}

}  // namespace pmg::adapters
