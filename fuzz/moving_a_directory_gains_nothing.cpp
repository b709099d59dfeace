#include "fuzz_target.hpp"

FUZZ_TARGET(moving_a_directory_gains_nothing)
