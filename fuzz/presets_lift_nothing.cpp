#include "fuzz_target.hpp"

FUZZ_TARGET(presets_lift_nothing)
