#include "fuzz_target.hpp"

FUZZ_TARGET(folding_only_narrows)
