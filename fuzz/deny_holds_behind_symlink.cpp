#include "fuzz_target.hpp"

FUZZ_TARGET(deny_holds_behind_symlink)
