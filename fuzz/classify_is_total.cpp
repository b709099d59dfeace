#include "fuzz_target.hpp"

FUZZ_TARGET(classify_is_total)
