// What lint and diff say of a policy.
#include "family.hpp"

FUZZ_FAMILY(PROPERTY(path_sets_agree_with_model), PROPERTY(dead_rules_change_nothing),
            PROPERTY(useless_rules_allow_nothing), PROPERTY(diff_misses_no_path))
