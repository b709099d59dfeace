#include "fuzz_target.hpp"

FUZZ_TARGET(denied_paths_stay_in_place)
