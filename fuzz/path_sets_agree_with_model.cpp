#include "fuzz_target.hpp"

FUZZ_TARGET(path_sets_agree_with_model)
