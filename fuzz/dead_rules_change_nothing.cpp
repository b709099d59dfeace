#include "fuzz_target.hpp"

FUZZ_TARGET(dead_rules_change_nothing)
