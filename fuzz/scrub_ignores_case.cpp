#include "fuzz_target.hpp"

FUZZ_TARGET(scrub_ignores_case)
