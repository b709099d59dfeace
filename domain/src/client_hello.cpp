#include "domain/client_hello.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "domain/host.hpp"

namespace pmg::domain {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::uint8_t kHandshake = 22;
constexpr std::uint8_t kMajorVersion = 3;
constexpr std::uint8_t kClientHello = 1;
constexpr std::size_t kMaxRecord = 16384;
constexpr std::size_t kServerName = 0;
constexpr std::size_t kEncryptedHello = 0xfe0d;

/// Takes values from the front. Once something is missing, nothing more is there.
class Reader {
 public:
  explicit Reader(Bytes bytes) noexcept : left_(bytes) {}

  [[nodiscard]] bool is_empty() const noexcept { return left_.empty(); }
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

  Bytes take(std::size_t count) noexcept {
    if (has_failed_ || count > left_.size()) {
      has_failed_ = true;
      left_ = {};
      return {};
    }
    const Bytes out = left_.first(count);
    left_ = left_.subspan(count);
    return out;
  }
  /// Big-endian, of `width` bytes.
  std::size_t number(std::size_t width) noexcept {
    std::size_t out = 0;
    for (const std::uint8_t byte : take(width)) {
      out = out << 8U | byte;
    }
    return out;
  }
  /// What follows its own length of `width` bytes.
  Bytes vector(std::size_t width) noexcept { return take(number(width)); }

 private:
  Bytes left_;
  bool has_failed_ = false;
};

enum class Progress : std::uint8_t { more_needed, complete };

constexpr std::size_t kRecordHeader = 5;
constexpr std::size_t kMessageHeader = 4;

/// Of the record that starts here. Nothing: its header is not complete.
tl::expected<std::optional<std::size_t>, HelloErrc> record_length(Bytes bytes) {
  if (bytes[0] != kHandshake || (bytes.size() > 1 && bytes[1] != kMajorVersion)) {
    return tl::unexpected(HelloErrc::not_tls);
  }
  if (bytes.size() < kRecordHeader) {
    return std::nullopt;
  }
  const std::size_t length = static_cast<std::size_t>(bytes[3]) << 8U | bytes[4];
  if (length == 0 || length > kMaxRecord) {
    return tl::unexpected(HelloErrc::malformed);
  }
  return length;
}

/// Is the message complete, when `missing` bytes of the record are still to come? Nothing may
/// follow it within its record.
tl::expected<Progress, HelloErrc> progress_of(const std::vector<std::uint8_t>& message,
                                              std::size_t missing) {
  if (!message.empty() && message[0] != kClientHello) {
    return tl::unexpected(HelloErrc::malformed);
  }
  if (message.size() < kMessageHeader) {
    return Progress::more_needed;
  }
  const std::size_t size =
      kMessageHeader + Reader(Bytes(message).subspan(1, kMessageHeader - 1)).number(3);
  if (size > kMaxClientHello) {
    return tl::unexpected(HelloErrc::too_long);
  }
  if (message.size() + missing > size) {
    return tl::unexpected(HelloErrc::malformed);
  }
  return message.size() == size ? Progress::complete : Progress::more_needed;
}

/// Puts the pieces of the message together, without the headers of records.
tl::expected<Progress, HelloErrc> assemble(Bytes bytes, std::vector<std::uint8_t>& message) {
  while (!bytes.empty()) {
    const auto length = record_length(bytes);
    if (!length) {
      return tl::unexpected(length.error());
    }
    if (!length->has_value()) {
      return Progress::more_needed;
    }
    bytes = bytes.subspan(kRecordHeader);
    const Bytes piece = bytes.first(std::min(**length, bytes.size()));
    message.insert(message.end(), piece.begin(), piece.end());
    const auto progress = progress_of(message, **length - piece.size());
    if (!progress || *progress == Progress::complete) {
      return progress;
    }
    bytes = bytes.subspan(piece.size());
  }
  return Progress::more_needed;
}

/// The one name of the list.
std::optional<HostName> server_name(Bytes extension) {
  Reader reader(extension);
  Reader list(reader.vector(2));
  const std::size_t type = list.number(1);
  const Bytes name = list.vector(2);
  if (reader.has_failed() || !reader.is_empty() || list.has_failed() || !list.is_empty() ||
      type != 0) {
    return std::nullopt;
  }
  auto parsed = HostName::parse(std::string(name.begin(), name.end()));
  return parsed ? std::optional(std::move(*parsed)) : std::nullopt;
}

tl::expected<ClientHello, HelloErrc> read_extensions(Bytes bytes) {
  ClientHello hello;
  Reader reader(bytes);
  // One bit for each type: a server might take the first or the last of two.
  std::vector<bool> seen(std::size_t{1} << 16U);
  while (!reader.is_empty()) {
    const std::size_t type = reader.number(2);
    const Bytes extension = reader.vector(2);
    if (reader.has_failed() || seen[type]) {
      return tl::unexpected(HelloErrc::malformed);
    }
    seen[type] = true;
    if (type == kServerName) {
      hello.server_name = server_name(extension);
      if (!hello.server_name) {
        return tl::unexpected(HelloErrc::malformed);
      }
    }
    if (type == kEncryptedHello) {
      hello.inner = InnerHello::possible;
    }
  }
  return hello;
}

tl::expected<ClientHello, HelloErrc> read_message(Bytes message) {
  constexpr std::size_t kRandom = 32;
  constexpr std::size_t kMaxSessionId = 32;
  Reader reader(message);
  reader.take(4);  // type and length
  const std::size_t version = reader.number(2);
  reader.take(kRandom);
  const Bytes session = reader.vector(1);
  const Bytes ciphers = reader.vector(2);
  const Bytes compression = reader.vector(1);
  if (reader.has_failed() || version >> 8U != kMajorVersion || session.size() > kMaxSessionId ||
      ciphers.empty() || ciphers.size() % 2 != 0 || compression.empty()) {
    return tl::unexpected(HelloErrc::malformed);
  }
  if (reader.is_empty()) {
    return ClientHello{};  // TLS 1.2 and older: no extensions at all
  }
  const Bytes extensions = reader.vector(2);
  if (reader.has_failed() || !reader.is_empty()) {
    return tl::unexpected(HelloErrc::malformed);
  }
  return read_extensions(extensions);
}

}  // namespace

tl::expected<std::optional<ClientHello>, HelloErrc> parse_client_hello(Bytes bytes) {
  std::vector<std::uint8_t> message;
  const auto progress = assemble(bytes, message);
  if (!progress) {
    return tl::unexpected(progress.error());
  }
  if (*progress == Progress::more_needed) {
    return std::nullopt;
  }
  return read_message(message).map(
      [](ClientHello hello) { return std::optional(std::move(hello)); });
}

std::optional<NameErrc> check_name(const Host& asked, const ClientHello& hello) noexcept {
  if (hello.inner == InnerHello::possible) {
    return NameErrc::encrypted;
  }
  const auto* const name = std::get_if<HostName>(&asked);
  if (name == nullptr) {
    return hello.server_name ? std::optional(NameErrc::other_name) : std::nullopt;
  }
  if (!hello.server_name) {
    return NameErrc::no_name;
  }
  return *hello.server_name == *name ? std::nullopt : std::optional(NameErrc::other_name);
}

}  // namespace pmg::domain
