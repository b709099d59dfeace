#include "domain/ip_address.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

using namespace pmg::domain;

namespace {

std::string printed(std::string_view text) {
  const auto address = IpAddress::parse(text);
  return address ? address->text() : "none";
}

}  // namespace

TEST_CASE("IA1, IA2: the text of addresses") {
  struct Row {
    std::string_view text;
    std::string_view printed;
    std::string_view why;
  };
  for (const Row& row : {
           Row{"1.2.3.4", "1.2.3.4", ""},
           Row{"0.0.0.0", "0.0.0.0", ""},
           Row{"255.255.255.255", "255.255.255.255", ""},
           Row{"256.1.1.1", "none", "more than a byte"},
           Row{"1.2.3", "none", "three parts, which inet_aton takes"},
           Row{"1.2.3.4.5", "none", "five parts"},
           Row{"1.2.3.4.", "none", "a final dot"},
           Row{"1..3.4", "none", "an empty part"},
           Row{"01.2.3.4", "none", "a leading zero, which inet_aton takes for octal"},
           Row{"1.2.3.0004", "none", "four digits"},
           Row{"0x1.2.3.4", "none", "hexadecimal"},
           Row{" 1.2.3.4", "none", "a space"},
           Row{"1.2.3.4 ", "none", "a space"},
           Row{"1.2.3.-4", "none", "a sign"},
           Row{"", "none", "nothing"},
           Row{"::", "::", ""},
           Row{"::1", "::1", ""},
           Row{"1::", "1::", ""},
           Row{"0:0:0:0:0:0:0:1", "::1", "the longest run of zeros"},
           Row{"2001:DB8::0001", "2001:db8::1", "case and leading zeros"},
           Row{"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1", "one zero group stays"},
           Row{"1:0:0:2:0:0:0:3", "1:0:0:2::3", "the longer of two runs"},
           Row{"1:0:0:2:3:0:0:4", "1::2:3:0:0:4", "the first of two"},
           Row{"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0", "a run of one is written out"},
           Row{"fedc:ba98:7654:3210:fEDC:BA98:7654:3210", "fedc:ba98:7654:3210:fedc:ba98:7654:3210",
               ""},
           Row{"::ffff:1.2.3.4", "1.2.3.4", "a mapped address is the IPv4 address"},
           Row{"::ffff:102:304", "1.2.3.4", "in the other spelling as well"},
           Row{"64:ff9b::1.2.3.4", "64:ff9b::102:304", "dotted at the end"},
           Row{"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304", ""},
           Row{"1:2:3:4:5:6:7:1.2.3.4", "none", "nine groups"},
           Row{"1.2.3.4::", "none", "dotted, and not at the end"},
           Row{"1.2.3.4:1:2:3:4:5:6", "none", "dotted, and not at the end"},
           Row{"1:2:3:4:5:6:7", "none", "seven groups"},
           Row{"1:2:3:4:5:6:7:8:9", "none", "nine groups"},
           Row{"1:2:3:4:5:6:7:8::", "none", "the gap stands for nothing"},
           Row{"::1::", "none", "two gaps"},
           Row{":::", "none", "a gap and a colon"},
           Row{":1", "none", "begins with one colon"},
           Row{"1:", "none", "ends in one colon"},
           Row{"1:2:3:4:5:6:7:", "none", "ends in one colon"},
           Row{"12345::", "none", "five digits"},
           Row{"g::", "none", "no hexadecimal digit"},
           Row{"::1%lo", "none", "a zone"},
           Row{"[::1]", "none", "brackets are of URLs"},
           Row{"::1.2.3", "none", "three parts"},
       }) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    CHECK(printed(row.text) == row.printed);
  }
  CHECK(IpAddress::parse("::ffff:1.2.3.4") == IpAddress::parse("1.2.3.4"));
  CHECK(IpAddress::parse("::ffff:1.2.3.4")->is_v4());
  CHECK(!IpAddress::parse("::1.2.3.4")->is_v4());
}

