#include "adapters/record/run_record.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "domain/compiled.hpp"
#include "domain/escaped.hpp"
#include "domain/operation_kind.hpp"
#include "domain/origin.hpp"
#include "domain/violation.hpp"

namespace pmg::adapters {
namespace {

using domain::Access;
using domain::Effect;
using domain::Layer;
using domain::Reason;
using nlohmann::ordered_json;

// Words of the format. They stay as they are where an enumerator gets another name.
constexpr std::array kReasons{
    std::pair{Reason::allowed_by_rule, "allowed"},
    std::pair{Reason::nothing_allows, "nothing-allows"},
    std::pair{Reason::denied_by_rule, "denied-by-rule"},
    std::pair{Reason::guards_denied_path, "guards-denied-path"},
    std::pair{Reason::leaves_its_rules, "leaves-its-rules"},
    std::pair{Reason::unreadable_source, "unreadable-source"},
    std::pair{Reason::device_needs_own_rule, "device-needs-own-rule"},
    std::pair{Reason::may_mean_denied_name, "may-mean-denied-name"},
};
constexpr std::array kAccesses{
    std::pair{Access::read, "read"},
    std::pair{Access::write, "write"},
    std::pair{Access::exec, "exec"},
    std::pair{Access::connect, "connect"},
};
constexpr std::array kEffects{std::pair{Effect::allow, "allow"}, std::pair{Effect::deny, "deny"}};
constexpr std::array kLayers{
    std::pair{Layer::built_in_list, "built-in"}, std::pair{Layer::parent_profile, "parent-profile"},
    std::pair{Layer::profile, "profile"},        std::pair{Layer::preset, "preset"},
    std::pair{Layer::overlay, "overlay"},        std::pair{Layer::command_line, "command-line"},
    std::pair{Layer::repository, "repository"},  std::pair{Layer::search_path, "search-path"},
};

template <class Table, class Value>
std::string word_of(const Table& table, Value value) {
  const auto found = std::ranges::find(table, value, [](const auto& row) { return row.first; });
  return found == table.end() ? "" : found->second;
}

template <class Table>
auto value_of(const Table& table, std::string_view word)
    -> std::optional<typename Table::value_type::first_type> {
  const auto found =
      std::ranges::find(table, word, [](const auto& row) { return std::string_view(row.second); });
  return found == table.end() ? std::nullopt : std::optional(found->first);
}

// --- writing -------------------------------------------------------------------------------------

std::string line_of(const ordered_json& value) {
  // Everything was escaped to UTF-8; whatever is not is replaced and never an exception.
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ordered_json words_of(const std::vector<std::string>& words) {
  ordered_json out = ordered_json::array();
  for (const std::string& word : words) {
    out.push_back(domain::escaped(word));
  }
  return out;
}

void put(ordered_json& out, const char* key, std::string_view text) {
  if (!text.empty()) {
    out[key] = domain::escaped(text);
  }
}

ordered_json json_of(const domain::CitedRule& rule) {
  ordered_json out{{"effect", word_of(kEffects, rule.effect)},
                   {"access", word_of(kAccesses, rule.access)},
                   {"text", domain::escaped(rule.text)},
                   {"layer", word_of(kLayers, rule.origin.layer)}};
  put(out, "file", rule.origin.file);
  if (rule.origin.line != 0) {
    out["line"] = rule.origin.line;
    out["column"] = rule.origin.column;
  }
  return out;
}

ordered_json json_of(const domain::ProcessFacts& process) {
  ordered_json out{{"pid", process.pid}};
  put(out, "name", process.name);
  if (!process.command.empty()) {
    out["command"] = words_of(process.command);
  }
  if (!process.owners.empty()) {
    ordered_json owners = ordered_json::array();
    for (const domain::ScriptOwner& owner : process.owners) {
      ordered_json each{{"package", domain::escaped(owner.package)}};
      put(each, "version", owner.version);
      put(each, "script", owner.script);
      owners.push_back(std::move(each));
    }
    out["packages"] = std::move(owners);
  }
  return out;
}

// --- reading -------------------------------------------------------------------------------------

/// Takes members out of one object, and remembers the first that is not as it should be.
class Reader {
 public:
  explicit Reader(const ordered_json& object) : object_(object) {
    if (!object.is_object()) {
      fail("not an object");
    }
  }

  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  void fail(std::string what) {
    if (problem_.empty()) {
      problem_ = std::move(what);
    }
  }

  const ordered_json* find(const char* key) {
    const auto found = object_.is_object() ? object_.find(key) : object_.end();
    return found == object_.end() ? nullptr : &*found;
  }

  /// Empty where it is missing.
  std::string text(const char* key) {
    const ordered_json* const value = find(key);
    return value == nullptr ? std::string() : text_of(*value, key);
  }

  std::string required_text(const char* key) {
    if (find(key) == nullptr) {
      fail("`" + std::string(key) + "` is missing");
    }
    return text(key);
  }

  std::vector<std::string> words(const char* key) {
    std::vector<std::string> out;
    const ordered_json* const value = find(key);
    if (value != nullptr && !value->is_array()) {
      fail("`" + std::string(key) + "` is no list");
    }
    for (const ordered_json& word : value == nullptr ? ordered_json::array() : *value) {
      out.push_back(text_of(word, key));
    }
    return out;
  }

  /// 0 where it is missing.
  template <class T>
  T number(const char* key) {
    const ordered_json* const value = find(key);
    if (value != nullptr && !value->is_number_integer()) {
      fail("`" + std::string(key) + "` is no number");
      return 0;
    }
    return value == nullptr ? 0 : value->get<T>();
  }

  template <class T>
  T one_of(const char* key, const std::optional<T>& value, T otherwise) {
    if (!value) {
      fail("`" + std::string(key) + "` is unknown");
    }
    return value.value_or(otherwise);
  }

 private:
  std::string text_of(const ordered_json& value, const char* key) {
    const auto text =
        value.is_string() ? domain::unescaped(value.get_ref<const std::string&>()) : std::nullopt;
    if (!text) {
      fail("`" + std::string(key) + "` is no text");
    }
    return text.value_or("");
  }

  const ordered_json& object_;
  std::string problem_;
};

domain::CitedRule read_rule(Reader& outer, const ordered_json& json) {
  Reader in(json);
  domain::CitedRule rule;
  rule.effect = in.one_of("effect", value_of(kEffects, in.required_text("effect")), Effect::deny);
  rule.access = in.one_of("access", value_of(kAccesses, in.required_text("access")), Access::read);
  rule.text = in.required_text("text");
  rule.origin.layer =
      in.one_of("layer", value_of(kLayers, in.required_text("layer")), Layer::built_in_list);
  rule.origin.file = in.text("file");
  rule.origin.line = in.number<std::uint32_t>("line");
  rule.origin.column = in.number<std::uint32_t>("column");
  if (!in.problem().empty()) {
    outer.fail("rule: " + in.problem());
  }
  return rule;
}

domain::ProcessFacts read_process(Reader& outer, const ordered_json& json) {
  Reader in(json);
  domain::ProcessFacts process{
      in.number<std::int32_t>("pid"), in.text("name"), in.words("command"), {}};
  const ordered_json* const owners = in.find("packages");
  if (owners != nullptr && !owners->is_array()) {
    in.fail("`packages` is no list");
  }
  for (const ordered_json& each : owners == nullptr ? ordered_json::array() : *owners) {
    Reader owner(each);
    process.owners.push_back(
        {owner.required_text("package"), owner.text("version"), owner.text("script")});
    if (!owner.problem().empty()) {
      in.fail("package: " + owner.problem());
    }
  }
  if (!in.problem().empty()) {
    outer.fail("process: " + in.problem());
  }
  return process;
}

RunStart read_start(Reader& in) {
  RunStart start{in.required_text("id"), in.number<std::int64_t>("time"),
                 in.words("command"),    in.text("directory"),
                 in.text("profile"),     in.words("removed")};
  if (in.number<int>("version") != kRecordVersion) {
    in.fail("another version of the format");
  }
  return start;
}

Entry read_entry(Reader& in) {
  Entry entry{in.number<std::size_t>("number"), {}};
  domain::Violation& out = entry.violation;
  out.operation =
      in.one_of("operation", domain::parse_operation_kind(in.required_text("operation")),
                domain::OperationKind::read);
  out.real = in.text("path");
  out.spelled = in.text("spelled");
  out.real_to = in.text("to");
  out.spelled_to = in.text("spelled_to");
  out.node = in.one_of("node", domain::parse_node_kind(in.required_text("node")),
                       domain::NodeKind::regular);
  out.reason =
      in.one_of("reason", value_of(kReasons, in.required_text("reason")), Reason::nothing_allows);
  if (const ordered_json* const rule = in.find("rule")) {
    out.rule = read_rule(in, *rule);
  }
  out.note = in.text("note");
  if (const ordered_json* const process = in.find("process")) {
    out.process = read_process(in, *process);
  }
  out.time = in.number<std::int64_t>("time");
  return entry;
}

RunEnd read_end(Reader& in) {
  RunEnd end;
  end.time = in.number<std::int64_t>("time");
  end.exit_code = in.number<int>("exit_code");
  end.dropped = in.number<std::uint64_t>("dropped");
  const ordered_json* const counts = in.find("counts");
  if (counts != nullptr && !counts->is_array()) {
    in.fail("`counts` is no list");
    return end;
  }
  for (const ordered_json& pair : counts == nullptr ? ordered_json::array() : *counts) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
        !pair[1].is_number_unsigned()) {
      in.fail("`counts` holds no pairs");
      return end;
    }
    end.counts[pair[0].get<std::size_t>()] = pair[1].get<std::uint64_t>();
  }
  return end;
}

/// Puts one line into the record; the text says what is wrong with it.
std::string take(RunRecord& record, const ordered_json& json, bool is_first) {
  Reader in(json);
  const std::string type = in.required_text("type");
  if (is_first != (type == "run")) {
    in.fail(is_first ? "the first line is not that of a run" : "a second run");
  } else if (type == "run") {
    record.start = read_start(in);
  } else if (record.end) {
    in.fail("a line behind the end");
  } else if (type == "denial") {
    record.entries.push_back(read_entry(in));
    if (record.entries.back().number != record.entries.size()) {
      in.fail("not the next number");
    }
  } else if (type == "end") {
    record.end = read_end(in);
  } else {
    in.fail("an unknown type of line");
  }
  return in.problem();
}

}  // namespace

