#include "fuzz_target.hpp"

FUZZ_TARGET(read_and_write_agree_with_model)
