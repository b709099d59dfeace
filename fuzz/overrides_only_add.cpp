#include "fuzz_target.hpp"

FUZZ_TARGET(overrides_only_add)
