#include "domain/http_body.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include <tl/expected.hpp>

#include "dns_name.hpp"
#include "domain/ascii.hpp"
#include "domain/http_request.hpp"
#include "http_text.hpp"

namespace pmg::domain {
namespace {

/// Servers give up at 4 to 16 KiB.
constexpr std::size_t kMaxOverhead = std::size_t{8} * 1024;

}  // namespace

BodyCounter::BodyCounter(const BodyLength& length) noexcept {
  if (const auto* bytes = std::get_if<std::uint64_t>(&length); bytes != nullptr && *bytes > 0) {
    state_ = State::plain;
    left_ = *bytes;
  } else if (std::holds_alternative<Chunked>(length)) {
    state_ = State::size;
  }
}

BodyCounter::State BodyCounter::step_size(char c) noexcept {
  constexpr std::size_t kMaxDigits = 15;  // no overflow, and more than anyone sends
  const char letter = lower(c);
  const bool is_digit = c >= '0' && c <= '9';
  if (is_digit || (letter >= 'a' && letter <= 'f')) {
    const int value = is_digit ? c - '0' : letter - 'a' + 10;
    left_ = left_ << 4U | static_cast<std::uint64_t>(value);
    return ++digits_ > kMaxDigits ? State::failed : State::size;
  }
  if (digits_ == 0) {
    return State::failed;
  }
  if (c == '\r') {
    return State::size_end;
  }
  return c == ';' ? State::extension : State::failed;
}

BodyCounter::State BodyCounter::step_text(char c, State within, State at_end) noexcept {
  if (c == '\r') {
    return at_end;
  }
  return ++overhead_ <= kMaxOverhead && is_field_text({&c, 1}) ? within : State::failed;
}

BodyCounter::State BodyCounter::step(char c) noexcept {
  const auto expect = [c](char wanted, State then) { return c == wanted ? then : State::failed; };
  switch (state_) {
    case State::size:
      return step_size(c);
    case State::extension:
      return step_text(c, State::extension, State::size_end);
    case State::size_end:
      digits_ = 0;
      overhead_ = 0;
      return expect('\n', left_ > 0 ? State::data : State::line_start);
    case State::data_cr:
      return expect('\r', State::data_lf);
    case State::data_lf:
      return expect('\n', State::size);
    case State::line_start:
      // A line that starts with a blank goes on from the one before.
      return c == ' ' || c == '\t' ? State::failed : step_text(c, State::line, State::last_lf);
    case State::line:
      return step_text(c, State::line, State::line_end);
    case State::line_end:
      return expect('\n', State::line_start);
    case State::last_lf:
      return expect('\n', State::done);
    case State::plain:
    case State::data:
    case State::done:
    case State::failed:
      return State::failed;
  }
  return State::failed;
}

tl::expected<std::size_t, BodyErrc> BodyCounter::take(std::string_view bytes) noexcept {
  std::size_t taken = 0;
  while (taken < bytes.size() && state_ != State::done && state_ != State::failed) {
    if (state_ != State::plain && state_ != State::data) {
      state_ = step(bytes[taken++]);
      continue;
    }
    const std::uint64_t piece = std::min<std::uint64_t>(left_, bytes.size() - taken);
    taken += piece;
    left_ -= piece;
    if (left_ == 0) {
      state_ = state_ == State::plain ? State::done : State::data_cr;
    }
  }
  return state_ == State::failed
             ? tl::expected<std::size_t, BodyErrc>(tl::unexpected(BodyErrc::bad_chunk))
             : taken;
}

}  // namespace pmg::domain
