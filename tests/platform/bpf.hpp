/// A classic-BPF interpreter for seccomp programs (the subset of seccomp(2)): one pure function, so
/// that a test can ask the filter anything without installing it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

namespace pmg::test {

/// The action that `program` returns for `data`; SECCOMP_RET_KILL_PROCESS for a malformed program.
inline std::uint32_t evaluate(std::span<const sock_filter> program, const seccomp_data& data) {
  std::uint32_t accumulator = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& step = program[at];
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        if (step.k + sizeof(accumulator) > sizeof(data)) {
          return SECCOMP_RET_KILL_PROCESS;
        }
        std::memcpy(&accumulator, reinterpret_cast<const char*>(&data) + step.k,
                    sizeof(accumulator));
        break;
      case BPF_ALU | BPF_AND | BPF_K:
        accumulator &= step.k;
        break;
      case BPF_JMP | BPF_JA:
        at += step.k;
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        at += accumulator == step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JGT | BPF_K:
        at += accumulator > step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        at += accumulator >= step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        at += (accumulator & step.k) != 0 ? step.jt : step.jf;
        break;
      case BPF_RET | BPF_K:
        return step.k;
      default:
        return SECCOMP_RET_KILL_PROCESS;
    }
  }
  return SECCOMP_RET_KILL_PROCESS;
}

inline seccomp_data call(int number, std::array<std::uint64_t, 6> arguments) {
  seccomp_data data{};
  data.nr = number;
  data.arch = AUDIT_ARCH_X86_64;
  std::memcpy(data.args, arguments.data(), sizeof(data.args));
  return data;
}

}  // namespace pmg::test
