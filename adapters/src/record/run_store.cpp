#include "adapters/record/run_store.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/record/run_record.hpp"
#include "adapters/utc_time.hpp"
#include "domain/ascii.hpp"
#include "platform/log_file.hpp"
#include "platform/os_error.hpp"
#include "platform/stored_file.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::adapters {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".jsonl";
/// Several times what a recorder writes: a greater file is not ours.
constexpr std::size_t kMostBytes = 64UL << 20U;
constexpr std::string_view kForm = "00000000T000000.000000Z-xxxxxxxx";

bool fits(char form, char c) noexcept {
  const bool is_digit = c >= '0' && c <= '9';
  return form == '0' ? is_digit : form == 'x' ? is_digit || (c >= 'a' && c <= 'f') : form == c;
}

}  // namespace

std::string RunStore::new_id(std::int64_t microseconds) {
  std::string id = compact_time_text(microseconds) + "-";
  std::random_device random;
  for (int i = 0; i < 4; ++i) {
    domain::append_hex(id, static_cast<unsigned char>(random() & 0xFFU));
  }
  return id;
}

bool RunStore::is_id(std::string_view text) noexcept {
  return std::ranges::equal(kForm, text, fits);
}

std::string RunStore::file_of(const std::string& id) const {
  return directory_ + "/" + id + std::string(kExtension);
}

tl::expected<platform::UniqueFd, platform::OsError> RunStore::create(const std::string& id) const {
  if (auto made = platform::make_directories(directory_); !made) {
    return tl::unexpected(made.error());
  }
  auto file = platform::create_log(file_of(id));
  if (!file) {
    return file;
  }
  if (const auto ids = list()) {
    for (std::size_t i = kMostRuns; i < ids->size(); ++i) {
      // Another run may have been faster.
      static_cast<void>(std::remove(file_of((*ids)[i]).c_str()));
    }
  }
  return file;
}

tl::expected<std::vector<std::string>, platform::OsError> RunStore::list() const {
  std::vector<std::string> ids;
  std::error_code error_code;
  fs::directory_iterator entry(directory_, error_code);
  if (error_code == std::errc::no_such_file_or_directory) {
    return ids;
  }
  for (const fs::directory_iterator end; !error_code && entry != end; entry.increment(error_code)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(kExtension) &&
        is_id(std::string_view(name).substr(0, name.size() - kExtension.size()))) {
      ids.push_back(name.substr(0, name.size() - kExtension.size()));
    }
  }
  if (error_code) {
    return tl::unexpected(platform::OsError{"readdir", error_code.value(), directory_});
  }
  std::ranges::sort(ids, std::ranges::greater{});
  return ids;
}

tl::expected<RunRecord, RunStoreError> RunStore::load(const std::string& id) const {
  auto text = platform::read_regular_file(file_of(id), kMostBytes);
  if (!text) {
    return tl::unexpected<RunStoreError>(std::move(text.error()));
  }
  auto record = parse_record(*text);
  if (!record) {
    return tl::unexpected<RunStoreError>(std::move(record.error()));
  }
  return *std::move(record);
}

}  // namespace pmg::adapters
