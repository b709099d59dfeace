/// What a failed system call reports.
#pragma once

#include <string>

namespace pmg::platform {

/// An errno, on its own: the answer that a trapped call gets.
struct Errno {
  int value;
  friend bool operator==(Errno, Errno) = default;
};

/// `call` is the name of the system call, `error` its errno, `operand` what it was about (a path, a
/// descriptor), for messages. Holds values; only the app makes sentences of it.
struct OsError {
  const char* call = "";
  int error = 0;
  std::string operand;
};

}  // namespace pmg::platform
