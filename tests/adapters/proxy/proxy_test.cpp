// A proxy, a server and a client on loopback. Every wait is bounded.
#include "adapters/proxy/proxy.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/time.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>
#include <doctest/doctest.h>

#include "domain/host.hpp"
#include "domain/ip_address.hpp"
#include "domain/network.hpp"
#include "domain/pattern.hpp"
#include "gen/wire.hpp"

using namespace pmg::adapters;
namespace domain = pmg::domain;
namespace gen = pmg::gen;

namespace {

using Tcp = boost::asio::ip::tcp;
using boost::system::error_code;

/// No read or write takes longer.
void bound(Tcp::socket& socket) {
  const timeval patience{5, 0};
  setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket.native_handle(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

/// Until the other side has said all, or `enough` bytes are there.
std::string read_from(Tcp::socket& socket, std::size_t enough = std::string::npos) {
  std::string out;
  std::array<char, 4096> piece{};
  while (out.size() < enough) {
    // Not read_some, which would wait on after the time is over.
    const ssize_t count = recv(socket.native_handle(), piece.data(), piece.size(), 0);
    if (count <= 0) {
      break;
    }
    out.append(piece.data(), static_cast<std::size_t>(count));
  }
  return out;
}

/// Says `greeting`, takes one connection's bytes until their end, and answers `farewell`.
class Server {
 public:
  Server(std::string greeting, std::string farewell)
      : acceptor_(io_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
        thread_([this, greeting = std::move(greeting), farewell = std::move(farewell)] {
          error_code error;
          Tcp::socket socket(io_);
          acceptor_.accept(socket, error);
          bound(socket);
          boost::asio::write(socket, boost::asio::buffer(greeting), error);
          received_ = read_from(socket);
          boost::asio::write(socket, boost::asio::buffer(farewell), error);
        }) {}
  ~Server() { static_cast<void>(received()); }
  Server(const Server&) = delete;
  Server(Server&&) = delete;
  Server& operator=(const Server&) = delete;
  Server& operator=(Server&&) = delete;

  [[nodiscard]] std::string port() const {
    return std::to_string(acceptor_.local_endpoint().port());
  }
  /// All that came, once the connection is over. A server that nobody called got nothing.
  [[nodiscard]] std::string received() {
    if (thread_.joinable()) {
      error_code ignored;
      Tcp::socket nobody(io_);
      nobody.connect(acceptor_.local_endpoint(), ignored);
      nobody.close(ignored);
      thread_.join();
    }
    return received_;
  }

 private:
  boost::asio::io_context io_;
  Tcp::acceptor acceptor_;
  std::string received_;
  std::thread thread_;
};

/// What the proxy was asked, and what it recorded.
struct Record {
  std::mutex mutex;
  std::vector<std::string> lookups;
  std::vector<Connection> connections;
};

domain::NetRules rules(const std::vector<std::string>& texts) {
  domain::NetRules out;
  for (const auto& text : texts) {
    out.push_back({*domain::HostPortPattern::parse(text), {}});
  }
  return out;
}

/// `a.x` leads to this machine, `inside.x` to another one that nobody named, `gone.x` nowhere.
Proxy started(Record& record, const std::vector<std::string>& allow) {
  auto policy = domain::compile_network({rules(allow), {}, {}}, {});
  REQUIRE(policy.has_value());
  auto proxy = Proxy::start(
      {std::make_shared<const domain::NetworkPolicy>(std::move(*policy)),
       [&record](const Connection& connection) {
         const std::scoped_lock lock(record.mutex);
         record.connections.push_back(connection);
       },
       [&record](const domain::HostName& name, const std::function<void(Addresses)>& done) {
         {
           const std::scoped_lock lock(record.mutex);
           record.lookups.push_back(name.text());
         }
         if (name.text() == "gone.x") {
           done({});
         } else {
           done({*domain::IpAddress::parse(name.text() == "a.x" ? "127.0.0.1" : "10.0.0.9")});
         }
       }});
  REQUIRE(proxy.has_value());
  return std::move(*proxy);
}

class Caller {
 public:
  explicit Caller(const Proxy& proxy) : socket_(io_) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), proxy.port().number()});
    bound(socket_);
  }
  void say(std::string_view text) {
    error_code ignored;
    boost::asio::write(socket_, boost::asio::buffer(text), ignored);
  }
  void end() {
    error_code ignored;
    socket_.shutdown(Tcp::socket::shutdown_send, ignored);
  }
  [[nodiscard]] std::string hear(std::size_t enough = std::string::npos) {
    return read_from(socket_, enough);
  }

