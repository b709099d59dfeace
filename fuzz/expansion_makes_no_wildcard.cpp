#include "fuzz_target.hpp"

FUZZ_TARGET(expansion_makes_no_wildcard)
