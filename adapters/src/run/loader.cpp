#include "run/loader.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include "platform/files.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::adapters {
namespace {

using platform::UniqueFd;

/// Reads a file, and remembers whether the file could not be read: what ends early is only broken.
class Reader {
 public:
  explicit Reader(const UniqueFd& file) noexcept : file_(file) {}

  template <class T>
  std::optional<T> value_at(std::uint64_t offset) {
    T value{};
    return fill(&value, sizeof(value), offset) ? std::optional(value) : std::nullopt;
  }

  std::optional<std::string> name_at(std::uint64_t offset, std::uint64_t size) {
    constexpr std::size_t kLongest = 4096;  // the kernel takes no longer one, either
    if (size == 0 || size > kLongest) {
      return std::nullopt;
    }
    std::string name(size, '\0');
    if (!fill(name.data(), name.size(), offset)) {
      return std::nullopt;
    }
    name.resize(std::strlen(name.c_str()));
    return name;
  }

  /// 0 while every read went well.
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  bool fill(void* into, std::size_t size, std::uint64_t offset) {
    const ssize_t length = ::pread(file_.get(), into, size, static_cast<off_t>(offset));
    if (length < 0 && errno != EINVAL) {  // EINVAL: an offset that no file has
      error_ = errno;
    }
    return length == static_cast<ssize_t>(size);
  }

  const UniqueFd& file_;
  int error_ = 0;
};

template <class Header, class Segment>
std::optional<std::string> find_loader(Reader& file) {
  const auto header = file.value_at<Header>(0);
  // The kernel takes no longer table, either (load_elf_phdrs).
  constexpr std::size_t kLongestTable = 65536;
  if (!header || header->e_phentsize != sizeof(Segment) ||
      header->e_phnum * sizeof(Segment) > kLongestTable) {
    return std::nullopt;
  }
  for (std::size_t index = 0; index < header->e_phnum; ++index) {
    const auto segment = file.value_at<Segment>(header->e_phoff + index * sizeof(Segment));
    if (!segment) {
      return std::nullopt;
    }
    if (segment->p_type == PT_INTERP) {
      return file.name_at(segment->p_offset, segment->p_filesz);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<domain::AbsolutePath> loader_of(const domain::AbsolutePath& program) {
  const auto file = platform::open_at(AT_FDCWD, program.text().c_str(), O_RDONLY | O_NONBLOCK, 0);
  if (!file) {
    return std::nullopt;
  }
  const auto names = loaders_named_in(*file);
  if (!names || names->empty()) {
    return std::nullopt;
  }
  const auto path = domain::AbsolutePath::parse(names->front());
  return path ? std::optional(*path) : std::nullopt;
}

tl::expected<std::vector<std::string>, platform::Errno> loaders_named_in(const UniqueFd& program) {
  std::vector<std::string> names;
  Reader file(program);
  const auto ident = file.value_at<std::array<unsigned char, EI_NIDENT>>(0);
  if (ident && std::memcmp(ident->data(), ELFMAG, SELFMAG) == 0) {
    for (auto& name :
         {find_loader<Elf64_Ehdr, Elf64_Phdr>(file), find_loader<Elf32_Ehdr, Elf32_Phdr>(file)}) {
      if (name && !name->empty()) {
        names.push_back(*name);
      }
    }
  }
  if (file.error() != 0) {
    return tl::unexpected(platform::Errno{file.error()});
  }
  return names;
}

}  // namespace pmg::adapters
