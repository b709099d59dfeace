// Variables and their names.
#include "family.hpp"

FUZZ_FAMILY(PROPERTY(scrub_leaks_no_denied_name), PROPERTY(scrub_ignores_case),
            PROPERTY(scrub_keeps_protected_names), PROPERTY(dead_variables_change_nothing),
            PROPERTY(diff_misses_no_variable))
