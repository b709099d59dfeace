#include "fuzz_target.hpp"

FUZZ_TARGET(rename_is_no_more_than_remove_and_create)
