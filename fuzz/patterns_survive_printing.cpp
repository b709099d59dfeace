#include "fuzz_target.hpp"

FUZZ_TARGET(patterns_survive_printing)