std::uint64_t RunRecord::count_of(const Entry& entry) const {
  if (!end) {
    return 1;
  }
  const auto found = end->counts.find(entry.number);
  return found == end->counts.end() ? 1 : found->second;
}

std::string to_line(const RunStart& start) {
  ordered_json out{{"type", "run"},
                   {"version", kRecordVersion},
                   {"id", domain::escaped(start.id)},
                   {"time", start.time},
                   {"command", words_of(start.command)}};
  put(out, "directory", start.directory);
  put(out, "profile", start.profile);
  out["removed"] = words_of(start.removed);
  return line_of(out);
}

std::string to_line(const Entry& entry) {
  const domain::Violation& in = entry.violation;
  ordered_json out{{"type", "denial"},
                   {"number", entry.number},
                   {"time", in.time},
                   {"operation", to_word(in.operation)}};
  put(out, "path", in.real);
  put(out, "spelled", in.spelled);
  put(out, "to", in.real_to);
  put(out, "spelled_to", in.spelled_to);
  out["node"] = to_word(in.node);
  out["reason"] = word_of(kReasons, in.reason);
  if (in.rule) {
    out["rule"] = json_of(*in.rule);
  }
  put(out, "note", in.note);
  out["process"] = json_of(in.process);
  return line_of(out);
}

std::string to_line(const RunEnd& end) {
  ordered_json counts = ordered_json::array();
  for (const auto& [number, count] : end.counts) {
    counts.push_back({number, count});
  }
  return line_of({{"type", "end"},
                  {"time", end.time},
                  {"exit_code", end.exit_code},
                  {"dropped", end.dropped},
                  {"counts", std::move(counts)}});
}

tl::expected<RunRecord, RecordError> parse_record(std::string_view text) {
  RunRecord record;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t length = text.find('\n');
    if (length == std::string_view::npos) {
      break;  // cut off by a crash
    }
    ++number;
    const auto json = ordered_json::parse(text.substr(0, length), nullptr, false);
    const std::string problem = json.is_discarded() ? "no JSON" : take(record, json, number == 1);
    if (!problem.empty()) {
      return tl::unexpected(RecordError{number, problem});
    }
    text.remove_prefix(length + 1);
  }
  if (number == 0) {
    return tl::unexpected(RecordError{0, "no whole line"});
  }
  return record;
}

}  // namespace pmg::adapters
