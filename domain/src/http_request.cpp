#include "domain/http_request.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <tl/expected.hpp>

#include "domain/host.hpp"
#include "http_text.hpp"

namespace pmg::domain {
namespace {

using Failure = std::optional<HttpErrc>;

std::string_view take_until(std::string_view& text, std::string_view mark) noexcept {
  const std::size_t end = text.find(mark);
  const std::string_view out = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + mark.size());
  return out;
}

/// No control character, space or fragment. Bytes above ASCII occur in paths.
bool is_target_text(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > ' ' && byte != 0x7f && c != '#';
  });
}

Failure read_absolute(std::string_view text, RequestHead& head) {
  const std::size_t end = text.find_first_of("/?");
  auto to = Destination::parse(text.substr(0, end), *Port::from(kHttpPort));
  if (!to) {
    return HttpErrc::bad_target;
  }
  head.form = TargetForm::absolute;
  head.target = std::move(*to);
  const std::string_view path = end == std::string_view::npos ? "" : text.substr(end);
  head.path = path.starts_with('/') ? std::string(path) : "/" + std::string(path);
  return std::nullopt;
}

Failure read_target(std::string_view text, RequestHead& head) {
  constexpr std::string_view kHttp = "http://";
  if (!is_target_text(text)) {
    return HttpErrc::bad_target;
  }
  if (head.method == "CONNECT") {
    auto to = Destination::parse(text);
    if (!to) {
      return HttpErrc::bad_target;
    }
    head.form = TargetForm::authority;
    head.target = std::move(*to);
    return std::nullopt;
  }
  if (same_word(text.substr(0, kHttp.size()), kHttp)) {
    return read_absolute(text.substr(kHttp.size()), head);
  }
  if (!text.starts_with('/') && !(text == "*" && head.method == "OPTIONS")) {
    return HttpErrc::bad_target;
  }
  head.path = text;
  return std::nullopt;
}

Failure read_request_line(std::string_view line, RequestHead& head) {
  constexpr std::size_t kMaxMethod = 32;
  const std::string_view method = take_until(line, " ");
  const std::string_view target = take_until(line, " ");
  const bool has_digit_first = !method.empty() && method[0] >= '0' && method[0] <= '9';
  if (!is_token(method) || method.size() > kMaxMethod || has_digit_first) {
    return HttpErrc::bad_request_line;
  }
  if (line != "HTTP/1.1" && line != "HTTP/1.0") {
    return HttpErrc::bad_version;
  }
  head.method = method;
  head.version = line == "HTTP/1.1" ? HttpVersion::v1_1 : HttpVersion::v1_0;
  return read_target(target, head);
}

Failure read_length(const std::string& value, RequestHead& head) {
  constexpr std::size_t kMaxDigits = 18;
  if (value.empty() || value.size() > kMaxDigits || !std::holds_alternative<NoBody>(head.body)) {
    return HttpErrc::bad_length;
  }
  std::uint64_t length = 0;
  for (const char c : value) {
    if (c < '0' || c > '9') {
      return HttpErrc::bad_length;
    }
    length = length * 10 + static_cast<std::uint64_t>(c - '0');
  }
  head.body = length;
  return std::nullopt;
}

Failure read_encoding(const std::string& value, RequestHead& head) {
  if (!same_word(value, "chunked") || head.version == HttpVersion::v1_0 ||
      !std::holds_alternative<NoBody>(head.body)) {
    return HttpErrc::bad_length;
  }
  head.body = Chunked{};
  return std::nullopt;
}

Failure read_host(const std::string& value, RequestHead& head) {
  auto host = Destination::parse(value, *Port::from(kHttpPort));
  if (!host || head.host) {
    return HttpErrc::bad_host;
  }
  head.host = std::move(*host);
  return std::nullopt;
}

/// A header that is named here is for the next hop only. What says where a request goes and where
/// it ends is for all.
Failure read_connection(std::string_view value, RequestHead& head) {
  while (!value.empty()) {
    const std::string_view option = trimmed(take_until(value, ","));
    if (same_word(option, "host") || same_word(option, "content-length") ||
        same_word(option, "transfer-encoding")) {
      return HttpErrc::bad_header;
    }
    if (same_word(option, "upgrade")) {
      head.upgrade = Upgrade::asked;
    }
  }
  return std::nullopt;
}

