/// The head of an HTTP/1.x request, read in the one way that all servers read it, or not at all.
///
///   auto head = parse_request_head(bytes);       // expected<optional<RequestHead>>
///   if (head && *head) { asked_for(**head); }    // the host that it names
///   std::string out = to_origin_form(**head, destination);
///
/// HR1: total and bounded; what two servers might read in two ways is an error (bare CR or LF,
/// folded lines, spaces before a colon, two lengths, two hosts). HR2: target and Host name the same
/// host. Not for: bodies (http_body.hpp), responses, HTTP/2. Sources: RFC 9110, RFC 9112.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "domain/host.hpp"

namespace pmg::domain {

/// Servers take 8 to 64 KiB; cookies and tokens are the reason.
inline constexpr std::size_t kMaxRequestHead = std::size_t{64} * 1024;
inline constexpr std::size_t kMaxHeaders = 256;

enum class HttpErrc : std::uint8_t {
  too_long,
  bad_request_line,
  bad_version,  ///< HTTP/2 without TLS, HTTP/0.9
  bad_target,   ///< no `/path`, `http://host/path`, `host:port` or `*` where it belongs
  bad_header,
  bad_host,       ///< Host is no host, or is there twice
  no_host,        ///< neither target nor Host names one
  host_mismatch,  ///< HR2
  bad_length,     ///< Content-Length and Transfer-Encoding that do not say one thing
};

struct HttpHeader {
  std::string name;   ///< as written
  std::string value;  ///< without blanks around it
  friend bool operator==(const HttpHeader&, const HttpHeader&) = default;
};

enum class HttpVersion : std::uint8_t { v1_0, v1_1 };
/// `authority`: CONNECT. `absolute`: to a proxy. `origin`: to a server, also `*`.
enum class TargetForm : std::uint8_t { origin, absolute, authority };

struct NoBody {
  friend bool operator==(const NoBody&, const NoBody&) = default;
};
struct Chunked {
  friend bool operator==(const Chunked&, const Chunked&) = default;
};
/// What follows the head; a number is its length in bytes.
using BodyLength = std::variant<NoBody, std::uint64_t, Chunked>;

/// To another protocol on the same connection, such as WebSocket. HTTP/2 (`h2c`) does not count:
/// its requests could name other hosts.
enum class Upgrade : std::uint8_t { none, asked };

struct RequestHead {
  std::string method;
  TargetForm form = TargetForm::origin;
  std::string path;                   ///< with the query; of an absolute target without the host
  std::optional<Destination> target;  ///< of the other two forms
  std::optional<Destination> host;    ///< the Host header; port 80 where it names none
  HttpVersion version = HttpVersion::v1_1;
  std::vector<HttpHeader> headers;
  BodyLength body;
  Upgrade upgrade = Upgrade::none;
  std::size_t size = 0;  ///< bytes up to and with the empty line

  /// Of the first header with this name, in any case. Null for none.
  [[nodiscard]] const std::string* header(std::string_view name) const noexcept;
  friend bool operator==(const RequestHead&, const RequestHead&) = default;
};

/// Nothing: more bytes are needed.
[[nodiscard]] tl::expected<std::optional<RequestHead>, HttpErrc> parse_request_head(
    std::string_view bytes);

/// HR2: the destination that the request names, for a proxy.
[[nodiscard]] tl::expected<Destination, HttpErrc> asked_for(const RequestHead& head);
/// HR2: does a request within a connection to `to` name this host? A port that it names must be the
/// same one. Nothing: it does.
[[nodiscard]] std::optional<HttpErrc> check_host(const RequestHead& head, const Destination& to);

/// HR3: the request as a server gets it: path, Host of `to`, and no header that is for a proxy;
/// Upgrade only where `head.upgrade` says so.
[[nodiscard]] std::string to_origin_form(const RequestHead& head, const Destination& to);

}  // namespace pmg::domain
