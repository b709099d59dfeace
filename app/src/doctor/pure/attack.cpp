#include "doctor/pure/attack.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pmg::app {
namespace {

/// Calls `take` with each line.
template <class Take>
void each_line(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    take(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
}

/// Takes the first word, and what separates it from the rest.
std::string_view take_word(std::string_view& text) {
  const auto space = text.find(' ');
  const std::string_view word = text.substr(0, space);
  text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
  return word;
}

std::optional<Answer> parse_answer(std::string_view word) {
  if (word == "GOT") {
    return Answer::got;
  }
  if (word == "REFUSED") {
    return Answer::refused;
  }
  return word == "SKIPPED" ? std::optional(Answer::skipped) : std::nullopt;
}

std::optional<Exception::Kind> parse_kind(std::string_view word) {
  if (word == "optional:") {
    return Exception::Kind::optional;
  }
  if (word == "refused:") {
    return Exception::Kind::refused;
  }
  if (word == "gap:") {
    return Exception::Kind::gap;
  }
  return word == "changes:" ? std::optional(Exception::Kind::changes) : std::nullopt;
}

/// The words of the first exception of that kind whose glob matches.
std::optional<std::string_view> find(const std::vector<Exception>& exceptions, Exception::Kind kind,
                                     std::string_view name) {
  const auto found = std::ranges::find_if(exceptions, [&](const Exception& exception) {
    return exception.kind == kind && matches(exception.glob, name);
  });
  return found == exceptions.end() ? std::nullopt : std::optional<std::string_view>(found->words);
}

/// The errors by which pmg refuses.
bool is_refusal(std::string_view error) {
  constexpr std::array<std::string_view, 6> kErrors{"EACCES", "EPERM",  "EROFS",
                                                    "EXDEV",  "ENOSYS", "ECONNREFUSED"};
  return std::ranges::find(kErrors, error) != kErrors.end();
}

bool is_listed(std::string_view list, std::string_view error) {
  std::string_view names = take_word(list);
  while (!names.empty()) {
    const auto comma = names.find(',');
    if (names.substr(0, comma) == error) {
      return true;
    }
    names = comma == std::string_view::npos ? std::string_view{} : names.substr(comma + 1);
  }
  return false;
}

std::string to_text(const Try& one) {
  switch (one.answer) {
    case Answer::got:
      return "got";
    case Answer::refused:
      return "refused " + one.detail;
    case Answer::skipped:
      return "skipped";
  }
  return {};
}

struct Judgement {
  Verdict verdict;
  std::string note;
};

Judgement judge_try(const std::vector<Exception>& exceptions, const Try& alone, const Try& under) {
  const auto failed = [](const char* why) { return Judgement{Verdict::failed, why}; };
  if (alone.answer == Answer::skipped || under.answer == Answer::skipped) {
    return {Verdict::skipped, alone.answer == Answer::skipped ? alone.detail : under.detail};
  }
  const auto gap = find(exceptions, Exception::Kind::gap, alone.name);
  if (alone.answer != Answer::got) {
    const auto optional = find(exceptions, Exception::Kind::optional, alone.name);
    if (!optional) {
      return failed("does not succeed without pmg either, so this proves nothing");
    }
    return under.answer == Answer::got ? failed("succeeds only under pmg")
                                       : Judgement{Verdict::skipped, std::string(*optional)};
  }
  if (under.answer == Answer::got) {
    return gap ? Judgement{Verdict::gap, std::string(*gap)} : failed("was not blocked");
  }
  const auto listed = find(exceptions, Exception::Kind::refused, alone.name);
  if (!is_refusal(under.detail) && !(listed && is_listed(*listed, under.detail))) {
    return failed("failed with an error that is no refusal");
  }
  return {Verdict::blocked, {}};
}

void add(std::vector<std::string>& to, std::string_view who, const AttackRun& run) {
  if (!run.failure.empty()) {
    to.push_back(std::string(who) + ": " + run.failure);
  } else if (run.tries.empty()) {
    to.push_back(std::string(who) + ": it tried nothing");
  }
}

}  // namespace

std::vector<Try> parse_tries(std::string_view output) {
  std::vector<Try> tries;
  each_line(output, [&tries](std::string_view line) {
    const std::string_view name = take_word(line);
    if (const auto answer = parse_answer(take_word(line)); answer && !name.empty()) {
      tries.push_back({std::string(name), *answer, std::string(line)});
    }
  });
  return tries;
}

std::vector<Exception> parse_exceptions(std::string_view source) {
  std::vector<Exception> exceptions;
  each_line(source, [&exceptions](std::string_view line) {
    if (take_word(line) != "//") {
      return;
    }
    if (const auto kind = parse_kind(take_word(line))) {
      const std::string_view glob = take_word(line);
      exceptions.push_back({*kind, std::string(glob), std::string(line)});
    }
  });
  return exceptions;
}

bool matches(std::string_view glob, std::string_view name) noexcept {
  const auto star = glob.find('*');
  if (star == std::string_view::npos) {
    return glob == name;
  }
  if (name.substr(0, star) != glob.substr(0, star) || name.size() < star) {
    return false;
  }
  name.remove_prefix(star);
  glob.remove_prefix(star + 1);
  // Greedy from the left: the earliest place of each piece leaves the most for the rest.
  for (auto next = glob.find('*'); next != std::string_view::npos; next = glob.find('*')) {
    const auto found = name.find(glob.substr(0, next));
    if (found == std::string_view::npos) {
      return false;
    }
    name.remove_prefix(found + next);
    glob.remove_prefix(next + 1);
  }
  return name.ends_with(glob);
}

std::string_view to_word(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::blocked:
      return "blocked";
    case Verdict::skipped:
      return "skipped";
    case Verdict::gap:
      return "gap";
    case Verdict::failed:
      return "FAILED";
  }
  return "";
}

