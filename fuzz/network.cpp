// Hosts, addresses and the rules on them.
#include "family.hpp"

FUZZ_FAMILY(PROPERTY(hosts_agree_with_model), PROPERTY(host_denies_are_monotone),
            PROPERTY(host_denies_win_ties), PROPERTY(host_allows_stay_within),
            PROPERTY(host_spelling_changes_nothing), PROPERTY(inner_addresses_need_a_rule),
            PROPERTY(address_denies_hold_behind_names), PROPERTY(destinations_survive_printing))
