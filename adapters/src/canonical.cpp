#include "adapters/canonical.hpp"

#include <filesystem>
#include <string>
#include <system_error>

#include "domain/path.hpp"

namespace pmg::adapters {

domain::AbsolutePath canonical(const domain::AbsolutePath& path) {
  std::string rest;
  for (domain::AbsolutePath prefix = path;; prefix = prefix.parent()) {
    std::error_code error;
    const auto real = std::filesystem::canonical(prefix.text(), error);
    if (!error) {
      const std::string joined = real.string() + "/" + rest;
      return domain::normalise(domain::AbsolutePath::root(), joined);
    }
    if (prefix.is_root()) {
      return path;
    }
    rest = std::string(prefix.filename()) + "/" + rest;
  }
}

}  // namespace pmg::adapters
