// A walk that is at more nodes than its lists hold in place, and one that then finds no memory.
#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/decisions.hpp"
#include "domain/operation.hpp"

using namespace pmg::domain;
using pmg::tests::at;
using pmg::tests::World;

namespace {

bool is_memory_left = true;

const std::string kRun(40, 'a');

/// Rule `i` of many that go on beneath every long run of `a`; 30 of them take different ways there.
std::string crowding(int i) {
  return "**/a" + std::string(static_cast<std::size_t>(i % 30), '?') + "*/**/x" + std::to_string(i);
}

World crowded_world() {
  World world;
  world.read({"/"});
  for (int i = 0; i < 300; ++i) {
    world.deny_read({crowding(i)});
  }
  return world;
}

}  // namespace

// What NodeList asks, and nothing else here. Freed by the array form that the library has.
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return is_memory_left ? ::operator new[](size) : nullptr;
}

TEST_CASE("A4: many globs and rules that all match grow the list of nodes, not the answer") {
  World world = crowded_world();
  // Whichever nodes are the ones beyond the first forty.
  for (const std::string_view above : {"/", "/b/", "/a/", "/a/b/"}) {
    const std::string deep = std::string(above) + kRun + "/b";
    CAPTURE(deep);
    CHECK(world.ask(Read{at(deep)}).allowed());
    CHECK(world.ask(Read{at(deep + "/x300")}).allowed());
    for (int i = 0; i < 300; ++i) {
      CAPTURE(i);
      CHECK(!world.ask(Read{at(deep + "/x" + std::to_string(i))}).allowed());
      CHECK(!world.ask(Read{at(deep + "/c/x" + std::to_string(i) + "/d")}).allowed());
    }
  }
}

TEST_CASE("A4: where no memory is left for the nodes, nothing is allowed") {
  World world = crowded_world();
  for (const std::string& path : {"/" + kRun, "/b/" + kRun}) {  // one of the two lists, the other
    CAPTURE(path);
    CHECK(world.ask(Read{at(path)}).allowed());
    is_memory_left = false;
    const Decision crowded = world.ask(Read{at(path)});
    const Decision sparse = world.ask(Read{at("/b")});
    is_memory_left = true;
    CHECK(crowded.reason == Reason::nothing_allows);
    CHECK(sparse.allowed());
    CHECK(world.ask(Read{at(path)}).allowed());
  }
}

TEST_CASE("A4, T2: where no memory is left to see what may be written, no link is trusted") {
  for (const bool is_left : {true, false}) {
    World world;
    for (int i = 0; i < 30; ++i) {
      world.write({crowding(i)});
    }
    world.read({"/" + kRun + "/*"}).symlink("/" + kRun, "/elsewhere");
    is_memory_left = is_left;
    static_cast<void>(world.compiled());
    is_memory_left = true;
    CHECK(world.ask(Read{at("/elsewhere/f")}).allowed() == is_left);
  }
}
