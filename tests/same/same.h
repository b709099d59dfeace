/// What every probe uses: one line of output for each call, so that two runs can be compared.
///
///   SHOW(rename("a", "b"));        // rename("a", "b") = 0      or      rename("a", "b") = ENOENT
///   about("in %s", directory);     // put before every line that follows
///   show_node("b");                // kind, mode, owner, links, size, content
///
/// A probe prints nothing that differs from run to run: no process ids, no addresses, no clock.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/// Makes the call and shows its result, or the name of its error; returns the result.
#define SHOW(call) (errno = 0, show(#call, (long)(call)))
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

long show(const char* text, long result);
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));
void about(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// lstat and content; "now" for times of the last minute, else the seconds and nanoseconds.
void show_node(const char* path);
void show_times(const char* path);
/// Flags of an open descriptor, and what it is open on.
void show_fd(int fd);
/// What can be read from a descriptor at once.
void show_read(int fd);

/// A new file. Ends the probe when it cannot be made.
void put(const char* path, const char* text, mode_t mode);
/// Ends the probe with a message: the world is not what the probe needs.
void need(int good, const char* what);

/// Removes a directory and everything in it.
void remove_tree(const char* path);

/// fork(2); the child does not outlive the probe by much.
pid_t start_child(void);
/// Runs `part` in a child and shows how it ended.
void in_child(void (*part)(void));
/// Ends the child and shows how.
void show_end(pid_t child);
void nap(int milliseconds);

#define PROBES(each)                                                                               \
  each(opening) each(creating) each(names) each(long_paths) each(links) each(renaming)             \
      each(removing) each(directories) each(fifos) each(terminals) each(descriptors) each(deleted) \
          each(temporary) each(path_only) each(memory_files) each(openat2_flags)                   \
              each(openat2_paths) each(masks) each(modes) each(working_directory) each(mounts)     \
                  each(times) each(attributes) each(truncating) each(executing) each(identity)     \
                      each(sockets) each(locks) each(watching) each(access_times) each(processes)  \
                          each(sharing)
#define DECLARE(name) void name(void);
PROBES(DECLARE)
#undef DECLARE
