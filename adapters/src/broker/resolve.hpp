/// From the text of a path to the object it means, resolved once and held by a descriptor.
///
///   auto object = resolve_object(request, Follow::yes);     // something that exists
///   auto place = resolve_place(request);                    // a directory and a name in it
///
/// The kernel walks the path; what it cannot walk for somebody else (`/proc/self`, magic links) is
/// walked here component by component. Whatever is returned is judged and used through its
/// descriptor, so a later change of any name changes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "broker/caller.hpp"
#include "broker/tree.hpp"

namespace pmg::adapters::broker {

enum class Follow : std::uint8_t { no, yes };

/// What the kernel puts behind the name of something unlinked (d_path in fs/d_path.c).
inline constexpr std::string_view kDeletedSuffix = " (deleted)";

/// A descriptor of a process of the tree, named as /proc/<pid>/fd/<number>.
struct DescriptorName {
  pid_t process;
  int number;
};

struct Object {
  platform::UniqueFd fd;  ///< O_PATH
  std::string real;       ///< the kernel's name of it; "pipe:[7]" and the like for what has no path
  std::string
      spelled;  ///< absolute form of the text used; equal to `real` where no symlink was met
  struct stat info;
  std::optional<DescriptorName> via;  ///< set when the last step went through /proc/<pid>/fd
};

/// A directory and the last component of a path. The name may end in '/' as it was written.
struct Place {
  platform::UniqueFd parent;  ///< O_PATH
  std::string name;
  std::string real;     ///< canonical parent + name, without a trailing '/'
  std::string spelled;  ///< as for Object
};

struct PathRequest {
  const Caller& caller;
  const ProcessTree& tree;
  Base base;
  std::string path;
  std::uint64_t resolve = 0;  ///< RESOLVE_* flags of openat2(2)
};

/// Reads the path of argument `path_index`, relative to the descriptor of argument `dir_index` or
/// to the working directory.
[[nodiscard]] Result<PathRequest> request_at(const Caller& caller, const ProcessTree& tree,
                                             std::size_t dir_index, std::size_t path_index);
[[nodiscard]] Result<PathRequest> request_cwd(const Caller& caller, const ProcessTree& tree,
                                              std::size_t path_index);

[[nodiscard]] Result<Object> resolve_object(const PathRequest& request, Follow follow);

[[nodiscard]] Result<Place> resolve_place(const PathRequest& request);

/// An object that one of the caller's descriptors refers to.
[[nodiscard]] Result<Object> object_of_descriptor(const Caller& caller, int fd);

/// What a *at call with AT_EMPTY_PATH means: the same, or the working directory for AT_FDCWD.
[[nodiscard]] Result<Object> object_at(const Caller& caller, int fd);

/// Whether a descriptor was opened with O_PATH.
[[nodiscard]] bool is_only_a_name(const DescriptorName& descriptor);

/// Wraps a descriptor that is held already.
[[nodiscard]] Result<Object> describe(const Caller& caller, platform::UniqueFd fd);

/// The component-wise walk of `path` from the start of `request`.
[[nodiscard]] Result<Object> walk_path(const PathRequest& request, const std::string& path,
                                       Follow follow);

}  // namespace pmg::adapters::broker
