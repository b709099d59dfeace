#include "fuzz_target.hpp"

FUZZ_TARGET(other_spellings_are_denied)
