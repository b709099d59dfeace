#include "fuzz_target.hpp"

FUZZ_TARGET(hooks_cannot_be_lifted)
