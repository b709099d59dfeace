#include "platform/sha256.hpp"

#include <cstdint>
#include <string_view>

#include <nettle/sha2.h>

namespace pmg::platform {

Sha256 sha256(std::string_view bytes) noexcept {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  Sha256 digest{};
  sha256_digest(&context, digest.size(), digest.data());
  return digest;
}

}  // namespace pmg::platform
