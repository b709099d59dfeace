#include "fuzz_target.hpp"

FUZZ_TARGET(opt_out_lifts_only_what_it_names)
