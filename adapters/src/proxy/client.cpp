#include "client.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>

#include "adapters/proxy/proxy.hpp"
#include "credentials.hpp"
#include "domain/host.hpp"
#include "domain/http_request.hpp"
#include "domain/network.hpp"
#include "domain/socks.hpp"

namespace pmg::adapters {

using boost::system::error_code;

namespace {

constexpr std::chrono::seconds kLinger{2};

constexpr char kSocksRefused = 2;
constexpr char kSocksBadCommand = 7;
constexpr char kSocksBadAddress = 8;

std::string response(std::string_view status, std::string_view headers, std::string_view body) {
  return "HTTP/1.1 " + std::string(status) + "\r\n" + std::string(headers) +
         "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

}  // namespace

Client::Client(Tcp::socket socket, const Shared& shared)
    : client_(std::move(socket)), upstream_(shared.io), deadline_(shared.io), shared_(shared) {}

void Client::start() {
  start_deadline(kPatience);
  read_then(&Client::on_first_bytes);
}

void Client::start_deadline(std::chrono::seconds patience) {
  deadline_.expires_after(patience);
  deadline_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error) {
      self->close();
    }
  });
}

void Client::read_then(Step step) {
  client_.async_read_some(
      boost::asio::buffer(up_),
      [self = shared_from_this(), step](const error_code& error, std::size_t count) {
        if (error) {
          self->on_end_of_client(error);
          return;
        }
        self->in_.append(self->up_.data(), count);
        (self.get()->*step)();
      });
}

/// A client that has said all may still want the answer.
void Client::on_end_of_client(const error_code& error) {
  const bool is_between = in_.empty() && (!body_ || body_->is_done());
  if (is_tunnel_ && is_between && error == boost::asio::error::eof) {
    end_of(upstream_);
  } else {
    close();
  }
}

void Client::say_then(std::string text, Step step) {
  out_ = std::move(text);
  boost::asio::async_write(client_, boost::asio::buffer(out_),
                           [self = shared_from_this(), step](const error_code& error, std::size_t) {
                             if (error) {
                               self->close();
                               return;
                             }
                             (self.get()->*step)();
                           });
}

void Client::on_first_bytes() {
  constexpr char kSocks = 5;
  if (in_.front() == kSocks) {
    form_ = Form::socks;
    on_greeting();
  } else {
    on_head();
  }
}

void Client::on_greeting() {
  const auto greeting = domain::parse_socks_greeting(in_);
  if (!greeting) {
    say_then("\x05\xff", &Client::linger);
  } else if (!greeting->has_value()) {
    read_then(&Client::on_greeting);
  } else {
    in_.erase(0, (*greeting)->size);
    say_then("\x05\x02", &Client::on_login);
  }
}

void Client::on_login() {
  const auto login = domain::parse_socks_login(in_);
  if (login && !login->has_value()) {
    read_then(&Client::on_login);
    return;
  }
  if (!login || (*login)->user != kProxyUser ||
      !is_same_secret((*login)->password, shared_.secret)) {
    say_then("\x01\x01", &Client::linger);
    return;
  }
  in_.erase(0, (*login)->size);
  say_then(std::string("\x01\x00", 2), &Client::on_socks_request);
}

void Client::on_socks_request() {
  const auto request = domain::parse_socks_request(in_);
  if (!request) {
    fail("", request.error() == domain::SocksErrc::unsupported_command ? kSocksBadCommand
                                                                       : kSocksBadAddress);
  } else if (!request->has_value()) {
    read_then(&Client::on_socks_request);
  } else {
    in_.erase(0, (*request)->size);
    decide((*request)->to);
  }
}

void Client::on_head() {
  const auto head = domain::parse_request_head(in_);
  if (!head) {
    fail(response("400 Bad Request", "", "pmg: this is no request that a proxy takes\n"), 0);
    return;
  }
  if (!head->has_value()) {
    read_then(&Client::on_head);
    return;
  }
  const domain::RequestHead& request = **head;
  const std::string* const login = request.header("Proxy-Authorization");
  if (login == nullptr || !is_authorized(*login, shared_.secret)) {
    fail(
        response("407 Proxy Authentication Required", "Proxy-Authenticate: Basic realm=\"pmg\"\r\n",
                 "pmg: this proxy serves one run only\n"),
        0);
    return;
  }
  auto to = domain::asked_for(request);
  if (!to) {
    fail(response("400 Bad Request", "", "pmg: target and Host name no host, or two\n"), 0);
    return;
  }
  if (request.form == domain::TargetForm::authority) {
    in_.erase(0, request.size);
  } else {
    form_ = Form::forward;  // the request is judged again once there is a server to send it to
  }
  decide(std::move(*to));
}

/// PX1: before any lookup.
void Client::decide(domain::Destination to) {
  const domain::NetDecision decision = domain::decide_connection(*shared_.settings.policy, to);
  connection_ = Connection{std::move(to), {}, decision, {}};
  if (const auto* address = std::get_if<domain::IpAddress>(&connection_->to.host)) {
    connection_->address = *address;
  }
  if (decision.allowed()) {
    look_up();
  } else {
    refuse(Refusal::by_policy);
  }
}

void Client::refuse(Refusal why) {
  connection_->refusal = why;
  shared_.settings.observe(*connection_);
  fail(response("403 Forbidden", "", refusal_text(*shared_.settings.policy, *connection_)),
       kSocksRefused);
}

void Client::fail(const std::string& http, char socks) {
  if (form_ != Form::socks) {
    say_then(http, &Client::linger);
    return;
  }
  std::string reply("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10);
  reply[1] = socks;
  say_then(reply, &Client::linger);
}

/// To close while the client still sends would reset the connection, and it might not see why.
void Client::linger() {
  error_code ignored;
  client_.shutdown(Tcp::socket::shutdown_send, ignored);
  start_deadline(kLinger);
  drain();
}

void Client::drain() {
  client_.async_read_some(boost::asio::buffer(up_),
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                            error ? self->close() : self->drain();
                          });
}

void Client::close() {
  error_code ignored;
  deadline_.cancel();
  client_.shutdown(Tcp::socket::shutdown_both, ignored);
  client_.close(ignored);
  upstream_.close(ignored);
}

}  // namespace pmg::adapters
