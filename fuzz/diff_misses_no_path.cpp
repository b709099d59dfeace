#include "fuzz_target.hpp"

FUZZ_TARGET(diff_misses_no_path)
