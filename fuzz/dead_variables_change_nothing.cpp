#include "fuzz_target.hpp"

FUZZ_TARGET(dead_variables_change_nothing)