Failure read_header(std::string_view line, RequestHead& head) {
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || !is_token(name) || !is_field_text(line) ||
      head.headers.size() == kMaxHeaders) {
    return HttpErrc::bad_header;
  }
  head.headers.push_back({std::string(name), std::string(trimmed(line.substr(colon + 1)))});
  const std::string& value = head.headers.back().value;
  if (same_word(name, "host")) {
    return read_host(value, head);
  }
  if (same_word(name, "content-length")) {
    return read_length(value, head);
  }
  if (same_word(name, "transfer-encoding")) {
    return read_encoding(value, head);
  }
  return same_word(name, "connection") ? read_connection(value, head) : std::nullopt;
}

/// Lines end in CR LF, and neither is anywhere else.
bool has_bare_end(std::string_view lines) noexcept {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] == '\n') {
      return true;
    }
    if (lines[i] == '\r') {
      ++i;
      if (i < lines.size() && lines[i] != '\n') {
        return true;
      }
    }
  }
  return false;
}

/// `h2c`, `HTTP/2.0`, also within a list.
bool may_be_http2(std::string_view protocols) noexcept {
  return protocols.find(',') != std::string_view::npos || same_word(protocols.substr(0, 2), "h2") ||
         same_word(protocols.substr(0, 4), "http");
}

tl::expected<RequestHead, HttpErrc> read_lines(std::string_view lines) {
  RequestHead head;
  Failure failure = read_request_line(take_until(lines, "\r\n"), head);
  while (!failure && !lines.empty()) {
    failure = read_header(take_until(lines, "\r\n"), head);
  }
  if (failure) {
    return tl::unexpected(*failure);
  }
  const std::string* const protocol = head.header("Upgrade");
  if (protocol == nullptr || may_be_http2(*protocol)) {
    head.upgrade = Upgrade::none;
  }
  return head;
}

bool is_for_proxies(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 3> kNames{"host", "proxy-authorization",
                                                   "proxy-connection"};
  return std::ranges::any_of(kNames, [name](auto other) { return same_word(name, other); });
}

}  // namespace

const std::string* RequestHead::header(std::string_view name) const noexcept {
  const auto found = std::ranges::find_if(
      headers, [name](const auto& each) { return same_word(each.name, name); });
  return found == headers.end() ? nullptr : &found->value;
}

tl::expected<std::optional<RequestHead>, HttpErrc> parse_request_head(std::string_view bytes) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const std::size_t end = bytes.substr(0, kMaxRequestHead).find(kEnd);
  if (has_bare_end(bytes.substr(0, std::min(end, kMaxRequestHead)))) {
    return tl::unexpected(HttpErrc::bad_request_line);
  }
  if (end == std::string_view::npos) {
    return bytes.size() < kMaxRequestHead
               ? tl::expected<std::optional<RequestHead>, HttpErrc>(std::nullopt)
               : tl::unexpected(HttpErrc::too_long);
  }
  return read_lines(bytes.substr(0, end)).map([end, kEnd](RequestHead head) {
    head.size = end + kEnd.size();
    return std::optional(std::move(head));
  });
}

tl::expected<Destination, HttpErrc> asked_for(const RequestHead& head) {
  if (!head.target) {
    return tl::unexpected(HttpErrc::bad_target);
  }
  // CONNECT names its port; what its Host says of the port is of no use.
  const bool is_same =
      !head.host || (head.form == TargetForm::authority ? head.host->host == head.target->host
                                                        : *head.host == *head.target);
  return is_same ? tl::expected<Destination, HttpErrc>(*head.target)
                 : tl::unexpected(HttpErrc::host_mismatch);
}

std::optional<HttpErrc> check_host(const RequestHead& head, const Destination& to) {
  if (head.form == TargetForm::authority) {
    return HttpErrc::bad_target;
  }
  if (!head.host) {
    return HttpErrc::no_host;
  }
  const Port http = *Port::from(kHttpPort);
  const auto names_it = [&](const Destination& named) {
    return named.host == to.host && (named.port == to.port || named.port == http);
  };
  const bool is_same = names_it(*head.host) && (!head.target || names_it(*head.target));
  return is_same ? std::nullopt : std::optional(HttpErrc::host_mismatch);
}

std::string to_origin_form(const RequestHead& head, const Destination& to) {
  std::string out = head.method + " " + head.path;
  out += head.version == HttpVersion::v1_1 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n";
  out += "Host: " + (to.port.number() == kHttpPort ? to_text(to.host) : to.text()) + "\r\n";
  for (const HttpHeader& header : head.headers) {
    const bool is_dropped = head.upgrade == Upgrade::none && same_word(header.name, "upgrade");
    if (!is_dropped && !is_for_proxies(header.name)) {
      out += header.name + ": " + header.value + "\r\n";
    }
  }
  return out + "\r\n";
}

}  // namespace pmg::domain
