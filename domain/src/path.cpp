#include "domain/path.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace pmg::domain {

tl::expected<AbsolutePath, PathError> AbsolutePath::parse(std::string_view text) {
  if (text.empty()) {
    return tl::unexpected(PathError{PathErrc::empty, 0});
  }
  if (text.front() != '/') {
    return tl::unexpected(PathError{PathErrc::relative, 0});
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return tl::unexpected(PathError{PathErrc::nul_byte, nul});
  }
  if (text.size() == 1) {
    return root();
  }
  std::size_t begin = 1;
  while (begin <= text.size()) {
    std::size_t end = text.find('/', begin);
    if (end == std::string_view::npos) {
      end = text.size();
    }
    const std::string_view segment = text.substr(begin, end - begin);
    if (segment.empty()) {
      return tl::unexpected(PathError{PathErrc::empty_segment, begin});
    }
    if (segment == "." || segment == "..") {
      return tl::unexpected(PathError{PathErrc::dot_segment, begin});
    }
    begin = end + 1;
  }
  return AbsolutePath(std::string(text));
}

bool AbsolutePath::is_within(const AbsolutePath& dir) const noexcept {
  if (dir.is_root()) {
    return true;
  }
  const std::string_view text = text_;
  const std::string_view prefix = dir.text_;
  return text.starts_with(prefix) && (text.size() == prefix.size() || text[prefix.size()] == '/');
}

AbsolutePath AbsolutePath::parent() const {
  const std::size_t slash = text_.rfind('/');
  return slash == 0 ? root() : AbsolutePath(text_.substr(0, slash));
}

std::string_view AbsolutePath::filename() const noexcept {
  return std::string_view(text_).substr(text_.rfind('/') + 1);
}

AbsolutePath normalise(const AbsolutePath& base, std::string_view spelled) {
  spelled = spelled.substr(0, spelled.find('\0'));
  std::string text;
  text.reserve(base.text().size() + 1 + spelled.size());
  if (!spelled.starts_with('/') && !base.is_root()) {
    text = base.text();
  }
  std::size_t begin = 0;
  while (begin < spelled.size()) {
    std::size_t end = spelled.find('/', begin);
    if (end == std::string_view::npos) {
      end = spelled.size();
    }
    const std::string_view segment = spelled.substr(begin, end - begin);
    begin = end + 1;
    if (segment.empty() || segment == ".") {
      continue;
    }
    if (segment == "..") {
      const std::size_t slash = text.rfind('/');
      text.resize(slash == std::string::npos ? 0 : slash);
      continue;
    }
    text += '/';
    text += segment;
  }
  return text.empty() ? AbsolutePath::root() : AbsolutePath(std::move(text));
}

}  // namespace pmg::domain
