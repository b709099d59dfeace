#include "fuzz_target.hpp"

FUZZ_TARGET(glob_agrees_with_recursion)
