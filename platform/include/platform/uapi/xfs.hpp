/// The geometry of an XFS file system (fs/xfs/libxfs/xfs_fs.h, xfs_fsop_geom_v1), whose header is
/// not among the kernel's exported ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pmg::platform::uapi {

struct XfsGeometryV1 {
  std::array<std::uint32_t, 8> sizes;
  std::array<std::uint64_t, 4> blocks;
  std::array<unsigned char, 16> uuid;
  std::uint32_t stripe_unit;
  std::uint32_t stripe_width;
  std::int32_t version;
  std::uint32_t flags;
  std::array<std::uint32_t, 3> more_sizes;
};
static_assert(sizeof(XfsGeometryV1) == 112);
static_assert(offsetof(XfsGeometryV1, flags) == 92);

inline constexpr unsigned kXfsIoctl = 'X';
inline constexpr unsigned kXfsGeometryV1 = 100;
/// XFS_FSOP_GEOM_FLAGS_DIRV2CI: ASCII letters of names have no case.
inline constexpr std::uint32_t kXfsFoldsAscii = 1U << 13U;

}  // namespace pmg::platform::uapi