 private:
  boost::asio::io_context io_;
  Tcp::socket socket_;
};

/// RFC 4648, for the one header that needs it.
std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  unsigned count = 0;
  for (const char c : bytes) {
    bits = bits << 8U | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) {
      out += kDigits[bits >> (count - 6) & 0x3fU];
    }
  }
  if (count > 0) {
    out += kDigits[bits << (6 - count) & 0x3fU];
  }
  return out + std::string((4 - out.size() % 4) % 4, '=');
}

std::string connect_request(const Proxy& proxy, const std::string& to) {
  return "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\nProxy-Authorization: Basic " +
         base64("pmg:" + proxy.secret()) + "\r\n\r\n";
}

/// As a server gets it: Host with the port.
std::string with_port(std::string text, const std::string& port) {
  const std::string host = "Host: a.x";
  for (std::size_t at = text.find(host); at != std::string::npos; at = text.find(host, at + 1)) {
    text.insert(at + host.size(), ":" + port);
  }
  return text;
}

constexpr std::string_view kConnected = "HTTP/1.1 200 Connection established\r\n\r\n";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("PX1: what the policy refuses is neither looked up nor connected to") {
  Record record;
  Server server("", "");
  const Proxy proxy = started(record, {"a.x:1", "127.0.0.1:*"});
  Caller caller(proxy);
  caller.say(connect_request(proxy, "a.x:" + server.port()));
  const std::string answer = caller.hear();
  CHECK(answer.starts_with("HTTP/1.1 403 "));
  CHECK(contains(answer, "connection to `a.x:" + server.port() + "` refused: no rule allows it"));
  CHECK(contains(answer, "pmg sandbox allow net-connect=a.x:" + server.port()));
  CHECK(server.received().empty());
  CHECK(record.lookups.empty());
  REQUIRE(record.connections.size() == 1);
  CHECK(record.connections[0].refusal == Refusal::by_policy);
}

TEST_CASE("PX2: a name that leads inside is refused, and the address that it leads to named") {
  Record record;
  const Proxy proxy = started(record, {"*:*"});
  Caller caller(proxy);
  caller.say(connect_request(proxy, "inside.x:80"));
  const std::string answer = caller.hear();
  CHECK(answer.starts_with("HTTP/1.1 403 "));
  CHECK(contains(answer, "it leads to 10.0.0.9, a private network"));
  CHECK(contains(answer, "net-connect=10.0.0.9:80"));
  CHECK(record.lookups == std::vector<std::string>{"inside.x"});
  Caller gone(proxy);
  gone.say(connect_request(proxy, "gone.x:80"));
  CHECK(gone.hear().starts_with("HTTP/1.1 502 "));
  Caller machine(proxy);
  machine.say(connect_request(proxy, "localhost:80"));
  CHECK(machine.hear().starts_with("HTTP/1.1 403 "));
  CHECK(record.lookups.size() == 2);
}

TEST_CASE("PX2: bytes go both ways, and the server may speak first") {
  Record record;
  Server server("hello", "bye");
  const Proxy proxy = started(record, {"a.x:*", "127.0.0.1:*"});
  Caller caller(proxy);
  caller.say(connect_request(proxy, "a.x:" + server.port()));
  CHECK(caller.hear(kConnected.size() + 5) == std::string(kConnected) + "hello");
  caller.say("SSH-2.0-x\r\n");
  caller.end();
  CHECK(caller.hear() == "bye");
  CHECK(server.received() == "SSH-2.0-x\r\n");
  REQUIRE(record.connections.size() == 1);
  CHECK(!record.connections[0].refusal);
  CHECK(record.connections[0].address == domain::IpAddress::parse("127.0.0.1"));
}

