#include "fuzz_target.hpp"

FUZZ_TARGET(inherit_unites_lists)
