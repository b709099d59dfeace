#include "platform/process.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace pmg::platform;

namespace {

RemoteAddress address_of(const void* pointer) {
  return RemoteAddress{reinterpret_cast<std::uint64_t>(pointer)};
}

/// Two pages, the second unreadable.
class Pages {
 public:
  Pages()
      : memory_(static_cast<char*>(::mmap(nullptr, 2 * kSize, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    std::memset(memory_, 'x', 2 * kSize);
  }
  ~Pages() { ::munmap(memory_, 2 * kSize); }
  void close_second() { ::mprotect(memory_ + kSize, kSize, PROT_NONE); }
  [[nodiscard]] char* boundary() const { return memory_ + kSize; }
  static constexpr std::size_t kSize = 4096;

 private:
  char* memory_;
};

}  // namespace

TEST_CASE("M1: a string is read whole, also across pages") {
  const Pages pages;
  std::strcpy(pages.boundary() - 3, "abcdef");
  CHECK(read_string(::getpid(), address_of(pages.boundary() - 3), 4095).value_or("?") == "abcdef");
}

TEST_CASE("M1: a string that ends at the last readable byte needs no byte more") {
  Pages pages;
  std::strcpy(pages.boundary() - 4, "abc");
  pages.close_second();
  CHECK(read_string(::getpid(), address_of(pages.boundary() - 4), 4095).value_or("?") == "abc");
}

TEST_CASE("M2: what cannot be read is an error, never a shorter string") {
  Pages pages;
  pages.close_second();
  const auto unterminated = read_string(::getpid(), address_of(pages.boundary() - 4), 4095);
  REQUIRE_FALSE(unterminated.has_value());
  CHECK(unterminated.error() == Errno{EFAULT});
  CHECK(read_string(::getpid(), RemoteAddress{0}, 4095).error() == Errno{EFAULT});
  CHECK(read_string(::getpid(), RemoteAddress{16}, 4095).error() == Errno{EFAULT});
}

TEST_CASE("M2: the limit is the longest text that passes") {
  const std::string text(4095, 'a');
  CHECK(read_string(::getpid(), address_of(text.c_str()), 4095).value_or("?").size() == 4095);
  CHECK(read_string(::getpid(), address_of(text.c_str()), 4094).error() == Errno{ENAMETOOLONG});
}

TEST_CASE("M3: a status names process, parent and umask") {
  const mode_t before = ::umask(027);
  const auto status = read_status(::getpid());
  ::umask(before);
  REQUIRE(status.has_value());
  CHECK(status->process == ::getpid());
  CHECK(status->parent == ::getppid());
  CHECK(status->umask == 027);
  CHECK_FALSE(read_status(-1).has_value());
}
