#include "fuzz_target.hpp"

FUZZ_TARGET(presets_only_add)
