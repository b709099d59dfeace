#!/bin/sh
# Line 25: as 25_own_state.c, with nothing opened on the command line.
# world: pmg
# env: PMG_BINARY=${PMG}
# setup: mkdir -p "$HOME/.cache/safedep/pmg" "$HOME/.local/share/safedep/pmg"; echo kept >"$HOME/.local/share/safedep/pmg/store"
# setup: mkdir -p "$HOME/.cache/safedep/pmg/sandbox/runs"; echo kept >"$HOME/.cache/safedep/pmg/sandbox/runs/record"
# optional: binary* the binary belongs to somebody else, or is running
# optional: system* belongs to root
exec 25_own_state