TEST_CASE("PX2: a client that says nothing hears the server") {
  Record record;
  Server server("hello", "bye");
  const Proxy proxy = started(record, {"a.x:*", "127.0.0.1:*"});
  Caller caller(proxy);
  caller.say(connect_request(proxy, "a.x:" + server.port()));
  caller.end();
  CHECK(caller.hear() == std::string(kConnected) + "hellobye");
}

TEST_CASE("PX3: what the client sends names the host that it asked for") {
  const std::string hidden = gen::extension(gen::kEncryptedHello, "x");
  const std::string hello = gen::client_hello({gen::server_name("a.x")});
  const std::string get = "GET / HTTP/1.1\r\nHost: a.x\r\n\r\n";
  struct Row {
    std::string said;
    std::string received;
    std::string_view heard;
    std::optional<Refusal> refusal;
  };
  const std::string alert("\x15\x03\x03\x00\x02\x02\x31", 7);
  for (const Row& row : std::vector<Row>{
           {hello + "rest", hello + "rest", "bye", {}},
           {gen::client_hello({gen::server_name("b.x")}), "", alert, Refusal::other_name},
           {gen::client_hello({}), "", alert, Refusal::no_name},
           {gen::client_hello({gen::server_name("a.x"), hidden}), "", alert,
            Refusal::encrypted_name},
           {std::string("\x16\x03\x01\x00\x00", 5), "", alert, Refusal::unreadable},
           {"\x80\x2e\x01\x03", "", alert, Refusal::no_name},
           {get, get, "bye", {}},
           {"GET / HTTP/1.1\r\nHost: b.x\r\n\r\n", "", "HTTP/1.1 403 ", Refusal::other_name},
           {"GET / HTTP/1.1\r\n\r\n", "", "HTTP/1.1 403 ", Refusal::no_name},
           {"GET /\r\n\r\n", "", "HTTP/1.1 403 ", Refusal::unreadable},
           {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "", "HTTP/1.1 403 ", Refusal::unreadable},
       }) {
    CAPTURE(row.said);
    Record record;
    Server server("", "bye");
    const Proxy proxy = started(record, {"a.x:*", "127.0.0.1:*"});
    Caller caller(proxy);
    caller.say(connect_request(proxy, "a.x:" + server.port()));
    CHECK(caller.hear(kConnected.size()) == kConnected);
    caller.say(row.said);
    caller.end();
    CHECK(caller.hear().starts_with(row.heard));
    CHECK(server.received() == with_port(row.received, server.port()));
    REQUIRE(record.connections.size() == 1);
    CHECK(record.connections[0].refusal == row.refusal);
  }
}

TEST_CASE("PX3: every request of a connection names the host") {
  const std::string post = "POST / HTTP/1.1\r\nHost: a.x\r\nContent-Length: 3\r\n\r\nabc";
  const std::string chunked =
      "POST / HTTP/1.1\r\nHost: a.x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (const std::string& last :
       {std::string("GET /last HTTP/1.1\r\nHost: b.x\r\n\r\n"), std::string("\x16\x03\x01")}) {
    Record record;
    Server server("", "");
    const Proxy proxy = started(record, {"a.x:*", "127.0.0.1:*"});
    Caller caller(proxy);
    std::string said = connect_request(proxy, "a.x:" + server.port());
    said.append(post).append(chunked).append(last);
    caller.say(said);
    caller.end();
    static_cast<void>(caller.hear());
    CHECK(server.received() == with_port(post + chunked, server.port()));
  }
}

