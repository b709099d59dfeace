#include "fuzz_target.hpp"

FUZZ_TARGET(decide_is_total)
