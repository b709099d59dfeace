#include "fuzz_target.hpp"

FUZZ_TARGET(sockets_of_the_host_need_a_rule)