AttackResult judge(int line, std::string_view name, std::string_view about,
                   const std::vector<Exception>& exceptions, const AttackRun& alone,
                   const AttackRun& under) {
  AttackResult result{line, std::string(name), std::string(about), {}, {}};
  add(result.failures, "without pmg", alone);
  add(result.failures, "under pmg", under);
  result.failures.insert(result.failures.end(), under.breaches.begin(), under.breaches.end());
  const auto same_name = [](const Try& one, const Try& other) { return one.name == other.name; };
  if (!std::ranges::equal(alone.tries, under.tries, same_name)) {
    // What is missing on one side would otherwise count as neither blocked nor failed.
    if (result.failures.empty()) {
      result.failures.emplace_back("other tries under pmg than without it");
    }
    return result;
  }
  for (std::size_t i = 0; i < alone.tries.size(); ++i) {
    auto [verdict, note] = judge_try(exceptions, alone.tries[i], under.tries[i]);
    result.tries.push_back({alone.tries[i].name, to_text(alone.tries[i]), to_text(under.tries[i]),
                            verdict, std::move(note)});
  }
  return result;
}

Verdict verdict_of(const AttackResult& result) {
  const auto has = [&result](Verdict verdict) {
    return std::ranges::find(result.tries, verdict, &TryResult::verdict) != result.tries.end();
  };
  if (!result.failures.empty() || has(Verdict::failed)) {
    return Verdict::failed;
  }
  if (has(Verdict::blocked)) {
    return Verdict::blocked;
  }
  return has(Verdict::gap) ? Verdict::gap : Verdict::skipped;
}

int exit_code(const std::vector<AttackResult>& results) {
  constexpr int kFailed = 2;
  const auto has = [&results](Verdict verdict) {
    return std::ranges::find(results, verdict, verdict_of) != results.end();
  };
  return has(Verdict::failed) || !has(Verdict::blocked) ? kFailed : 0;
}

}  // namespace pmg::app
