#include "fuzz_target.hpp"

FUZZ_TARGET(inherit_takes_unset_toggles)
