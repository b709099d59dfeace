// Line 39, the part that holds now: sockets that name no host and port, which no rule could ever allow. Families other than unix, inet,
// inet6 and netlink, raw sockets, protocols other than TCP and UDP, and netlink other than routes are refused in the filter.
//
// optional: * the kernel has no such protocol, or keeps it for root
// refused: * EAFNOSUPPORT,EPROTONOSUPPORT,ESOCKTNOSUPPORT the kernel's own words for what it does not have
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "attack.h"

static long makes(int family, int type, int protocol) {
  const int fd = socket(family, type, protocol);
  return fd < 0 ? -1 : close(fd);
}
// The registers are wider than the kernel's int.
static long makes_wide(unsigned long family, unsigned long type, unsigned long protocol) {
  const long fd = syscall(SYS_socket, family, type, protocol);
  return fd < 0 ? -1 : close((int)fd);
}
static long pairs(int family, int type, int protocol) {
  int ends[2];
  return socketpair(family, type, protocol, ends);
}
// Asks for the removal of an address that nobody has: EADDRNOTAVAIL is an answer to somebody who may.
static long changes_routes(void) {
  const int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  struct {
    struct nlmsghdr header;
    struct ifaddrmsg address;
    struct rtattr attribute;
    unsigned char bytes[4];
  } request = {{sizeof request, RTM_DELADDR, NLM_F_REQUEST | NLM_F_ACK, 1, 0},
               {AF_INET, 32, 0, 0, 1},
               {sizeof(struct rtattr) + 4, IFA_LOCAL},
               {127, 77, 77, 77}};
  struct {
    struct nlmsghdr header;
    struct nlmsgerr error;
    char rest[512];
  } answer;
  memset(&answer, 0, sizeof answer);
  if (fd < 0 || send(fd, &request, sizeof request, 0) < 0 ||
      recv(fd, &answer, sizeof answer, 0) < 0) {
    return -1;
  }
  close(fd);
  return answer.error.error == -EPERM ? refuse(EPERM) : 0;
}
// Credentials of somebody else, here of the broker, in a message.
static long forges_credentials(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    return -1;
  }
  char byte = 'x';
  char control[CMSG_SPACE(sizeof(struct ucred))];
  memset(control, 0, sizeof control);
  struct iovec part = {&byte, 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_CREDENTIALS;
  head->cmsg_len = CMSG_LEN(sizeof(struct ucred));
  const struct ucred other = {getppid(), getuid(), getgid()};
  memcpy(CMSG_DATA(head), &other, sizeof other);
  return sendmsg(ends[0], &message, 0) < 0 ? -1 : 0;
}

int main(void) {
  begin();
  TRY("raw", makes(AF_INET, SOCK_RAW, IPPROTO_ICMP));
  TRY("raw-close-on-exec", makes(AF_INET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_RAW));
  TRY("raw-6", makes(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6));
  TRY("raw-wide", makes_wide(AF_INET, SOCK_RAW | 1UL << 32, IPPROTO_ICMP));
  TRY("packet", makes(AF_PACKET, SOCK_RAW, htons(3)));
  TRY("packet-datagram", makes(AF_PACKET, SOCK_DGRAM, htons(3)));
  TRY("packet-old", makes(AF_INET, 10 /* SOCK_PACKET */, htons(3)));
  TRY("packet-wide", makes_wide(AF_PACKET | 1UL << 32, SOCK_RAW, (unsigned)htons(3)));
  TRY("vsock", makes(AF_VSOCK, SOCK_STREAM, 0));
  TRY("vsock-datagram", makes(AF_VSOCK, SOCK_DGRAM, 0));
  TRY("vsock-wide", makes_wide(AF_VSOCK | 1UL << 40, SOCK_STREAM, 0));
  TRY("crypto", makes(38 /* AF_ALG */, SOCK_SEQPACKET, 0));
  TRY("key", makes(AF_KEY, SOCK_RAW, 2));
  TRY("can", makes(AF_CAN, SOCK_RAW, 1));
  TRY("bluetooth", makes(AF_BLUETOOTH, SOCK_RAW, 1));
  TRY("tipc", makes(30 /* AF_TIPC */, SOCK_STREAM, 0));
  TRY("tipc-pair", pairs(30 /* AF_TIPC */, SOCK_STREAM, 0));
  TRY("rds", makes(21 /* AF_RDS */, SOCK_SEQPACKET, 0));
  TRY("xdp", makes(44 /* AF_XDP */, SOCK_RAW, 0));
  TRY("smc", makes(43 /* AF_SMC */, SOCK_STREAM, 0));
  TRY("qipcrtr", makes(42 /* AF_QIPCRTR */, SOCK_DGRAM, 0));
  TRY("nfc", makes(39 /* AF_NFC */, SOCK_SEQPACKET, 1));
  TRY("pppox", makes(24 /* AF_PPPOX */, SOCK_STREAM, 0));
  TRY("unspecified", makes(AF_UNSPEC, SOCK_STREAM, 0));
  TRY("ax25", makes(AF_AX25, SOCK_DGRAM, 0));
  TRY("sctp", makes(AF_INET, SOCK_STREAM, IPPROTO_SCTP));
  TRY("sctp-many", makes(AF_INET6, SOCK_SEQPACKET, IPPROTO_SCTP));
  TRY("mptcp", makes(AF_INET, SOCK_STREAM, 262 /* IPPROTO_MPTCP */));
  TRY("mptcp-6", makes(AF_INET6, SOCK_STREAM, 262 /* IPPROTO_MPTCP */));
  TRY("mptcp-wide", makes_wide(AF_INET, SOCK_STREAM, 262 | 1UL << 32));
  TRY("smc-of-inet", makes(AF_INET, SOCK_STREAM, 256 /* IPPROTO_SMC */));
  TRY("dccp", makes(AF_INET, 6 /* SOCK_DCCP */, IPPROTO_DCCP));
  TRY("udplite", makes(AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE));
  TRY("l2tp", makes(AF_INET, SOCK_DGRAM, 115 /* IPPROTO_L2TP */));
  TRY("icmp", makes(AF_INET, SOCK_DGRAM, IPPROTO_ICMP));
  TRY("icmp-6", makes(AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6));
  TRY("netlink-diag", makes(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG));
  TRY("netlink-netfilter", makes(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER));
  TRY("netlink-generic", makes(AF_NETLINK, SOCK_DGRAM, NETLINK_GENERIC));
  TRY("netlink-audit", makes(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT));
  TRY("netlink-events", makes(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT));
  TRY("netlink-crypto", makes(AF_NETLINK, SOCK_RAW, NETLINK_CRYPTO));
  TRY("netlink-wide", makes_wide(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT | 1UL << 32));
  TRY("route-change", changes_routes());
  TRY("unix-datagram", makes(AF_UNIX, SOCK_DGRAM, 0));
  TRY("unix-datagram-pair", pairs(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  TRY("unix-raw", makes(AF_UNIX, SOCK_RAW | SOCK_NONBLOCK, 0));
  TRY("unix-raw-pair", pairs(AF_UNIX, SOCK_RAW, 0));
  TRY("unix-datagram-wide", makes_wide(AF_UNIX, SOCK_DGRAM | 1UL << 32, 0));
  TRY("credentials", forges_credentials());
  return 0;
}
