// From a name that may be asked for to a connection.
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include "adapters/proxy/proxy.hpp"
#include "client.hpp"
#include "domain/host.hpp"
#include "domain/ip_address.hpp"
#include "domain/network.hpp"

namespace pmg::adapters {
namespace {

using boost::system::error_code;

constexpr char kSocksUnreachable = 4;

boost::asio::ip::address to_asio(const domain::IpAddress& address) {
  if (!address.is_v4()) {
    return boost::asio::ip::address_v6(address.bytes());
  }
  const auto& bytes = address.bytes();
  return boost::asio::ip::address_v4({bytes[0], bytes[1], bytes[2], bytes[3]});
}

std::string gateway_error(const char* what) {
  return "HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: 0\r\nX-Pmg: " +
         std::string(what) + "\r\n\r\n";
}

}  // namespace

/// PX2: once; the answer is what is connected to.
void Client::look_up() {
  const auto* const name = std::get_if<domain::HostName>(&connection_->to.host);
  if (name == nullptr) {
    left_ = {*std::get_if<domain::IpAddress>(&connection_->to.host)};
    connect_next();
    return;
  }
  // A name server has no say in what this machine is (RFC 6761 section 6.3).
  if (name->is_localhost()) {
    judge({*domain::IpAddress::parse("127.0.0.1"), *domain::IpAddress::parse("::1")});
    return;
  }
  shared_.settings.resolve(
      *name, [self = shared_from_this()](const Addresses& addresses) { self->judge(addresses); });
}

void Client::judge(const Addresses& addresses) {
  if (addresses.empty()) {
    fail(gateway_error("the name has no address"), kSocksUnreachable);
    return;
  }
  Addresses allowed;
  for (const auto& address : addresses) {
    const auto decision =
        domain::decide_address(*shared_.settings.policy, connection_->to, address);
    if (decision.allowed()) {
      allowed.push_back(address);
    } else if (allowed.empty()) {
      connection_->address = address;
      connection_->decision = decision;
    }
  }
  // Replaces what is left of the host before, if there was one.
  left_ = std::move(allowed);
  if (left_.empty()) {
    refuse(Refusal::by_policy);
    return;
  }
  connection_->decision = domain::decide_connection(*shared_.settings.policy, connection_->to);
  connect_next();
}

void Client::connect_next() {
  if (left_.empty() || !client_.is_open()) {
    fail(gateway_error("no address answers"), kSocksUnreachable);
    return;
  }
  connection_->address = left_.front();
  left_.erase(left_.begin());
  const Tcp::endpoint endpoint(to_asio(*connection_->address), connection_->to.port.number());
  error_code ignored;
  upstream_.close(ignored);
  upstream_.async_connect(endpoint, [self = shared_from_this()](const error_code& error) {
    if (error) {
      self->connect_next();
    } else {
      self->on_connected();
    }
  });
}

void Client::on_connected() {
  error_code ignored;
  client_.set_option(Tcp::no_delay(true), ignored);
  upstream_.set_option(Tcp::no_delay(true), ignored);
  if (form_ == Form::forward) {
    on_tunnel();
    return;
  }
  say_then(form_ == Form::connect ? std::string("HTTP/1.1 200 Connection established\r\n\r\n")
                                  : std::string("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10),
           &Client::on_tunnel);
}

}  // namespace pmg::adapters
