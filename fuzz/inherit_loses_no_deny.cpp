#include "fuzz_target.hpp"

FUZZ_TARGET(inherit_loses_no_deny)
