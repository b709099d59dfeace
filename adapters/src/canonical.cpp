#include "adapters/canonical.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "domain/path.hpp"

namespace pmg::adapters {

domain::AbsolutePath Canonicaliser::resolve(const domain::AbsolutePath& path) {
  return entry_of(path).real;
}

const Canonicaliser::Entry& Canonicaliser::entry_of(const domain::AbsolutePath& path) {
  if (const auto known = known_.find(path.text()); known != known_.end()) {
    return known->second;
  }
  Entry entry{path, Found::yes};
  if (!path.is_root()) {
    const Entry& parent = entry_of(path.parent());
    entry = {domain::normalise(parent.real, path.filename()), parent.found};
  }
  if (entry.found == Found::yes && !path.is_root()) {
    std::error_code error;
    const auto status = std::filesystem::symlink_status(entry.real.text(), error);
    entry.found = std::filesystem::exists(status) ? Found::yes : Found::no;
    if (std::filesystem::is_symlink(status)) {
      const auto target = std::filesystem::canonical(entry.real.text(), error);
      if (!error) {
        entry.real = domain::normalise(domain::AbsolutePath::root(), target.string());
      } else {
        entry.found = Found::no;  // dangling or a loop: what is below it cannot be looked at
      }
    }
  }
  return known_.emplace(path.text(), std::move(entry)).first->second;
}

domain::AbsolutePath canonical(const domain::AbsolutePath& path) {
  return Canonicaliser().resolve(path);
}

}  // namespace pmg::adapters
