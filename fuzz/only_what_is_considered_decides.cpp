#include "fuzz_target.hpp"

FUZZ_TARGET(only_what_is_considered_decides)
