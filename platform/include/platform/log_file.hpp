/// Files that grow line by line while a program runs, and reading what may be anything.
///
///   auto file = create_log(path);                      // expected<UniqueFd, OsError>
///   auto written = append(*file, line);                // whole, or an error
///   auto text = read_regular_file(path, 32 << 20);              // expected<std::string, OsError>
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::platform {

/// A new file (0600), open for appending. EEXIST where there is one, or a symlink of this name.
[[nodiscard]] tl::expected<UniqueFd, OsError> create_log(const std::string& file);

/// write(2) until all of it is there. After an error a part of `text` may be.
[[nodiscard]] tl::expected<void, Errno> append(const UniqueFd& file, std::string_view text);

/// A regular file of at most `limit` bytes; EFBIG, and EINVAL for what is no regular file. Never
/// waits for the other end of a FIFO.
[[nodiscard]] tl::expected<std::string, OsError> read_regular_file(const std::string& file,
                                                                   std::size_t limit);

}  // namespace pmg::platform
