#include "fuzz_target.hpp"

FUZZ_TARGET(deny_beats_allow)
