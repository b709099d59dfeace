#include "fuzz_target.hpp"

FUZZ_TARGET(saved_overrides_keep_their_meaning)
