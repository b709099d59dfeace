#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "broker/world.hpp"
#include "domain/decisions.hpp"
#include "platform/unique_fd.hpp"
#include "run/grants.hpp"
#include "run/loader.hpp"

using pmg::adapters::ExecGrant;
using pmg::adapters::loader_of;
using pmg::adapters::loaders_named_in;
using pmg::adapters::plan_exec_carve_outs;
using pmg::adapters::plan_exec_grants;
using pmg::domain::AbsolutePath;
using pmg::platform::UniqueFd;
using Fit = ExecGrant::Fit;
using Policy = pmg::tests::World;
using pmg::test::World;

namespace {

AbsolutePath place(const std::string& text) { return Policy::place(text); }

std::string loader(const std::string& path) {
  const auto found = loader_of(place(path));
  return found ? found->text() : "none";
}

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// An ELF file with one segment, as far as loader_of looks at it.
struct Image {
  std::uint16_t segments = 1;
  std::uint16_t entry_size = sizeof(Elf64_Phdr);
  std::uint64_t table = sizeof(Elf64_Ehdr);
  std::uint32_t type = PT_INTERP;
  std::uint64_t offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  std::string name = std::string("/lib/ld.so") + '\0';
  std::uint64_t size = 11;
  unsigned char magic = 'E';

