/// The one way out of the sandbox: a proxy on loopback that judges every connection by host name.
///
///   auto proxy = Proxy::start({.policy = policy, .observe = record});   // expected<Proxy, …>
///   proxy->url();            // http://pmg:<secret>@127.0.0.1:<port>, for HTTP_PROXY
///   …                        // ends with the value
///
/// It speaks CONNECT, SOCKS5 and plain HTTP, to programs that know the secret of this run. PX1:
/// nothing is sent upstream, and no name is looked up, before the policy allowed the host and port.
/// PX2: the name is looked up once, here, and the connection goes to an address of the answer that
/// the policy allows. PX3: no byte of the client goes upstream before TLS or HTTP, if that is what
/// it speaks, named the same host. PX4: without the secret of the run nothing is done. Not for:
/// breaking TLS open.
///
/// One thread serves all connections; `observe` and `resolve` are called on it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "domain/host.hpp"
#include "domain/ip_address.hpp"
#include "domain/network.hpp"

namespace pmg::adapters {

enum class Refusal : std::uint8_t {
  by_policy,       ///< `decision` says which rule
  no_name,         ///< TLS without a server name, a plain request without Host
  other_name,      ///< TLS or a plain request names another host than asked for
  encrypted_name,  ///< TLS may hide another name
  unreadable,      ///< neither way of reading it is safe
};

/// One answer of the proxy, for the record.
struct Connection {
  domain::Destination to;
  std::optional<domain::IpAddress> address;  ///< the one that was judged last
  domain::NetDecision decision;
  std::optional<Refusal> refusal;  ///< nothing: it was let through
};

using Observe = std::function<void(const Connection&)>;
using Addresses = std::vector<domain::IpAddress>;
/// Calls back once with all addresses, or with none. May do so at once.
using Resolve = std::function<void(const domain::HostName&, std::function<void(Addresses)>)>;

struct ProxySettings {
  std::shared_ptr<const domain::NetworkPolicy> policy;
  Observe observe;
  Resolve resolve;  ///< empty: the resolver of the machine
};

enum class ProxyErrc : std::uint8_t { no_policy, no_randomness, cannot_listen };

class Proxy {
 public:
  /// Listens on 127.0.0.1, on a port of the kernel's choice.
  [[nodiscard]] static tl::expected<Proxy, ProxyErrc> start(ProxySettings settings);
  Proxy(Proxy&&) noexcept;
  Proxy& operator=(Proxy&&) noexcept;
  /// Ends all connections.
  ~Proxy();

  [[nodiscard]] domain::Port port() const noexcept;
  /// 64 hexadecimal digits; new for each proxy.
  [[nodiscard]] const std::string& secret() const noexcept;
  /// With the user `pmg` and the secret.
  [[nodiscard]] std::string url() const;

 private:
  class Impl;
  explicit Proxy(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

/// What a client is told: what was refused, why, and the command that allows it.
[[nodiscard]] std::string refusal_text(const domain::NetworkPolicy& policy,
                                       const Connection& connection);

}  // namespace pmg::adapters