TEST_CASE("IA3: what kind of place an address is") {
  using Kind = AddressKind;
  struct Row {
    std::string_view text;
    Kind kind;
  };
  for (const Row& row : {
           // each range at both ends, and its neighbours
           Row{"0.0.0.0", Kind::unspecified},
           Row{"0.255.255.255", Kind::unspecified},
           Row{"1.0.0.0", Kind::global},
           Row{"9.255.255.255", Kind::global},
           Row{"10.0.0.0", Kind::private_network},
           Row{"10.255.255.255", Kind::private_network},
           Row{"11.0.0.0", Kind::global},
           Row{"100.63.255.255", Kind::global},
           Row{"100.64.0.0", Kind::shared},
           Row{"100.127.255.255", Kind::shared},
           Row{"100.128.0.0", Kind::global},
           Row{"126.255.255.255", Kind::global},
           Row{"127.0.0.1", Kind::loopback},
           Row{"127.255.255.255", Kind::loopback},
           Row{"128.0.0.0", Kind::global},
           Row{"169.253.255.255", Kind::global},
           Row{"169.254.0.1", Kind::link_local},
           Row{"169.255.0.0", Kind::global},
           Row{"172.15.255.255", Kind::global},
           Row{"172.16.0.0", Kind::private_network},
           Row{"172.31.255.255", Kind::private_network},
           Row{"172.32.0.0", Kind::global},
           Row{"192.0.0.8", Kind::reserved},
           Row{"192.0.1.0", Kind::global},
           Row{"192.0.2.1", Kind::reserved},
           Row{"192.88.99.1", Kind::reserved},
           Row{"192.167.255.255", Kind::global},
           Row{"192.168.0.0", Kind::private_network},
           Row{"192.169.0.0", Kind::global},
           Row{"198.17.255.255", Kind::global},
           Row{"198.18.0.0", Kind::reserved},
           Row{"198.19.255.255", Kind::reserved},
           Row{"198.20.0.0", Kind::global},
           Row{"198.51.100.1", Kind::reserved},
           Row{"203.0.113.1", Kind::reserved},
           Row{"223.255.255.255", Kind::global},
           Row{"224.0.0.1", Kind::multicast},
           Row{"239.255.255.255", Kind::multicast},
           Row{"240.0.0.0", Kind::reserved},
           Row{"255.255.255.255", Kind::reserved},
           Row{"169.254.169.254", Kind::metadata},
           Row{"169.254.170.2", Kind::metadata},
           Row{"169.254.170.23", Kind::metadata},
           Row{"192.0.0.192", Kind::metadata},
           Row{"100.100.100.200", Kind::metadata},
           Row{"168.63.129.16", Kind::metadata},
           Row{"168.63.129.17", Kind::global},
           Row{"fd00:ec2::254", Kind::metadata},
           Row{"fd00:ec2::23", Kind::metadata},
           Row{"fd20:ce::254", Kind::metadata},
           Row{"fd00:ec2::255", Kind::private_network},
           Row{"::", Kind::unspecified},
           Row{"::1", Kind::loopback},
           Row{"::2", Kind::unspecified},  // 0.0.0.2, IPv4-compatible
           Row{"fbff::", Kind::reserved},
           Row{"fc00::", Kind::private_network},
           Row{"fdff:ffff::1", Kind::private_network},
           Row{"fe00::", Kind::reserved},
           Row{"fe80::1", Kind::link_local},
           Row{"febf::1", Kind::link_local},
           Row{"fec0::1", Kind::private_network},
           Row{"ff02::1", Kind::multicast},
           Row{"2001::1", Kind::reserved},  // Teredo
           Row{"2001:1ff::1", Kind::reserved},
           Row{"2001:200::1", Kind::global},
           Row{"2001:db8::1", Kind::reserved},
           Row{"2001:db9::1", Kind::global},
           Row{"3fff:fff::1", Kind::reserved},
           Row{"3fff:1000::1", Kind::global},
           Row{"2000::", Kind::global},
           Row{"1fff:ffff::", Kind::reserved},
           Row{"4000::", Kind::reserved},
           Row{"100::1", Kind::reserved},   // discarded
           Row{"5f00::1", Kind::reserved},  // segment routing
           // IPv4 in IPv6
           Row{"::ffff:10.0.0.1", Kind::private_network},
           Row{"::ffff:127.0.0.1", Kind::loopback},
           Row{"::ffff:8.8.8.8", Kind::global},
           Row{"64:ff9b::8.8.8.8", Kind::global},
           Row{"64:ff9b::10.0.0.1", Kind::private_network},
           Row{"64:ff9b::169.254.169.254", Kind::metadata},
           Row{"64:ff9b:1::10.0.0.1", Kind::private_network},
           Row{"64:ff9b:1::8.8.8.8", Kind::reserved},
           Row{"64:ff9b:2::8.8.8.8", Kind::reserved},
           Row{"::ffff:0:127.0.0.1", Kind::loopback},
           Row{"::ffff:0:8.8.8.8", Kind::reserved},
           Row{"::127.0.0.1", Kind::loopback},
           Row{"::8.8.8.8", Kind::reserved},
           Row{"2002:7f00:1::", Kind::loopback},
           Row{"2002:a9fe:a9fe::", Kind::metadata},
           Row{"2002:808:808::", Kind::reserved},
       }) {
    CAPTURE(row.text);
    const auto address = IpAddress::parse(row.text);
    REQUIRE(address.has_value());
    CHECK(std::string_view(to_words(address->kind())) == to_words(row.kind));
  }
}

TEST_CASE("IA3: the IPv4 address inside") {
  const auto inner = [](std::string_view text) {
    const auto v4 = IpAddress::parse(text)->embedded_v4();
    return v4 ? v4->text() : "none";
  };
  CHECK(inner("64:ff9b::1.2.3.4") == "1.2.3.4");
  CHECK(inner("64:ff9b:1:2::1.2.3.4") == "1.2.3.4");
  CHECK(inner("2002:102:304::1") == "1.2.3.4");
  CHECK(inner("::1.2.3.4") == "1.2.3.4");
  CHECK(inner("::ffff:0:1.2.3.4") == "1.2.3.4");
  CHECK(inner("2001:200::1") == "none");
  CHECK(inner("1.2.3.4") == "none");
}

TEST_CASE("IA3: every kind has words of its own") {
  const std::array kinds{
      AddressKind::global,          AddressKind::unspecified, AddressKind::loopback,
      AddressKind::private_network, AddressKind::shared,      AddressKind::link_local,
      AddressKind::metadata,        AddressKind::multicast,   AddressKind::reserved};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    CHECK(!std::string_view(to_words(kinds[i])).empty());
    for (std::size_t j = 0; j < i; ++j) {
      CHECK(std::string_view(to_words(kinds[i])) != to_words(kinds[j]));
    }
  }
}
