#include "fuzz_target.hpp"

FUZZ_TARGET(paths_survive_printing)
