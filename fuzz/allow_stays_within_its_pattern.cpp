#include "fuzz_target.hpp"

FUZZ_TARGET(allow_stays_within_its_pattern)
