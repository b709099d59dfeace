// Patterns, paths, overrides and commands as text.
#include "family.hpp"

FUZZ_FAMILY(PROPERTY(expansion_makes_no_wildcard), PROPERTY(glob_agrees_with_recursion),
            PROPERTY(patterns_survive_printing), PROPERTY(paths_survive_printing),
            PROPERTY(normalise_is_idempotent), PROPERTY(overrides_never_crash),
            PROPERTY(saved_overrides_keep_their_meaning), PROPERTY(proc_paths_fail_closed),
            PROPERTY(classify_is_total))
