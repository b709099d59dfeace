#include "platform/unix_socket.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace pmg::platform;

namespace {

/// A directory of its own, gone at the end.
class Folder {
 public:
  Folder() { REQUIRE(::mkdtemp(path_.data()) != nullptr); }
  ~Folder() {
    ::unlink(socket().c_str());
    ::rmdir(path_.c_str());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string socket() const { return path_ + "/a socket"; }

 private:
  std::string path_ = "/tmp/pmg-socket-XXXXXX";
};

UniqueFd bound_socket(const std::string& path, int type) {
  UniqueFd fd{::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  REQUIRE(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  return fd;
}

}  // namespace

TEST_CASE("U1: a socket is bound as long as somebody has it, and asking tells nobody") {
  for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET}) {
    CAPTURE(type);
    const Folder folder;
    UniqueFd server = bound_socket(folder.socket(), type);
    const UniqueFd object{::open(folder.socket().c_str(), O_PATH | O_CLOEXEC)};
    CHECK(is_bound(object));
    if (type != SOCK_DGRAM) {
      REQUIRE(::listen(server.get(), 1) == 0);
      CHECK(is_bound(object));
      CHECK(::accept(server.get(), nullptr, nullptr) == -1);
    }
    server.reset();
    CHECK_FALSE(is_bound(object));
  }
}