TEST_CASE("PX1, PX3: plain requests are forwarded, each to the host that it names") {
  Record record;
  Server first("", "one");
  Server second("", "two");
  const Proxy proxy = started(record, {"a.x:*", "127.0.0.1:*"});
  const std::string login =
      "Proxy-Authorization: Basic " + base64("pmg:" + proxy.secret()) + "\r\n";
  const auto get = [&](const std::string& to) {
    return "GET http://" + to + "/p HTTP/1.1\r\nHost: " + to + "\r\n" + login + "\r\n";
  };
  Caller caller(proxy);
  caller.say(get("a.x:" + first.port()));
  caller.say(get("a.x:" + second.port()));
  CHECK(caller.hear(3) == "one");
  caller.end();
  CHECK(caller.hear() == "two");
  CHECK(first.received() == "GET /p HTTP/1.1\r\nHost: a.x:" + first.port() + "\r\n\r\n");
  CHECK(second.received() == "GET /p HTTP/1.1\r\nHost: a.x:" + second.port() + "\r\n\r\n");
  CHECK(record.connections.size() == 2);

  Server third("", "three");
  Caller refused(proxy);
  refused.say(get("a.x:" + third.port()) + get("b.x:80"));
  const std::string answers = refused.hear();
  CHECK(answers.starts_with("threeHTTP/1.1 403 "));
  CHECK(contains(answers, "connection to `b.x:80` refused"));

  Server fourth("", "");
  Caller origin(proxy);
  origin.say(get("a.x:" + fourth.port()) + "GET / HTTP/1.1\r\nHost: b.x\r\n\r\n");
  CHECK(origin.hear().starts_with("HTTP/1.1 403 "));
  CHECK(fourth.received() == "GET /p HTTP/1.1\r\nHost: a.x:" + fourth.port() + "\r\n\r\n");
}

TEST_CASE("PX2: an address of one host is not tried for the next one") {
  Record record;
  Server server("", "one");
  const Proxy proxy = started(record, {"localhost:" + server.port(), "inside.x:*"});
  const std::string login =
      "Proxy-Authorization: Basic " + base64("pmg:" + proxy.secret()) + "\r\n";
  Caller caller(proxy);
  // localhost has two addresses, and the first one answers.
  caller.say("GET http://localhost:" + server.port() +
             "/ HTTP/1.1\r\nHost: localhost:" + server.port() + "\r\n" + login +
             "\r\nGET http://inside.x:1/ HTTP/1.1\r\nHost: inside.x:1\r\n\r\n");
  CHECK(caller.hear().starts_with("oneHTTP/1.1 403 "));
  const std::scoped_lock lock(record.mutex);
  REQUIRE(record.connections.size() == 2);
  CHECK(record.connections[1].address == domain::IpAddress::parse("10.0.0.9"));
}

TEST_CASE("PX3: after an upgrade that the server takes, anything may be said") {
  const std::string head =
      "GET / HTTP/1.1\r\nHost: a.x\r\nConnection: Upgrade\r\nUpgrade: ws\r\n\r\n";
  struct Row {
    std::string_view status;
    std::string_view received;
  };
  for (const Row& row :
       {Row{"HTTP/1.1 101 Switching\r\n\r\n", "\x81\x01x"}, Row{"HTTP/1.1 200 OK\r\n\r\n", ""}}) {
    CAPTURE(row.status);
    Record record;
    Server upgrading(std::string(row.status), "");
    const Proxy proxy = started(record, {"a.x:*", "127.0.0.1:*"});
    Caller caller(proxy);
    caller.say(connect_request(proxy, "a.x:" + upgrading.port()) + head + "\x81\x01x");
    caller.end();
    static_cast<void>(caller.hear());
    CHECK(upgrading.received() == with_port(head, upgrading.port()) + std::string(row.received));
  }
}

