#include "fuzz_target.hpp"

FUZZ_TARGET(deny_is_monotone)
