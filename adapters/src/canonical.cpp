#include "adapters/canonical.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "domain/path.hpp"
#include "platform/files.hpp"

namespace pmg::adapters {
namespace {

// The directory that the kernel would reach, as far as it exists.
domain::AbsolutePath real_directory(const domain::AbsolutePath& path) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(path.text(), error);
  return error ? path : domain::normalise(domain::AbsolutePath::root(), real.string());
}

std::vector<domain::AbsolutePath> links_from(domain::AbsolutePath at) {
  std::vector<domain::AbsolutePath> links;
  for (int i = 0; i < platform::kMaxSymlinks; ++i) {
    const auto target = platform::read_link_at(AT_FDCWD, at.text().c_str());
    if (!target) {
      break;  // the end
    }
    const auto base = target->starts_with('/') ? domain::AbsolutePath::root() : at.parent();
    const auto written = domain::normalise(base, *target);
    at = domain::normalise(real_directory(written.parent()), written.filename());
    links.push_back(at);
  }
  return links;
}

}  // namespace

domain::AbsolutePath Canonicaliser::resolve(const domain::AbsolutePath& path) {
  return entry_of(path.text()).real;
}

const std::vector<domain::AbsolutePath>& Canonicaliser::links(const domain::AbsolutePath& path) {
  return entry_of(path.text()).links;
}

const Canonicaliser::Entry& Canonicaliser::entry_of(std::string_view path) {
  constexpr std::string_view kRoot = "/";
  if (const auto known = known_.find(path); known != known_.end()) {
    return known->second;
  }
  Entry entry{domain::AbsolutePath::root(), Found::yes};
  if (path != kRoot) {
    const std::size_t slash = path.rfind('/');
    const Entry& parent = entry_of(slash == 0 ? kRoot : path.substr(0, slash));
    entry = {domain::normalise(parent.real, path.substr(slash + 1)), parent.found};
  }
  if (entry.found == Found::yes && path != kRoot) {
    const auto status = platform::status_at(AT_FDCWD, entry.real.text().c_str());
    entry.found = status ? Found::yes : Found::no;
    if (status && S_ISLNK(status->st_mode)) {
      entry.links = links_from(entry.real);
      std::error_code error;
      const auto target = std::filesystem::canonical(entry.real.text(), error);
      if (!error) {
        entry.real = domain::normalise(domain::AbsolutePath::root(), target.string());
      } else {
        entry.found = Found::no;  // dangling or a loop: what is below it cannot be looked at
      }
    }
  }
  return known_.emplace(path, std::move(entry)).first->second;
}

domain::AbsolutePath canonical(const domain::AbsolutePath& path) {
  return Canonicaliser().resolve(path);
}

}  // namespace pmg::adapters
