#include "fuzz_target.hpp"

FUZZ_TARGET(useless_rules_allow_nothing)
