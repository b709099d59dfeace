#include "adapters/overlay/store.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/overlay/overlay.hpp"
#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/read_document.hpp"
#include "domain/ascii.hpp"
#include "domain/caution.hpp"
#include "domain/compiled.hpp"
#include "domain/overrides.hpp"
#include "domain/path.hpp"
#include "platform/os_error.hpp"
#include "platform/sha256.hpp"
#include "platform/stored_file.hpp"

namespace pmg::adapters {

namespace {

namespace fs = std::filesystem;

tl::expected<platform::FileLock, platform::OsError> lock(const std::string& directory) {
  return platform::FileLock::acquire(directory + "/.lock");
}

tl::expected<Overlay, LoadError> load_file(const std::string& file) {
  const auto text = read_text(file);
  if (!text) {
    return tl::unexpected(text.error());
  }
  return parse_overlay(*text, file);
}

/// By copy: g++ 12 takes the moved variant for uninitialised.
template <class E>
tl::unexpected<StoreError> failed(const E& cause) {
  const StoreError error(cause);
  return tl::unexpected<StoreError>(error);
}

/// OV4
std::optional<LoadError> find_forbidden(const Overlay& overlay, const std::string& file,
                                        const domain::Surroundings& surroundings) {
  for (const SavedAllowance& entry : overlay.allow) {
    const domain::Caution caution = caution_for(entry.rule, surroundings);
    if (!can_be_allowed(caution)) {
      return LoadError{LoadErrc::never_allowed,
                       file,
                       {entry.origin.line, 0},
                       std::string(entry.text.type) + "=" + entry.text.value,
                       {},
                       {},
                       caution};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string OverlayStore::file_of(const domain::AbsolutePath& project) const {
  constexpr std::size_t kBytes = 8;
  const platform::Sha256 digest = platform::sha256(project.text());
  std::string name;
  for (std::size_t i = 0; i < kBytes; ++i) {
    domain::append_hex(name, digest.at(i));
  }
  return directory_ + "/" + name + ".yml";
}

tl::expected<std::optional<Overlay>, LoadError> OverlayStore::load(
    const domain::AbsolutePath& project, const domain::Surroundings& surroundings) const {
  const std::string file = file_of(project);
  std::error_code error;
  if (fs::symlink_status(file, error).type() == fs::file_type::not_found) {
    return std::nullopt;
  }
  // From here on a missing file is a dangling link: allowances that were lost.
  auto overlay = load_file(file);
  if (!overlay) {
    return tl::unexpected(std::move(overlay.error()));
  }
  if (overlay->repo_root != project.text()) {
    return tl::unexpected(
        LoadError{LoadErrc::other_repository, file, {}, overlay->repo_root, {}, {}, {}});
  }
  if (auto forbidden = find_forbidden(*overlay, file, surroundings)) {
    return tl::unexpected(*std::move(forbidden));
  }
  return std::optional(*std::move(overlay));
}

tl::expected<Added, StoreError> OverlayStore::add(const domain::AbsolutePath& project,
                                                  const std::vector<domain::OverrideText>& entries,
                                                  const domain::Surroundings& surroundings,
                                                  const std::string& now) const {
  const auto held = lock(directory_);
  if (!held) {
    return failed(held.error());
  }
  const auto before = load(project, surroundings);
  if (!before) {
    return failed(before.error());
  }
  Added added{before->value_or(Overlay{project.text(), now, {}, {}}), {}};
  for (const domain::OverrideText& entry : entries) {
    const bool is_known = std::ranges::any_of(
        added.overlay.allow, [&entry](const SavedAllowance& other) { return other.text == entry; });
    auto rule = domain::parse_override(std::string(entry.type) + "=" + entry.value);
    if (!is_known && rule) {
      added.overlay.allow.push_back({entry, *std::move(rule), {}});
      added.entries.push_back(entry);
    }
  }
  if (added.entries.empty()) {
    return added;
  }
  added.overlay.updated_at = now;
  const std::string file = file_of(project);
  const std::string text = to_yaml(added.overlay);
  // What would not load must not be stored: the next run would refuse to start.
  const auto again = parse_overlay(text, file);
  if (!again) {
    return failed(again.error());
  }
  if (const auto forbidden = find_forbidden(*again, file, surroundings)) {
    return failed(*forbidden);
  }
  const auto stored = platform::store(file, text, platform::IfThere::replace);
  return stored ? tl::expected<Added, StoreError>(std::move(added)) : failed(stored.error());
}

tl::expected<bool, platform::OsError> OverlayStore::remove(
    const domain::AbsolutePath& project) const {
  const std::string file = file_of(project);
  std::error_code error;
  if (fs::symlink_status(file, error).type() == fs::file_type::not_found) {
    return false;
  }
  const auto held = lock(directory_);
  if (!held) {
    return tl::unexpected(held.error());
  }
  if (std::remove(file.c_str()) != 0) {
    const int code = errno;
    return code == ENOENT ? tl::expected<bool, platform::OsError>(false)
                          : tl::unexpected(platform::OsError{"remove", code, file});
  }
  return true;
}

std::vector<OverlayRow> OverlayStore::list() const {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".yml") {
      files.push_back(entry->path().string());
    }
  }
  std::ranges::sort(files);
  std::vector<OverlayRow> rows;
  for (const std::string& file : files) {
    auto overlay = load_file(file);
    rows.push_back(overlay ? OverlayRow{file, *std::move(overlay), {}}
                           : OverlayRow{file, {}, std::move(overlay.error())});
  }
  return rows;
}

}  // namespace pmg::adapters
