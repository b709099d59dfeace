#include "platform/machine.hpp"

#include <cerrno>
#include <string>

#include <doctest/doctest.h>

using pmg::platform::kernel_release;
using pmg::platform::probe_children_file;
using pmg::platform::probe_openat2;
using pmg::platform::probe_supervision;
using pmg::platform::probe_unshare_fs;
using pmg::platform::read_setting;

TEST_CASE("KP1: what is tried of the kernel is really done, and stays in a child") {
  // The other tests need the same of this machine.
  const auto supervision = probe_supervision();
  CHECK(supervision.filter.works());
  CHECK(supervision.listener.works());
  CHECK(supervision.receive.works());
  CHECK(supervision.add_descriptor.works());
  CHECK(supervision.read_memory.works());
  CHECK(probe_openat2().works());
  CHECK_FALSE(probe_unshare_fs().state == pmg::platform::Trial::State::not_tried);
  CHECK(probe_children_file().works());
  // Again: nothing of the first time is left.
  CHECK(probe_supervision().listener.works());
}

TEST_CASE("KP1: the kernel's release and settings") {
  const auto release = kernel_release();
  CHECK(release.major >= 5);
  CHECK(release.text.starts_with(std::to_string(release.major) + "."));
  CHECK(read_setting("/proc/sys/kernel/ostype") == "Linux");
  CHECK_FALSE(read_setting("/nonexistent"));
}
