// What clients send first: TLS, HTTP, SOCKS5.
#include "family.hpp"

FUZZ_FAMILY(PROPERTY(hello_pieces_change_nothing), PROPERTY(hello_names_what_was_asked),
            PROPERTY(requests_survive_forwarding), PROPERTY(body_pieces_change_nothing),
            PROPERTY(socks_messages_end_once), PROPERTY(openings_are_decided_once))
