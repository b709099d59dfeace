#include "fuzz_target.hpp"

FUZZ_TARGET(normalise_is_idempotent)
