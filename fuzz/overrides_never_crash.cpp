#include "fuzz_target.hpp"

FUZZ_TARGET(overrides_never_crash)
