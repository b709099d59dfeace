#include "fuzz_target.hpp"

FUZZ_TARGET(scrub_keeps_protected_names)
