#include "platform/abstract_names.hpp"

#include <cstddef>
#include <cstring>
#include <string>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "platform/unique_fd.hpp"

using namespace std::string_literals;
using pmg::platform::abstract_names;
using pmg::platform::AbstractNames;
using pmg::platform::UniqueFd;

TEST_CASE("N1: names are what the kernel's list shows, and nothing else") {
  const auto names = AbstractNames::parse(
      "Num       RefCount Protocol Flags    Type St Inode Path\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01 12345 @plain\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01 12346 @in@side\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01 12347 @with space\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01 12348 /run/path\n"
      "0000000000000000: 00000003 00000000 00000000 0001 03 12349\n");
  CHECK(names.may_hold("\0plain"s));
  CHECK(names.may_hold("\0in\0side"s));
  CHECK(names.may_hold("\0with space"s));
  CHECK_FALSE(names.may_hold("\0with"s));
  CHECK_FALSE(names.may_hold("\0other"s));
  CHECK_FALSE(names.may_hold("/run/path"));
  CHECK(names.may_hold("\0new\nline"s));  // cannot be told
}

TEST_CASE("N1: a name is held from its bind to the end of its socket") {
  const std::string name = "\0pmg-test-"s + std::to_string(::getpid());
  REQUIRE(abstract_names().has_value());
  CHECK_FALSE(abstract_names()->may_hold(name));
  UniqueFd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(&address.sun_path, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0);
  CHECK(abstract_names()->may_hold(name));
  socket.reset();
  CHECK_FALSE(abstract_names()->may_hold(name));
}
