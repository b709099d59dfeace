#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "adapters/record/recorder.hpp"
#include "adapters/record/run_record.hpp"
#include "adapters/record/run_store.hpp"
#include "adapters/run.hpp"
#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/operation_kind.hpp"
#include "domain/origin.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "domain/redaction.hpp"
#include "domain/violation.hpp"
#include "temp_dir.hpp"

namespace pmg::adapters {
namespace {

using domain::OperationKind;
using tests::TempDir;

RunStart a_start() {
  return {"20261201T040506.000007Z-1a2b3c4d", 5, {"npm", "a\nb"}, "/h/p", "npm", {"AWS_SECRET"}};
}

Entry an_entry() {
  Entry entry{1, {}};
  entry.violation = {.operation = OperationKind::rename,
                     .real = "/h/\xff\x1b[31m\n",
                     .spelled = "/h/\u202e\u202c\\",
                     .real_to = "/b\"",
                     .spelled_to = "/c",
                     .node = domain::NodeKind::directory,
                     .reason = domain::Reason::leaves_its_rules,
                     .rule = domain::CitedRule{domain::Effect::deny,
                                               domain::Access::write,
                                               "${HOME}/x",
                                               {domain::Layer::profile, "a.yml", 3, 5}},
                     .note = "n",
                     .process = {7, "no\nde", {"node", "-e", "x"}, {{"a", "1", "install"}}},
                     .time = 9};
  return entry;
}

TEST_CASE("RR1: a record reads back as it was written, and each part is one line of text") {
  const RunStart start = a_start();
  const Entry entry = an_entry();
  const RunEnd end{11, 3, {{1, 4}}, 2};
  const std::string text = to_line(start) + to_line(entry) + to_line(end);
  std::size_t lines = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    lines += byte == '\n' ? 1 : 0;
    CHECK((byte == '\n' || byte >= 0x20));
  }
  CHECK(lines == 3);
  CHECK(text.find(R"(\\xe2\\x80\\xae)") != std::string::npos);
  const auto record = parse_record(text);
  REQUIRE(record);
  CHECK(record->start == start);
  REQUIRE(record->entries.size() == 1);
  CHECK(record->entries.front() == entry);
  CHECK(record->end == end);
  CHECK(record->count_of(record->entries.front()) == 4);
}

TEST_CASE("RR2: a line that was cut off is left out, and anything else is an error") {
  const std::string start = to_line(a_start());
  const std::string entry = to_line(an_entry());
  const std::string end = to_line(RunEnd{});
  const auto cut = parse_record(start + entry.substr(0, entry.size() / 2));
  REQUIRE(cut);
  CHECK(cut->entries.empty());
  CHECK(!cut->end);

  struct Row {
    std::string text;
    std::size_t line;
    const char* why;
  };
  const std::string no_rule = R"({"type":"denial","number":1,"operation":"read","node":"file",)";
  const std::vector<Row> rows{
      {"", 0, "nothing"},
      {start.substr(0, 9), 0, "nothing whole"},
      {"x\n", 1, "no JSON"},
      {"[]\n", 1, "no object"},
      {"{}\n", 1, "no type"},
      {entry, 1, "no start"},
      {start + start, 2, "two starts"},
      {start + end + entry, 3, "behind the end"},
      {start + entry + entry, 3, "the same number twice"},
      {start + "{\"type\":\"else\"}\n", 2, "an unknown type"},
      {R"({"type":"run","version":2,"id":"a"})"
       "\n",
       1, "another version"},
      {R"({"type":"run","version":1,"id":"\\q"})"
       "\n",
       1, "an escape that is none"},
      {R"({"type":"run","version":1,"id":"a","command":["a",1]})"
       "\n",
       1, "no word"},
      {R"({"type":"run","version":1,"id":"a","command":"a"})"
       "\n",
       1, "no list"},
      {R"({"type":"run","version":1,"id":"a","time":"1"})"
       "\n",
       1, "no number"},
      {start + no_rule + "\"reason\":\"else\"}\n", 2, "an unknown reason"},
      {start + no_rule + "\"reason\":\"nothing-allows\",\"rule\":{}}\n", 2, "an empty rule"},
      {start + no_rule + "\"reason\":\"nothing-allows\",\"process\":[]}\n", 2, "no process"},
      {start + no_rule + "\"reason\":\"nothing-allows\",\"process\":{\"packages\":1}}\n", 2,
       "no packages"},
      {start + no_rule + "\"reason\":\"nothing-allows\",\"process\":{\"packages\":[{}]}}\n", 2,
       "a package without a name"},
      {start + R"({"type":"end","counts":1})" + "\n", 2, "no counts"},
      {start + R"({"type":"end","counts":[[1]]})" + "\n", 2, "no pairs"},
      {start + R"({"type":"end","counts":[[-1,2]]})" + "\n", 2, "negative"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.why);
    const auto record = parse_record(row.text);
    REQUIRE(!record);
    CHECK(record.error().line == row.line);
    CHECK(!record.error().what.empty());
  }
}

mode_t mode_of(const std::string& file) {
  struct stat status {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  return status.st_mode & ACCESSPERMS;
}

TEST_CASE("RS1: directory and files are private, and none is written to twice") {
  const TempDir temp;
  const std::string directory = temp.path("cache/runs");
  const RunStore store(directory);
  CHECK(store.list()->empty());
  const std::string id = RunStore::new_id(1'764'561'906'000'001);
  CHECK(id.starts_with("20251201T040506.000001Z-"));
  CHECK(RunStore::is_id(id));
  CHECK(RunStore::new_id(0) != RunStore::new_id(0));
  for (const std::string_view bad :
       {"", "../x", "20251201T040506.000001Z-1a2b3c4", "latest", "20251201T040506.000001Z-1A2B3C4D",
        "20251201T040506.000001Z-1a2b3c4dd"}) {
    CAPTURE(bad);
    CHECK(!RunStore::is_id(bad));
  }
  REQUIRE(store.create(id));
  CHECK(mode_of(directory) == 0700);
  CHECK(mode_of(store.file_of(id)) == 0600);
  const auto again = store.create(id);
  REQUIRE(!again);
  CHECK(again.error().error == EEXIST);
  CHECK(store.list() == std::vector{id});
  // A file that is none of ours is no run; one that is no file does not hold up its reader.
  REQUIRE(::mkfifo((directory + "/20251201T040506.000001Z-00000000.jsonl").c_str(), 0600) == 0);
  std::ofstream(directory + "/notes.jsonl") << "x";
  CHECK(store.list()->size() == 2);
  CHECK(!store.load("20251201T040506.000001Z-00000000"));
  CHECK(!store.load("20251201T040506.000001Z-00000001"));
  CHECK(!store.load(id));  // empty
}

TEST_CASE("RS3: ids sort as the times do, also within a second") {
  std::string last;
  for (const std::int64_t time : {0L, 1L, 9L, 10L, 999'999L, 1'000'000L, 1'000'001L, 60'000'000L,
                                  1'764'561'906'000'001L, 1'764'561'906'000'010L}) {
    for (int i = 0; i < 8; ++i) {
      const std::string id = RunStore::new_id(time);
      CHECK(RunStore::is_id(id));
      CHECK(last < id.substr(0, id.size() - 8));
    }
    last = RunStore::new_id(time);
  }
}

TEST_CASE("RS2: the newest runs stay") {
  const TempDir temp;
  const RunStore store(temp.path("runs"));
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < RunStore::kMostRuns + 3; ++i) {
    ids.push_back(RunStore::new_id(static_cast<std::int64_t>(i) * 1'000'000));
    REQUIRE(store.create(ids.back()));
  }
  const auto left = store.list();
  REQUIRE(left);
  REQUIRE(left->size() == RunStore::kMostRuns);
  CHECK(left->front() == ids.back());
  CHECK(left->back() == ids[3]);
}

domain::CompiledPolicy one_rule() {
  const auto at = [](std::string_view path) {
    return normalise(domain::AbsolutePath::root(), path);
  };
  domain::Policy read;
  read.filesystem.allow_read.push_back({*domain::PatternTemplate::parse("/h/p"), {}});
  auto policy =
      compile(read, domain::Surroundings{.variables = {at("/h"), at("/h/p"), at("/tmp")},
                                         .canonical = [](const auto& path) { return path; },
                                         .own_state = {},
                                         .git_directories = {},
                                         .hook_directories = {},
                                         .search_path = {}});
  REQUIRE(policy);
  return *std::move(policy);
}

Denial a_denial(std::string_view path) {
  return {OperationKind::read, path, path, {}, {}, domain::NodeKind::regular, {}, {}, ::getpid()};
}

TEST_CASE("RC1: every refusal is in the record, once, or counted") {
  const TempDir temp;
  const domain::CompiledPolicy policy = one_rule();
  const RunStore store(temp.path("runs"));
  Recorder recorder(policy, store, a_start(), domain::Redaction({"hunter2-hunter2"}));
  CHECK(store.list()->empty());  // nothing was refused yet
  constexpr int kThreads = 4;
  constexpr int kEach = 1000;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&recorder] {
      for (int i = 0; i < kEach; ++i) {
        recorder.record(a_denial(i % 2 == 0 ? "/even" : "/odd"));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  recorder.record(a_denial("/x/hunter2-hunter2"));
  // What was refused first is on the disk while the program still runs.
  const auto early = store.load(a_start().id);
  REQUIRE(early);
  CHECK(early->entries.size() == 3);
  CHECK(!early->end);
  const RunRecord record = recorder.finish(3);
  REQUIRE(record.entries.size() == 3);
  CHECK(record.count_of(record.entries[0]) == kThreads * kEach / 2);
  CHECK(record.count_of(record.entries[1]) == kThreads * kEach / 2);
  CHECK(record.count_of(record.entries[2]) == 1);
  CHECK(record.entries[2].violation.real == "/x/<redacted>");
  CHECK(record.entries[0].violation.process.pid == ::getpid());
  CHECK(!record.entries[0].violation.process.command.empty());
  const auto kept = store.load(a_start().id);
  REQUIRE(kept);
  CHECK(kept->entries == record.entries);
  CHECK(kept->end == record.end);
  CHECK(kept->end->exit_code == 3);
}

TEST_CASE("RC1: beyond the limit of distinct refusals they are counted") {
  const TempDir temp;
  const domain::CompiledPolicy policy = one_rule();
  const RunStore store(temp.path("runs"));
  Recorder recorder(policy, store, a_start(), domain::Redaction({}));
  for (std::size_t i = 0; i < Recorder::kMostDistinct + 7; ++i) {
    recorder.record(a_denial("/p" + std::to_string(i)));
  }
  recorder.record(a_denial("/p0"));
  const RunRecord record = recorder.finish(0);
  CHECK(record.entries.size() == Recorder::kMostDistinct);
  CHECK(record.end->dropped == 7);
  CHECK(record.count_of(record.entries.front()) == 2);
  CHECK(!recorder.trouble());
}

TEST_CASE("RC1: a record stays small, however long the names are") {
  const TempDir temp;
  const domain::CompiledPolicy policy = one_rule();
  const RunStore store(temp.path("runs"));
  Recorder recorder(policy, store, a_start(), domain::Redaction({}));
  constexpr std::size_t kCount = 3000;
  const std::string name(4000, '\x01');  // four bytes each where it is escaped
  for (std::size_t i = 0; i < kCount; ++i) {
    recorder.record(a_denial("/" + std::to_string(i) + name));
  }
  recorder.record(a_denial("/short"));
  recorder.record(a_denial("/0" + name));
  const RunRecord record = recorder.finish(0);
  CHECK(record.entries.size() > 100);
  CHECK(record.entries.size() + record.end->dropped == kCount + 1);
  CHECK(record.count_of(record.entries.front()) == 2);
  const auto size = std::filesystem::file_size(store.file_of(a_start().id));
  CHECK(size > Recorder::kMostBytes / 2);
  CHECK(size < Recorder::kMostBytes + 64UL * 1024);
  const auto kept = store.load(a_start().id);
  REQUIRE(kept);
  CHECK(kept->entries.size() == record.entries.size());
}

TEST_CASE("RC3: distinct refusals of several threads at once are all kept, each under its number") {
  const TempDir temp;
  const domain::CompiledPolicy policy = one_rule();
  const RunStore store(temp.path("runs"));
  Recorder recorder(policy, store, a_start(), domain::Redaction({}));
  constexpr int kThreads = 4;
  constexpr int kEach = 200;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&recorder, t] {
      for (int i = 0; i < kEach; ++i) {
        recorder.record(a_denial("/shared" + std::to_string(i)));
        recorder.record(a_denial("/" + std::to_string(t) + "/" + std::to_string(i)));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  // Without anything more: what one thread left to another is written.
  CHECK(store.load(a_start().id)->entries.size() == (kThreads + 1) * kEach);
  const RunRecord record = recorder.finish(0);
  REQUIRE(record.entries.size() == (kThreads + 1) * kEach);
  std::uint64_t refusals = 0;
  for (const Entry& entry : record.entries) {
    refusals += record.count_of(entry);
  }
  CHECK(refusals == 2 * kThreads * kEach);
  const auto kept = store.load(a_start().id);
  REQUIRE(kept);
  CHECK(kept->entries == record.entries);
  CHECK(kept->end == record.end);
}

TEST_CASE("RC2: what cannot be written is told, and the record in memory is whole") {
  const TempDir temp;
  std::ofstream(temp.path("runs")) << "no directory";
  const domain::CompiledPolicy policy = one_rule();
  const RunStore store(temp.path("runs"));
  Recorder recorder(policy, store, a_start(), domain::Redaction({}));
  recorder.record(a_denial("/a"));
  recorder.record(a_denial("/b"));
  CHECK(recorder.finish(1).entries.size() == 2);
  REQUIRE(recorder.trouble());
  CHECK(recorder.trouble()->error == ENOTDIR);
}

}  // namespace
}  // namespace pmg::adapters
