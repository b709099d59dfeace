#include "fuzz_target.hpp"

FUZZ_TARGET(folding_forgets_the_spelling)
