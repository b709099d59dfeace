/// Where the body of a request ends, so that the next head is found and judged.
///
///   BodyCounter body(head.body);
///   auto taken = body.take(bytes);   // expected<size_t>; of these bytes so many are of the body
///   if (body.is_done()) { … the next head starts after them … }
///
/// HB1: total and without memory of the bytes; how they are cut changes nothing. What two servers
/// might read in two ways is an error. Source: RFC 9112 section 7.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tl/expected.hpp>

#include "domain/http_request.hpp"

namespace pmg::domain {

enum class BodyErrc : std::uint8_t { bad_chunk };

class BodyCounter {
 public:
  explicit BodyCounter(const BodyLength& length) noexcept;
  [[nodiscard]] bool is_done() const noexcept { return state_ == State::done; }
  /// Stops after the body's last byte. After an error nothing more is taken.
  [[nodiscard]] tl::expected<std::size_t, BodyErrc> take(std::string_view bytes) noexcept;

 private:
  enum class State : std::uint8_t {
    plain,
    size,
    extension,
    size_end,
    data,
    data_cr,
    data_lf,
    line_start,  ///< of a trailer, or of the empty line
    line,
    line_end,
    last_lf,
    done,
    failed,
  };
  [[nodiscard]] State step(char c) noexcept;
  [[nodiscard]] State step_size(char c) noexcept;
  [[nodiscard]] State step_text(char c, State within, State at_end) noexcept;

  State state_ = State::done;
  std::uint64_t left_ = 0;    ///< bytes of the body or of this chunk
  std::size_t digits_ = 0;    ///< of this chunk's length
  std::size_t overhead_ = 0;  ///< bytes of this extension, or of all trailers
};

}  // namespace pmg::domain