  [[nodiscard]] std::string bytes() const {
    Elf64_Ehdr header{};
    std::memcpy(&header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[1] = magic;
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_phoff = table;
    header.e_phentsize = entry_size;
    header.e_phnum = segments;
    Elf64_Phdr segment{};
    segment.p_type = type;
    segment.p_offset = offset;
    segment.p_filesz = size;
    std::string all;
    append(all, header);
    append(all, segment);
    return all + name;
  }
};

void write(const std::string& path, const std::string& bytes) { std::ofstream(path) << bytes; }

// "path" for an exact grant, "path*" for a wider one; sorted.
std::vector<std::string> grants(Policy& policy) {
  std::vector<std::string> texts;
  for (const ExecGrant& grant : plan_exec_grants(policy.compiled())) {
    texts.push_back(grant.path.text() + (grant.fit == Fit::wider ? "*" : ""));
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::vector<std::string> carve_outs(Policy& policy) {
  std::vector<std::string> texts;
  for (const AbsolutePath& path :
       plan_exec_carve_outs(policy.compiled(), plan_exec_grants(policy.compiled()))) {
    texts.push_back(path.text());
  }
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("E1: the loader is the one that an ELF file names") {
  const World world;
  const std::string path = world.root() + "/program";
  CHECK(loader("/proc/self/exe").starts_with("/"));
  write(path, Image{}.bytes());
  CHECK(loader(path) == "/lib/ld.so");
  // The kernel takes a relative one from the working directory, which a path alone does not tell.
  write(path, Image{.name = std::string("t/program") + '\0', .size = 10}.bytes());
  CHECK(loader(path) == "none");
  const auto named = [&] {
    return loaders_named_in(UniqueFd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)});
  };
  CHECK(named() == Texts{"t/program"});
  // The kernel does not look at the class.
  for (const int claimed : {ELFCLASSNONE, ELFCLASS32, 0x7f}) {
    std::string bytes = Image{}.bytes();
    bytes[EI_CLASS] = static_cast<char>(claimed);
    write(path, bytes);
    CHECK(named() == Texts{"/lib/ld.so"});
  }
  CHECK_FALSE(loaders_named_in(UniqueFd{::open("/", O_RDONLY | O_CLOEXEC)}).has_value());
  // A 32-bit file has other headers.
  Elf32_Ehdr header{};
  std::memcpy(&header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  header.e_phoff = sizeof(Elf32_Ehdr);
  header.e_phentsize = sizeof(Elf32_Phdr);
  header.e_phnum = 2;
  Elf32_Phdr load{};
  load.p_type = PT_LOAD;
  Elf32_Phdr interpreter{};
  interpreter.p_type = PT_INTERP;
  interpreter.p_offset = sizeof(Elf32_Ehdr) + 2 * sizeof(Elf32_Phdr);
  interpreter.p_filesz = 9;
  std::string bytes;
  append(bytes, header);
  append(bytes, load);
  append(bytes, interpreter);
  write(path, bytes + "/lib/ld32");
  CHECK(loader(path) == "/lib/ld32");  // also without the NUL
}

TEST_CASE("E1: what names no loader, or is broken, has none") {
  const World world;
  const std::string path = world.root() + "/program";
  const std::uint64_t far = ~std::uint64_t{0} - 8;
  const auto named = [](std::string name) {
    Image image;
    image.size = name.size();
    image.name = std::move(name);
    return image.bytes();
  };
  struct Row {
    std::string bytes;
    const char* why;
  };
  const Row rows[] = {
      {Image{.type = PT_LOAD}.bytes(), "a static program"},
      {Image{.segments = 0}.bytes(), "no segments"},
      {Image{.segments = 0xffff, .type = PT_LOAD}.bytes(), "more segments than there are"},
      {Image{.entry_size = 8}.bytes(), "segments of another size"},
      {Image{.entry_size = 0}.bytes(), "segments of no size"},
      {Image{.table = far}.bytes(), "a table beyond any file"},
      {Image{.table = 1U << 20U}.bytes(), "a table beyond the end"},
      {Image{.offset = far}.bytes(), "a name beyond any file"},
      {Image{.size = 0}.bytes(), "a name of no length"},
      {Image{.size = 4097}.bytes(), "a name that is too long"},
      {Image{.size = 100}.bytes(), "a name that is cut off"},
      {Image{.size = ~std::uint64_t{0}}.bytes(), "a name of any length"},
      {Image{.magic = 'e'}.bytes(), "no ELF file"},
      {named("lib/ld.so"), "a relative name"},
      {named("/lib/../ld.so"), "a name with dots"},
      {named(std::string("\0/lib/ld.so", 11)), "an empty name"},
      {Image{}.bytes().substr(0, sizeof(Elf64_Ehdr) - 1), "a header that is cut off"},
      {Image{}.bytes().substr(0, sizeof(Elf64_Ehdr) + 8), "a table that is cut off"},
      {Image{}.bytes().substr(0, 4), "only the magic"},
      {"#!/bin/sh\n", "a script"},
      {"", "an empty file"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.why);
    write(path, row.bytes);
    CHECK(loader(path) == "none");
  }
  CHECK(loader(world.root() + "/absent") == "none");
  CHECK(loader(world.root() + "/a") == "none");
  CHECK(loader("/dev/null") == "none");
}

TEST_CASE("E1: looking for a loader does not wait") {
  const World world;
  const std::string fifo = world.root() + "/fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const auto start = std::chrono::steady_clock::now();
  CHECK(loader(fifo) == "none");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("E2: what exists is granted as it is, and a pattern by its literal start") {
  const World world;
  const std::string& r = world.root();
  struct Row {
    std::string rule;
    Texts want;
    const char* why;
  };
  const Row rows[] = {
      {r + "/a", {r + "/a"}, "a directory"},
      {r + "/a/**", {r + "/a"}, "all beneath a directory"},
      {r + "/a/file", {r + "/a/file"}, "a file"},
      {r + "/a/*/bin", {r + "/a*"}, "one name in between"},
      {r + "/a/x*/**", {r + "/a*"}, "some names"},
      {r + "/**/bin", {r + "*"}, "at any depth"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.why);
    Policy policy;
    policy.exec({row.rule});
    CHECK(grants(policy) == row.want);
  }
}

TEST_CASE("E2: what is missing is granted by its ancestor only where the policy lets it be made") {
  const World world;
  const std::string& r = world.root();
  Policy made;
  made.exec({r + "/new/deep/bin"}).write({r + "/new/**"});
  CHECK(grants(made) == Texts{r + "*"});
  Policy below;
  below.exec({r + "/a/new"}).write({r + "/a/**"});
  CHECK(grants(below) == Texts{r + "/a*"});
  Policy other;
  other.exec({r + "/new/deep/bin", r + "/a"}).write({r + "/other/**"});
  CHECK(grants(other) == Texts{r + "/a"});
  Policy nothing;
  nothing.exec({r + "/new", "/no/such/place"}).read({"/"});
  CHECK(grants(nothing).empty());
  Policy denied;
  denied.exec({r + "/new/bin"}).write({r + "/**"}).deny_write({r + "/new"});
  CHECK(grants(denied).empty());
}

TEST_CASE("E2: what lies beneath another grant is not granted again") {
  const World world;
  const std::string& r = world.root();
  Policy policy;
  policy.exec({r + "/a/b", r + "/a/file", r + "/a"});
  CHECK(grants(policy) == Texts{r + "/a"});
  Policy siblings;  // by segments, not by letters
  ::mkdir((r + "/ab").c_str(), 0700);
  siblings.exec({r + "/a", r + "/ab"});
  CHECK(grants(siblings) == Texts{r + "/a", r + "/ab"});
}

TEST_CASE("E3: a denied program is carved out of a grant if it is literal and exists") {
  const World world;
  const std::string& r = world.root();
  struct Row {
    std::string deny;
    Texts want;
    const char* why;
  };
  const Row rows[] = {
      {r + "/a/file", {r + "/a/file"}, "a file"},
      {r + "/a/b", {r + "/a/b"}, "a directory"},
      {r + "/a", {r + "/a"}, "the grant itself"},
      {r + "/a/absent", {}, "it does not exist"},
      {r + "/a/*", {}, "a pattern"},
      {r + "/dangling", {}, "not beneath the grant"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.why);
    Policy policy;
    policy.exec({r + "/a"}).deny_exec({row.deny});
    CHECK(carve_outs(policy) == row.want);
  }
}
