// Policies that inherit from policies.
#include "family.hpp"

FUZZ_FAMILY(PROPERTY(inherit_unites_lists), PROPERTY(inherit_loses_no_deny),
            PROPERTY(inherit_takes_unset_toggles), PROPERTY(inherit_is_associative))
