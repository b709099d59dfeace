// Renames, links and what they could carry along.
#include "family.hpp"

FUZZ_FAMILY(PROPERTY(rename_is_no_more_than_remove_and_create),
            PROPERTY(link_is_no_more_than_read_write_create),
            PROPERTY(moving_a_directory_gains_nothing), PROPERTY(moving_a_directory_plants_nothing),
            PROPERTY(denied_paths_stay_in_place))
