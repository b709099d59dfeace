/// One connection of a client: greeting, decision, and the bytes both ways.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include "adapters/proxy/proxy.hpp"
#include "domain/host.hpp"
#include "domain/http_body.hpp"
#include "domain/http_request.hpp"

namespace pmg::adapters {

using Tcp = boost::asio::ip::tcp;

/// What all connections of a proxy share. Outlives them.
struct Shared {
  boost::asio::io_context& io;
  const ProxySettings& settings;
  const std::string& secret;
};

/// The first bytes of an answer, and whether the request is sent completely.
struct Status {
  std::string text;
  bool is_request_sent = false;
};

class Client : public std::enable_shared_from_this<Client> {
 public:
  Client(Tcp::socket socket, const Shared& shared);
  void start();

 private:
  /// How the client asked, and so how it is answered.
  enum class Form : std::uint8_t { connect, socks, forward };
  using Step = void (Client::*)();

  // client.cpp: until the destination is known
  void read_then(Step step);
  void say_then(std::string text, Step step);
  void on_first_bytes();
  void on_greeting();
  void on_login();
  void on_socks_request();
  void on_head();
  void decide(domain::Destination to);
  void refuse(Refusal why);
  void fail(const std::string& http, char socks);
  void on_end_of_client(const boost::system::error_code& error);
  void linger();
  void drain();
  void start_deadline(std::chrono::seconds patience);
  void close();

  // upstream.cpp: the lookup and the connection
  void look_up();
  void judge(const Addresses& addresses);
  void connect_next();
  void on_connected();

  // tunnel.cpp: the bytes both ways
  void on_tunnel();
  void judge_opening();
  void judge_tls();
  void judge_request();
  [[nodiscard]] std::optional<domain::HttpErrc> error_of(const domain::RequestHead& head) const;
  void send_request(domain::RequestHead head);
  void send_body();
  void switch_to(domain::Destination to);
  void on_switched();
  void on_status();
  void refuse_within(Refusal why, std::string last_words);
  void pump_up();
  void pump_down();
  void end_of(Tcp::socket& to);

  /// Until the tunnel stands. A slow name server may take most of it.
  static constexpr std::chrono::seconds kPatience{60};
  /// What a server has to finish in when the client goes elsewhere.
  static constexpr std::chrono::seconds kDrain{10};
  static constexpr std::size_t kPiece = std::size_t{32} * 1024;

  Tcp::socket client_;
  Tcp::socket upstream_;
  boost::asio::steady_timer deadline_;
  const Shared& shared_;
  Form form_ = Form::connect;
  std::string in_;   ///< of the client, not yet sent on
  std::string out_;  ///< being written to the client, or upstream
  std::optional<Connection> connection_;
  Addresses left_;                           ///< allowed ones that were not tried
  std::optional<domain::BodyCounter> body_;  ///< of the last request to this server
  std::optional<domain::Destination> next_;  ///< where the client goes once this server is done
  std::optional<Status> status_;             ///< while the answer to an upgrade is awaited
  bool is_tunnel_ = false;
  bool is_half_closed_ = false;
  bool has_answered_ = false;  ///< bytes of the server went to the client
  std::array<char, kPiece> up_{};
  std::array<char, kPiece> down_{};
};

}  // namespace pmg::adapters
