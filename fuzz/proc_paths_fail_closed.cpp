#include "fuzz_target.hpp"

FUZZ_TARGET(proc_paths_fail_closed)
