// What overrides, opt-outs, presets and suggestions add.
#include "family.hpp"

FUZZ_FAMILY(PROPERTY(opt_out_lifts_only_what_it_names), PROPERTY(opt_out_lifts_what_it_names),
            PROPERTY(overrides_only_add), PROPERTY(presets_only_add),
            PROPERTY(presets_lift_nothing), PROPERTY(suggestions_allow_what_was_asked))
