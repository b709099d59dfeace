#include "fuzz_target.hpp"

FUZZ_TARGET(nothing_unlisted_is_allowed)
