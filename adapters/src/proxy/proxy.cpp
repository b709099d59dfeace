#include "adapters/proxy/proxy.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <tl/expected.hpp>

#include "client.hpp"
#include "credentials.hpp"
#include "domain/host.hpp"
#include "domain/ip_address.hpp"

namespace pmg::adapters {

using boost::system::error_code;

namespace {

domain::IpAddress from_asio(const boost::asio::ip::address& address) {
  return address.is_v4() ? domain::IpAddress::from(address.to_v4().to_bytes())
                         : domain::IpAddress::from(address.to_v6().to_bytes());
}

}  // namespace

class Proxy::Impl {
 public:
  Impl(ProxySettings settings, std::string secret)
      : settings_(std::move(settings)),
        secret_(std::move(secret)),
        resolver_(io_),
        acceptor_(io_),
        pause_(io_),
        shared_{io_, settings_, secret_} {
    if (!settings_.observe) {
      settings_.observe = [](const Connection&) {};
    }
    if (!settings_.resolve) {
      settings_.resolve = [this](const domain::HostName& name, auto done) {
        ask_machine(name, std::move(done));
      };
    }
  }
  Impl(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl& operator=(Impl&&) = delete;
  ~Impl() {
    io_.stop();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  [[nodiscard]] bool listen() {
    error_code error;
    const Tcp::endpoint loopback(boost::asio::ip::address_v4::loopback(), 0);
    acceptor_.open(loopback.protocol(), error);
    if (!error) {
      acceptor_.bind(loopback, error);
    }
    if (!error) {
      acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
    }
    const auto at = error ? Tcp::endpoint() : acceptor_.local_endpoint(error);
    port_ = domain::Port::from(at.port());
    if (error || !port_) {
      return false;
    }
    accept();
    thread_ = std::thread([this] { io_.run(); });
    return true;
  }

  [[nodiscard]] domain::Port port() const noexcept { return *port_; }
  [[nodiscard]] const std::string& secret() const noexcept { return secret_; }

 private:
  void accept() {
    acceptor_.async_accept([this](const error_code& error, Tcp::socket socket) {
      if (!error) {
        std::make_shared<Client>(std::move(socket), shared_)->start();
        accept();
        return;
      }
      // No descriptor is left, perhaps: others end meanwhile.
      pause_.expires_after(std::chrono::milliseconds(20));
      pause_.async_wait([this](const error_code& stopped) {
        if (!stopped) {
          accept();
        }
      });
    });
  }

  void ask_machine(const domain::HostName& name, std::function<void(Addresses)> done) {
    // With a final dot no search domain is tried.
    resolver_.async_resolve(
        name.text() + ".", "",
        [done = std::move(done)](const error_code& error, const Tcp::resolver::results_type& all) {
          Addresses addresses;
          if (!error) {
            for (const auto& entry : all) {
              const auto address = from_asio(entry.endpoint().address());
              if (std::ranges::find(addresses, address) == addresses.end()) {
                addresses.push_back(address);
              }
            }
          }
          done(std::move(addresses));
        });
  }

  ProxySettings settings_;
  std::string secret_;
  boost::asio::io_context io_{1};
  Tcp::resolver resolver_;
  Tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  Shared shared_;
  std::optional<domain::Port> port_;
  std::thread thread_;
};

Proxy::Proxy(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Proxy::Proxy(Proxy&&) noexcept = default;
Proxy& Proxy::operator=(Proxy&&) noexcept = default;
Proxy::~Proxy() = default;

tl::expected<Proxy, ProxyErrc> Proxy::start(ProxySettings settings) {
  if (settings.policy == nullptr) {
    return tl::unexpected(ProxyErrc::no_policy);
  }
  auto secret = make_secret();
  if (!secret) {
    return tl::unexpected(ProxyErrc::no_randomness);
  }
  auto impl = std::make_unique<Impl>(std::move(settings), std::move(*secret));
  if (!impl->listen()) {
    return tl::unexpected(ProxyErrc::cannot_listen);
  }
  return Proxy(std::move(impl));
}

domain::Port Proxy::port() const noexcept { return impl_->port(); }

const std::string& Proxy::secret() const noexcept { return impl_->secret(); }

std::string Proxy::url() const {
  return "http://" + std::string(kProxyUser) + ":" + secret() +
         "@127.0.0.1:" + std::to_string(port().number());
}

}  // namespace pmg::adapters
