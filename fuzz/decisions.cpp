// What is allowed and denied, operation by operation.
#include "family.hpp"

FUZZ_FAMILY(PROPERTY(deny_beats_allow), PROPERTY(deny_is_monotone),
            PROPERTY(nothing_unlisted_is_allowed), PROPERTY(allow_stays_within_its_pattern),
            PROPERTY(read_and_write_agree_with_model), PROPERTY(spelling_only_narrows),
            PROPERTY(decide_is_total), PROPERTY(sockets_of_the_host_need_a_rule),
            PROPERTY(only_what_is_considered_decides))
