#include "fuzz_target.hpp"

FUZZ_TARGET(scrub_leaks_no_denied_name)
