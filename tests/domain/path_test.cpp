#include "domain/path.hpp"

#include <string>
#include <string_view>
#include <type_traits>

#include <doctest/doctest.h>

using namespace pmg::domain;
using namespace std::string_view_literals;

static_assert(!std::is_constructible_v<AbsolutePath, std::string>);
static_assert(!std::is_default_constructible_v<AbsolutePath>);
static_assert(!std::is_convertible_v<std::string_view, PathView>);
static_assert(std::is_convertible_v<const AbsolutePath&, PathView>);
static_assert(!std::is_constructible_v<PathView, AbsolutePath>, "the view would outlive it");

TEST_CASE("P1: what is an absolute path") {
  for (const std::string_view text :
       {"/"sv, "/a"sv, "/a/b"sv, "/..."sv, "/.a/..b"sv, "/a b/\n/\xff"sv}) {
    CAPTURE(text);
    const auto path = AbsolutePath::parse(text);
    REQUIRE(path.has_value());
    CHECK(path->text() == text);
  }
}

TEST_CASE("P1: what is none, and where it goes wrong") {
  struct Row {
    std::string_view text;
    PathErrc code;
    std::size_t offset;
    const char* why;
  };
  for (const Row& row : {
           Row{"", PathErrc::empty, 0, "nothing"},
           Row{"a/b", PathErrc::relative, 0, "no leading slash"},
           Row{"//", PathErrc::empty_segment, 1, "two slashes"},
           Row{"/a//b", PathErrc::empty_segment, 3, "two slashes inside"},
           Row{"/a/", PathErrc::empty_segment, 3, "trailing slash"},
           Row{"/a/.", PathErrc::dot_segment, 3, "dot"},
           Row{"/../a", PathErrc::dot_segment, 1, "dot dot"},
           Row{"/a\0b"sv, PathErrc::nul_byte, 2, "NUL"},
       }) {
    CAPTURE(row.why);
    const auto path = AbsolutePath::parse(row.text);
    REQUIRE(!path.has_value());
    CHECK(path.error().code == row.code);
    CHECK(path.error().offset == row.offset);
  }
}

TEST_CASE("P2: within goes by whole segments") {
  struct Row {
    std::string_view path;
    std::string_view directory;
    bool is_within;
    const char* why;
  };
  for (const Row& row : {
           Row{"/a", "/", true, "all is within the root"},
           Row{"/", "/", true, "itself"},
           Row{"/a/b", "/a", true, "beneath"},
           Row{"/a", "/a", true, "itself"},
           Row{"/ab", "/a", false, "a prefix of bytes is not one of segments"},
           Row{"/", "/a", false, "above"},
       }) {
    CAPTURE(row.why);
    CHECK(AbsolutePath::parse(row.path)->is_within(*AbsolutePath::parse(row.directory)) ==
          row.is_within);
  }
}

TEST_CASE("P2: parent and file name") {
  const auto path = *AbsolutePath::parse("/a/b");
  CHECK(path.filename() == "b");
  CHECK(path.parent().text() == "/a");
  CHECK(path.parent().parent().is_root());
  CHECK(AbsolutePath::root().parent().is_root());
  CHECK(AbsolutePath::root().filename().empty());
}

TEST_CASE("P3: normalise is total and lexical") {
  struct Row {
    std::string_view base;
    std::string_view spelled;
    std::string_view path;
    const char* why;
  };
  for (const Row& row : {
           Row{"/home/u", "../x//y/./z", "/home/x/y/z", "relative"},
           Row{"/home/u", "/x/../y", "/y", "absolute text leaves the base"},
           Row{"/home/u", "", "/home/u", "nothing is the base"},
           Row{"/home/u", "../../../..", "/", "dot dot stays at the root"},
           Row{"/", "a", "/a", "below the root"},
           Row{"/home/u", "a/", "/home/u/a", "trailing slash"},
           Row{"/home/u", ".../..a", "/home/u/.../..a", "three dots are a name"},
           Row{"/home/u", "a\0b"sv, "/home/u/a", "cut at NUL, as the kernel would"},
       }) {
    CAPTURE(row.why);
    const AbsolutePath path = normalise(*AbsolutePath::parse(row.base), row.spelled);
    CHECK(path.text() == row.path);
    CHECK(AbsolutePath::parse(path.text()).has_value());
  }
}
