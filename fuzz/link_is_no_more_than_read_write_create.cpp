#include "fuzz_target.hpp"

FUZZ_TARGET(link_is_no_more_than_read_write_create)
