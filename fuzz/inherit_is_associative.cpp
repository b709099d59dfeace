#include "fuzz_target.hpp"

FUZZ_TARGET(inherit_is_associative)