TEST_CASE("PX4: only who knows the secret is served") {
  Record record;
  Server server("", "");
  const Proxy proxy = started(record, {"*:*", "127.0.0.1:*"});
  const std::string to = "127.0.0.1:" + server.port();
  const std::string wrong = base64("pmg:" + std::string(64, '0'));
  for (const std::string& headers : {std::string(), "Proxy-Authorization: Basic " + wrong + "\r\n",
                                     "Proxy-Authorization: Bearer " + proxy.secret() + "\r\n",
                                     std::string("Proxy-Authorization: Basic\r\n")}) {
    CAPTURE(headers);
    Caller caller(proxy);
    std::string said = "CONNECT " + to;
    said.append(" HTTP/1.1\r\n").append(headers).append("\r\n");
    caller.say(said);
    CHECK(caller.hear().starts_with("HTTP/1.1 407 "));
  }
  Caller no_login(proxy);
  no_login.say(std::string("\x05\x01\x00", 3));
  CHECK(no_login.hear() == "\x05\xff");
  Caller wrong_login(proxy);
  wrong_login.say(
      "\x05\x01\x02"
      "\x01\x03pmg\x01x");
  CHECK(wrong_login.hear() == std::string("\x05\x02\x01\x01", 4));
  CHECK(server.received().empty());
  CHECK(record.connections.empty());
  CHECK(proxy.secret().size() == 64);
  Record other;
  CHECK(started(other, {}).secret() != proxy.secret());
  CHECK(proxy.url() ==
        "http://pmg:" + proxy.secret() + "@127.0.0.1:" + std::to_string(proxy.port().number()));
}

TEST_CASE("PX1, PX4: SOCKS5 by name") {
  Record record;
  Server server("", "bye");
  const Proxy proxy = started(record, {"a.x:*", "127.0.0.1:*"});
  const auto request = [&proxy](std::string_view name, const std::string& port) {
    return "\x05\x01\x02\x01" + gen::vector("pmg", 1) + gen::vector(proxy.secret(), 1) +
           std::string("\x05\x01\x00\x03", 4) + gen::vector(name, 1) +
           gen::number(std::stoul(port), 2);
  };
  const std::string logged_in("\x05\x02\x01\x00", 4);
  Caller refused(proxy);
  refused.say(request("b.x", server.port()));
  CHECK(refused.hear() == logged_in + std::string("\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00", 10));
  Caller bad(proxy);
  bad.say(request("a b", server.port()));
  CHECK(bad.hear() == logged_in + std::string("\x05\x08\x00\x01\x00\x00\x00\x00\x00\x00", 10));
  Caller caller(proxy);
  caller.say(request("a.x", server.port()) + "*1\r\n");
  caller.end();
  CHECK(caller.hear() ==
        logged_in + std::string("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10) + "bye");
  CHECK(server.received() == "*1\r\n");
}

TEST_CASE("PX1: what is no request is refused") {
  Record record;
  const Proxy proxy = started(record, {"*:*"});
  Caller bad(proxy);
  bad.say("CONNECT a.x:443\r\n\r\n");
  CHECK(bad.hear().starts_with("HTTP/1.1 400 "));
  Caller mismatch(proxy);
  mismatch.say("CONNECT a.x:443 HTTP/1.1\r\nHost: b.x\r\nProxy-Authorization: Basic " +
               base64("pmg:" + proxy.secret()) + "\r\n\r\n");
  CHECK(mismatch.hear().starts_with("HTTP/1.1 400 "));
  CHECK(Proxy::start({}).error() == ProxyErrc::no_policy);
}

TEST_CASE("PX1: a proxy that ends while clients wait ends them") {
  Record record;
  Server server("", "");
  auto proxy = std::make_unique<Proxy>(started(record, {"a.x:*", "127.0.0.1:*"}));
  Caller waiting(*proxy);
  Caller caller(*proxy);
  caller.say(connect_request(*proxy, "a.x:" + server.port()));
  CHECK(caller.hear(kConnected.size()) == kConnected);
  proxy.reset();
  CHECK(caller.hear().empty());
  CHECK(waiting.hear().empty());
}
