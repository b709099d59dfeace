/// Where every generator takes its decisions from: a string of bytes.
///
///   Choices c(bytes);
///   const auto name = c.pick(kNames);      // one of them
///   while (c.one_in(2)) { … }              // ends, since exhausted bytes say no
///
/// An exhausted source answers 0, and 0 is always the simplest value. So deleting or lowering bytes
/// makes a smaller input: one shrinker (gen/holds.hpp) serves all types, and libFuzzer's bytes need
/// no translation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pmg::gen {

class Choices {
 public:
  explicit Choices(std::span<const std::uint8_t> bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] std::uint8_t byte() noexcept {
    if (next_ == bytes_.size()) {
      return 0;
    }
    return bytes_[next_++];
  }

  /// 0 … count-1; `count` is 1 … 256, which is enough for small worlds.
  [[nodiscard]] std::size_t below(std::size_t count) noexcept { return byte() % count; }

  /// True about once in `n`; never when exhausted.
  [[nodiscard]] bool one_in(std::size_t n) noexcept { return below(n) == n - 1; }

  template <class T, std::size_t n>
  [[nodiscard]] const T& pick(const std::array<T, n>& values) noexcept {
    return values[below(n)];
  }

  /// All that is left, for text that no grammar made.
  [[nodiscard]] std::string rest() {
    std::string text(bytes_.begin() + static_cast<std::ptrdiff_t>(next_), bytes_.end());
    next_ = bytes_.size();
    return text;
  }

  /// Collects what a failing property wants to show; costs nothing while no one collects.
  void collect_into(std::string& notes) noexcept { notes_ = &notes; }
  template <class Describe>
  void note(std::string_view label, Describe describe) {
    if (notes_ != nullptr) {
      notes_->append("  ").append(label).append(": ").append(describe()).append("\n");
    }
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
  std::string* notes_ = nullptr;
};

}  // namespace pmg::gen
