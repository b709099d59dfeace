#include "adapters/yaml/compact_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/yaml/yaml_node.hpp"

namespace pmg::adapters {

namespace {

constexpr std::uint32_t kNumberBits = 7;
constexpr std::uint32_t kMoreFollow = 1U << kNumberBits;
constexpr std::uint32_t kNumberMask = kMoreFollow - 1;

void put_number(std::string& out, std::size_t number) {
  for (; number >= kMoreFollow; number >>= kNumberBits) {
    out += static_cast<char>(kMoreFollow | (number & kNumberMask));
  }
  out += static_cast<char>(number);
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

void put_mark(std::string& out, const Mark& mark) {
  put_number(out, mark.line);
  put_number(out, mark.column);
}

void put_node(std::string& out, const YamlNode& node) {
  out += static_cast<char>(node.kind);
  out += static_cast<char>(node.style);
  put_mark(out, node.mark);
  switch (node.kind) {
    case YamlKind::null:
      return;
    case YamlKind::scalar:
      put_text(out, node.text);
      return;
    case YamlKind::sequence:
      put_number(out, node.items.size());
      for (const YamlNode& item : node.items) {
        put_node(out, item);
      }
      return;
    case YamlKind::mapping:
      put_number(out, node.entries.size());
      for (const YamlEntry& entry : node.entries) {
        put_text(out, entry.key);
        put_mark(out, entry.key_mark);
        put_node(out, entry.value);
      }
      return;
  }
}

bool has_duplicate_key(const std::vector<YamlEntry>& entries) {
  std::vector<std::string_view> keys;
  keys.reserve(entries.size());
  for (const YamlEntry& entry : entries) {
    keys.emplace_back(entry.key);
  }
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) != keys.end();
}

/// Reads from the front. The first offence is kept; every read after it gives zero or nothing.
class Reader {
 public:
  explicit Reader(std::string_view bytes) noexcept : bytes_(bytes) {}

  tl::expected<YamlNode, CompactError> read() {
    YamlNode root;
    read_node(root, 0);
    if (!has_failed_ && left() != 0) {
      fail(CompactErrc::trailing);
    }
    if (has_failed_) {
      return tl::unexpected(error_);
    }
    return root;
  }

 private:
  void fail(CompactErrc code) noexcept {
    if (!has_failed_) {
      error_ = {code, at_};
      has_failed_ = true;
    }
    at_ = bytes_.size();
  }

  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size() - at_; }

  std::uint8_t byte() noexcept {
    if (left() == 0) {
      fail(CompactErrc::cut_off);
      return 0;
    }
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }

  std::uint32_t number() noexcept {
    std::uint64_t value = 0;
    for (int shift = 0; shift < std::numeric_limits<std::uint32_t>::digits;
         shift += static_cast<int>(kNumberBits)) {
      const std::uint8_t next = byte();
      value |= static_cast<std::uint64_t>(next & kNumberMask) << shift;
      if ((next & kMoreFollow) != 0) {
        continue;
      }
      if (value > std::numeric_limits<std::uint32_t>::max()) {
        break;
      }
      return static_cast<std::uint32_t>(value);
    }
    fail(CompactErrc::bad_number);
    return 0;
  }

  /// Of things that have at least a byte each, so never more than there are bytes left.
  std::uint32_t count() noexcept {
    const std::uint32_t value = number();
    if (value > left()) {
      fail(CompactErrc::cut_off);
      return 0;
    }
    return value;
  }

  std::string text() {
    const std::uint32_t size = count();
    std::string out(bytes_.substr(at_, size));
    at_ += size;
    return out;
  }

  Mark mark() noexcept {
    const std::uint32_t line = number();
    return {line, number()};
  }

  void read_node(YamlNode& out, std::size_t depth) {
    const std::uint8_t kind = byte();
    const std::uint8_t style = byte();
    if (kind > static_cast<std::uint8_t>(YamlKind::mapping) ||
        style > static_cast<std::uint8_t>(ScalarStyle::folded)) {
      return fail(CompactErrc::bad_kind);
    }
    if (++nodes_ > kMaxYamlNodes) {
      return fail(CompactErrc::too_many);
    }
    out.kind = static_cast<YamlKind>(kind);
    out.style = static_cast<ScalarStyle>(style);
    out.mark = mark();
    switch (out.kind) {
      case YamlKind::null:
        return;
      case YamlKind::scalar:
        out.text = text();
        return;
      case YamlKind::sequence:
        return read_items(out, depth + 1);
      case YamlKind::mapping:
        return read_entries(out, depth + 1);
    }
  }

  /// How many children there are to read; none where that would be too deep. A false count must not
  /// cost more memory than the nodes that there may be.
  std::size_t children(std::size_t depth) noexcept {
    if (depth > kMaxYamlDepth) {
      fail(CompactErrc::too_deep);
      return 0;
    }
    const std::size_t size = count();
    if (size > kMaxYamlNodes) {
      fail(CompactErrc::too_many);
      return 0;
    }
    return size;
  }

  void read_items(YamlNode& out, std::size_t depth) {
    const std::size_t size = children(depth);
    out.items.reserve(size);
    while (out.items.size() < size && !has_failed_) {
      read_node(out.items.emplace_back(), depth);
    }
  }

  void read_entries(YamlNode& out, std::size_t depth) {
    const std::size_t size = children(depth);
    out.entries.reserve(size);
    while (out.entries.size() < size && !has_failed_) {
      YamlEntry& entry = out.entries.emplace_back();
      entry.key = text();
      entry.key_mark = mark();
      read_node(entry.value, depth);
    }
    if (!has_failed_ && has_duplicate_key(out.entries)) {
      fail(CompactErrc::duplicate_key);
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t nodes_ = 0;
  bool has_failed_ = false;
  CompactError error_{CompactErrc::cut_off, 0};
};

}  // namespace

std::string to_compact(const YamlNode& tree) {
  std::string out;
  put_node(out, tree);
  return out;
}

tl::expected<YamlNode, CompactError> from_compact(std::string_view bytes) {
  return Reader(bytes).read();
}

}  // namespace pmg::adapters
