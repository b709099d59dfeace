#include "platform/landlock.hpp"

#include <doctest/doctest.h>

#include "platform/uapi/landlock.hpp"

using namespace pmg::platform;

TEST_CASE("L1: every ABI handles the rights of the one before") {
  for (int version = 2; version <= 8; ++version) {
    const auto before = LandlockAbi{version - 1}.all_fs_rights();
    CHECK((LandlockAbi{version}.all_fs_rights() & before) == before);
  }
}

TEST_CASE("L1: rights arrive with the ABI that brought them") {
  struct Row {
    int version;
    std::uint64_t right;
    const char* why;
  };
  for (const Row& row : {Row{2, uapi::kFsRefer, "5.19"}, Row{3, uapi::kFsTruncate, "6.2"},
                         Row{5, uapi::kFsIoctlDev, "6.10"}}) {
    CAPTURE(row.why);
    CHECK((LandlockAbi{row.version - 1}.all_fs_rights() & row.right) == 0);
    CHECK((LandlockAbi{row.version}.all_fs_rights() & row.right) != 0);
  }
  CHECK(LandlockAbi{5}.all_scopes() == 0);
  CHECK(LandlockAbi{6}.all_scopes() == (uapi::kScopeSignal | uapi::kScopeAbstractUnixSocket));
}
