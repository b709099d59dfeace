#include "fuzz_target.hpp"

FUZZ_TARGET(suggestions_allow_what_was_asked)
