// Denies that hold whatever a policy allows, under whatever name.
#include "family.hpp"

FUZZ_FAMILY(PROPERTY(hooks_cannot_be_lifted), PROPERTY(deny_holds_behind_symlink),
            PROPERTY(other_spellings_are_denied), PROPERTY(folding_only_narrows),
            PROPERTY(folding_forgets_the_spelling))
