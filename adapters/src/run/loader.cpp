#include "run/loader.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include "platform/files.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::adapters {
namespace {

using platform::UniqueFd;

template <class T>
std::optional<T> read_at(const UniqueFd& file, std::uint64_t offset) {
  T value{};
  const ssize_t length = ::pread(file.get(), &value, sizeof(value), static_cast<off_t>(offset));
  return length == static_cast<ssize_t>(sizeof(value)) ? std::optional(value) : std::nullopt;
}

std::optional<std::string> read_name(const UniqueFd& file, std::uint64_t offset,
                                     std::uint64_t size) {
  constexpr std::size_t kLongest = 4096;
  if (size == 0 || size > kLongest) {
    return std::nullopt;
  }
  std::string name(size, '\0');
  if (::pread(file.get(), name.data(), name.size(), static_cast<off_t>(offset)) !=
      static_cast<ssize_t>(name.size())) {
    return std::nullopt;
  }
  name.resize(std::strlen(name.c_str()));
  return name;
}

template <class Header, class Segment>
std::optional<std::string> find_loader(const UniqueFd& file) {
  const auto header = read_at<Header>(file, 0);
  // The kernel takes no longer table, either (load_elf_phdrs).
  constexpr std::size_t kLongestTable = 65536;
  if (!header || header->e_phentsize != sizeof(Segment) ||
      header->e_phnum * sizeof(Segment) > kLongestTable) {
    return std::nullopt;
  }
  for (std::size_t index = 0; index < header->e_phnum; ++index) {
    const auto segment = read_at<Segment>(file, header->e_phoff + index * sizeof(Segment));
    if (!segment) {
      return std::nullopt;
    }
    if (segment->p_type == PT_INTERP) {
      return read_name(file, segment->p_offset, segment->p_filesz);
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
  const auto name = loader_named_in(*file);
  const auto path = name ? domain::AbsolutePath::parse(*name)
                         : tl::unexpected(domain::PathError{domain::PathErrc::empty, 0});
  return path ? std::optional(*path) : std::nullopt;
}

std::optional<std::string> loader_named_in(const UniqueFd& program) {
  const auto ident = read_at<std::array<unsigned char, EI_NIDENT>>(program, 0);
  if (!ident || std::memcmp(ident->data(), ELFMAG, SELFMAG) != 0) {
    return std::nullopt;
  }
  return ident->at(EI_CLASS) == ELFCLASS64 ? find_loader<Elf64_Ehdr, Elf64_Phdr>(program)
                                           : find_loader<Elf32_Ehdr, Elf32_Phdr>(program);
}

}  // namespace pmg::adapters
