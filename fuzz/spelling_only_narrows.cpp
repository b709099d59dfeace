#include "fuzz_target.hpp"

FUZZ_TARGET(spelling_only_narrows)
