#include "adapters/file_rules.hpp"

#include <string_view>

#include <doctest/doctest.h>

#include "domain/decisions.hpp"

using namespace pmg::domain;
using pmg::adapters::FileRules;
using pmg::platform::Names;
using pmg::tests::at;
using pmg::tests::World;

namespace {

/// Everything below /usb folds, and nothing is below /gone.
Names folds_below_usb(std::string_view path) {
  if (path.starts_with("/gone/")) {
    return Names::missing;
  }
  return path.starts_with("/usb/") ? Names::may_fold : Names::by_bytes;
}

}  // namespace

TEST_CASE("R12: the file systems of all paths of an operation are asked") {
  World world;
  world.read({"/"}).write({"/usb", "/srv"});
  const FileRules rules(world.compiled(), &folds_below_usb);
  CHECK(rules.decide(Read{at("/srv/.ENV")}).allowed());
  CHECK_FALSE(rules.decide(Read{at("/usb/.ENV")}).allowed());
  CHECK_FALSE(rules.decide(Read{at("/srv/x", "/usb/.ENV")}).allowed());
  CHECK(rules.decide(Read{at("/usb/x", "/srv/y")}).allowed());
  CHECK_FALSE(rules.decide(Rename{at("/srv/a"), at("/usb/.ENV"), NodeKind::regular}).allowed());
  CHECK_FALSE(rules.decide(Rename{at("/usb/.ENV"), at("/srv/a"), NodeKind::regular}).allowed());
  CHECK_FALSE(rules.decide(Link{at("/usb/.ENV"), at("/srv/a")}).allowed());
  CHECK(rules.decide(Rename{at("/srv/.ENV"), at("/srv/a"), NodeKind::regular}).allowed());
  CHECK_FALSE(rules.decide(Read{at("/gone/.ENV")}).allowed());
  CHECK(rules.decide(Read{at("/srv/x", "/gone/.ENV")}).allowed());
  CHECK(rules.decide(Read{at("/usb/.ENV")}).reason == Reason::may_mean_denied_name);
}
