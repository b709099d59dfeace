// What clients send first: TLS, HTTP, SOCKS5.
#include "gen/wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "domain/client_hello.hpp"
#include "domain/host.hpp"
#include "domain/http_body.hpp"
#include "domain/http_request.hpp"
#include "domain/opening.hpp"
#include "domain/socks.hpp"
#include "gen/choices.hpp"
#include "gen/holds.hpp"
#include "props/properties.hpp"

namespace pmg::props {

using namespace domain;

namespace {

/// Of whatever length, from nothing to all.
std::string_view prefix(gen::Choices& c, std::string_view text) {
  return text.substr(0, (c.below(256) * 256 + c.below(256)) % (text.size() + 1));
}

std::string in_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 0xfU];
  }
  return out;
}

/// What was parsed of a prefix is still so with more bytes.
template <class Parse>
bool prefixes_agree(std::string_view text, std::string_view begin, Parse parse) {
  const auto early = parse(begin);
  const auto late = parse(text);
  if (!early) {
    return !late;
  }
  if (!early->has_value()) {
    return true;
  }
  return late && late->has_value() && (*early)->size == (*late)->size &&
         (*late)->size <= begin.size();
}

}  // namespace

/// How a message is cut into records and pieces changes nothing; what is accepted is TLS.
bool hello_pieces_change_nothing(gen::Choices& c) {
  const std::string message = gen::hello_near(c);
  const std::string bytes = gen::in_records(c, message);
  const std::string_view begin = prefix(c, bytes);
  c.note("bytes", [&] { return in_hex(bytes); });
  const auto whole = parse_client_hello(gen::as_bytes(gen::record(message)));
  const auto cut = parse_client_hello(gen::as_bytes(bytes));
  const auto early = parse_client_hello(gen::as_bytes(begin));
  if (!early) {
    return !cut;
  }
  if (early->has_value() && (!cut || *cut != *early)) {
    return false;
  }
  const bool is_read = cut && cut->has_value();
  if (is_read && classify_opening(bytes) != Opening::tls) {
    return false;
  }
  // A record of its own may say too much where smaller ones say it later, and the other way round
  // never.
  return message.empty() || !whole || !whole->has_value() || (is_read && *cut == *whole);
}

/// A name that passes is the one asked for, and nothing is hidden.
bool hello_names_what_was_asked(gen::Choices& c) {
  const std::string bytes = gen::record(gen::hello_near(c));
  const auto hello = parse_client_hello(gen::as_bytes(bytes));
  c.note("bytes", [&] { return in_hex(bytes); });
  const Host asked = *parse_host(c.one_in(3) ? "1.2.3.4" : "a.x");
  if (!hello || !hello->has_value() || check_name(asked, **hello)) {
    return true;
  }
  const auto& name = (*hello)->server_name;
  const bool is_asked = name ? Host(*name) == asked : asked == *parse_host("1.2.3.4");
  return is_asked && (*hello)->inner == InnerHello::absent;
}

/// A request that is read is read the same way as a server gets it, and is HTTP from its first
/// byte.
bool requests_survive_forwarding(gen::Choices& c) {
  const std::string text = gen::request_text(c);
  const std::string_view begin = prefix(c, text);
  c.note("text", [&] { return std::string(text); });
  if (!prefixes_agree(text, begin, parse_request_head)) {
    return false;
  }
  const auto head = parse_request_head(text);
  if (!head || !head->has_value()) {
    return true;
  }
  if (classify_opening(text) != Opening::http) {
    return false;
  }
  const auto to = asked_for(**head);
  if (!to || (*head)->form == TargetForm::authority) {
    return true;
  }
  const auto again = parse_request_head(to_origin_form(**head, *to));
  return again && again->has_value() && (*again)->form == TargetForm::origin &&
         (*again)->host == *to && (*again)->method == (*head)->method &&
         (*again)->path == (*head)->path && (*again)->body == (*head)->body &&
         (*again)->version == (*head)->version && (*again)->upgrade == (*head)->upgrade &&
         !check_host(**again, *to) && (*again)->header("Proxy-Authorization") == nullptr;
}

/// However a body is cut, it ends at the same byte or fails.
bool body_pieces_change_nothing(gen::Choices& c) {
  const std::string text = gen::chunked_body(c);
  c.note("text", [&] { return std::string(text); });
  const BodyLength length = c.one_in(3) ? BodyLength(std::uint64_t{c.byte()}) : Chunked{};
  BodyCounter at_once(length);
  const auto whole = at_once.take(text);
  BodyCounter in_pieces(length);
  std::size_t total = 0;
  while (total < text.size() && !in_pieces.is_done()) {
    const std::string_view rest = std::string_view(text).substr(total);
    const std::string_view piece = rest.substr(0, 1 + c.byte() % 3);
    const auto taken = in_pieces.take(piece);
    if (!taken) {
      return !whole;
    }
    if (*taken != piece.size() && !in_pieces.is_done()) {
      return false;
    }
    total += *taken;
  }
  return whole && *whole == total && at_once.is_done() == in_pieces.is_done();
}

/// More bytes do not change what was read; a host that is read prints as it parses.
bool socks_messages_end_once(gen::Choices& c) {
  const std::string text = gen::socks_text(c);
  const std::string_view begin = prefix(c, text);
  c.note("bytes", [&] { return in_hex(text); });
  const auto request = parse_socks_request(text);
  if (request && request->has_value() &&
      Destination::parse((*request)->to.text()) != (*request)->to) {
    return false;
  }
  return prefixes_agree(text, begin, parse_socks_greeting) &&
         prefixes_agree(text, begin, parse_socks_login) &&
         prefixes_agree(text, begin, parse_socks_request);
}

/// What an opening was taken for stays so.
bool openings_are_decided_once(gen::Choices& c) {
  std::string text;
  switch (c.below(4)) {
    case 0:
      text = gen::request_text(c);
      break;
    case 1:
      text = gen::record(gen::hello_near(c));
      break;
    case 2:
      text = gen::socks_text(c);
      break;
    default:
      text = c.rest();
      break;
  }
  const std::string_view begin = prefix(c, text);
  c.note("bytes", [&] { return in_hex(text); });
  const Opening early = classify_opening(begin);
  return early == Opening::undecided || early == classify_opening(text);
}

}  // namespace pmg::props

using namespace pmg::props;

TEST_CASE("TL1, TL2: pieces of a ClientHello change nothing") {
  CHECK_HOLDS_OFTEN(hello_pieces_change_nothing);
}
TEST_CASE("TL3: a ClientHello names what was asked for") {
  CHECK_HOLDS_OFTEN(hello_names_what_was_asked);
}
TEST_CASE("HR1, HR2, HR3: requests survive forwarding") {
  CHECK_HOLDS_OFTEN(requests_survive_forwarding);
}
TEST_CASE("HB1: pieces of a body change nothing") { CHECK_HOLDS_OFTEN(body_pieces_change_nothing); }
TEST_CASE("SK1: messages of SOCKS end once") { CHECK_HOLDS_OFTEN(socks_messages_end_once); }
TEST_CASE("OP1: openings are decided once") { CHECK_HOLDS_OFTEN(openings_are_decided_once); }
