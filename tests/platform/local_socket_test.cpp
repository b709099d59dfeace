#include "platform/local_socket.hpp"

#include <cerrno>
#include <filesystem>
#include <string>

#include <unistd.h>

#include <doctest/doctest.h>

#include "platform/scratch.hpp"

using pmg::platform::connect_to;
using pmg::platform::LocalListener;
using pmg::platform::ScratchDirectory;

TEST_CASE("LS1: a listener tells whether it was reached") {
  const auto place =
      ScratchDirectory::make(std::filesystem::temp_directory_path().string(), "pmg-socket-");
  REQUIRE(place);
  for (const std::string& name :
       {place->path() + "/a.sock", "@pmg-socket-test-" + std::to_string(::getpid())}) {
    CAPTURE(name);
    CHECK_FALSE(connect_to(name));
    const auto listener = LocalListener::listen(name);
    REQUIRE(listener);
    CHECK_FALSE(listener->was_reached());
    CHECK(connect_to(name));
    CHECK(listener->was_reached());
    CHECK_FALSE(listener->was_reached());
    CHECK(LocalListener::listen(name).error().value == EADDRINUSE);
  }
  CHECK(LocalListener::listen(std::string(200, 'x')).error().value == ENAMETOOLONG);
  CHECK(connect_to(std::string(200, 'x')).error().value == ENAMETOOLONG);
}
