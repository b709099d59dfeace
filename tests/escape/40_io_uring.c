// Line 40: connecting through io_uring, whose operations no filter sees. The ring cannot be made (ENOSYS, as programs that probe expect),
// and one that came from elsewhere cannot be used.
//
// outsider:
// limit: 20
// optional: * io_uring is turned off here
#include <linux/io_uring.h>
#include <sys/ioctl.h>

#include "unix.h"

// One operation, of a ring of its own; its result.
static long performs(const struct io_uring_sqe* operation, unsigned flags) {
  struct io_uring_params parameters;
  memset(&parameters, 0, sizeof parameters);
  parameters.flags = flags;
  const int ring = (int)syscall(SYS_io_uring_setup, 4U, &parameters);
  if (ring < 0) {
    return -1;
  }
  const size_t size =
      parameters.cq_off.cqes + parameters.cq_entries * sizeof(struct io_uring_cqe) + 4096;
  char* const queue =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
  struct io_uring_sqe* const entries =
      mmap(NULL, parameters.sq_entries * sizeof *entries, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
  if (queue == MAP_FAILED || (void*)entries == MAP_FAILED) {
    return -1;
  }
  entries[0] = *operation;
  ((unsigned*)(queue + parameters.sq_off.array))[0] = 0;
  __atomic_store_n((unsigned*)(queue + parameters.sq_off.tail), 1, __ATOMIC_RELEASE);
  long result =
      syscall(SYS_io_uring_enter, ring, 1U, 1U,
              IORING_ENTER_GETEVENTS | (flags & IORING_SETUP_SQPOLL ? IORING_ENTER_SQ_WAKEUP : 0),
              NULL, 0UL);
  if (result >= 0) {
    const struct io_uring_cqe* const done = (void*)(queue + parameters.cq_off.cqes);
    result = done->res < 0 ? refuse(-done->res) : done->res;
  }
  return with(ring, result) < 0 ? -1 : result;
}

static long connects_by_ring(const char* name, unsigned flags) {
  struct sockaddr_un address;
  struct io_uring_sqe operation;
  memset(&operation, 0, sizeof operation);
  operation.opcode = IORING_OP_CONNECT;
  operation.fd = socket(AF_UNIX, SOCK_STREAM, 0);
  operation.addr = (unsigned long)&address;
  operation.off = fill_address(&address, name);
  return performs(&operation, flags);
}
static long opens_by_ring(void) {
  struct io_uring_sqe operation;
  memset(&operation, 0, sizeof operation);
  operation.opcode = IORING_OP_OPENAT;
  operation.fd = AT_FDCWD;
  operation.addr = (unsigned long)".env";
  const long fd = performs(&operation, 0);
  return fd < 0 ? -1 : steals_from((int)fd);
}
static long makes_socket_by_ring(void) {
  struct io_uring_sqe operation;
  memset(&operation, 0, sizeof operation);
  operation.opcode = 45; /* IORING_OP_SOCKET */
  operation.fd = AF_UNIX;
  operation.off = SOCK_DGRAM;
  return performs(&operation, 0);
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    listening("host.sock", SOCK_STREAM);
    READY();
    wait_for_end();
  }
  begin();
  TRY("connect", connects_by_ring("host.sock", 0));
  TRY("connect-by-kernel-thread", connects_by_ring("host.sock", IORING_SETUP_SQPOLL));
  TRY("open", opens_by_ring());
  TRY("socket", makes_socket_by_ring());
  return 0;
}
