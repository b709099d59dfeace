#!/bin/sh
# Line 23: settings of agents: hooks and servers that the next agent starts outside any sandbox.
# They are denied in HOME and in the project, also where the directories of the agents are writable,
# as they are for an agent that runs inside (M2, M6).
# world: agents
# setup: mkdir -p .vscode
# flags: --sandbox-allow write=${HOME}/.claude --sandbox-allow write=${HOME}/.codex --sandbox-allow write=${HOME}/.gemini
# flags: --sandbox-allow write=${HOME}/.cursor
# changes: .claude*
# changes: .codex*
# changes: .gemini*
# changes: .cursor*
# settle: cd "$HOME"; for f in .claude/settings.json .codex/config.toml .gemini/settings.json .cursor/mcp.json .mcp.json; do grep -qx '{}' $f; done
# settle: test ! -e .claude/hooks && test ! -e .claude/settings.local.json && test ! -e .codex/hooks && test ! -e .cursor/hooks.json
# says: refused write ${HOME}/\.claude/settings\.json
# says: refused rename ${HOME}/\.claude
. "$(dirname "$0")/attack.sh"

lock_and_rename() { plant "$1.lock" && mv -f "$1.lock" "$1"; }
replace() { rm -f "$1" && plant "$1"; }
link_over() { rm -f ours && plant ours && ln -f ours "$1"; }
symlink_over() { plant ours && ln -sf "$PWD/ours" "$1"; }
away() { mv "$1" "$1.away" && plant "$1.away/$2" && mv "$1.away" "$1"; }
prepared() { mkdir -p "$TMPDIR/$3" && plant "$TMPDIR/$3/$2" && mv "$1" "$1.was" && mv "$TMPDIR/$3" "$1"; }

plant "$HOME/.claude/state" || { echo "the agent cannot keep its state"; exit 4; }
for settings in .claude/settings.json .codex/config.toml .gemini/settings.json .cursor/mcp.json; do
  for place in "$HOME" .; do
    label=$([ "$place" = . ] && echo project || echo home):$settings
    try "$label:write" plant "$place/$settings"
    try "$label:lock" lock_and_rename "$place/$settings"
    try "$label:replace" replace "$place/$settings"
    try "$label:link" link_over "$place/$settings"
    try "$label:symlink" symlink_over "$place/$settings"
    try "$label:away" away "$place/${settings%/*}" "${settings##*/}"
    try "$label:prepared" prepared "$place/${settings%/*}" "${settings##*/}" "$(echo "$label" | tr / _)"
  done
done
try home:.mcp.json:lock lock_and_rename "$HOME/.mcp.json"
try project:.mcp.json:lock lock_and_rename .mcp.json
try project:.mcp.json:symlink symlink_over .mcp.json
for name in .claude/settings.local.json .cursor/hooks.json .codex/hooks.json; do
  try "home:$name" plant "$HOME/$name"
  try "project:$name" plant "$name"
done
try home:.claude/hooks mkdir "$HOME/.claude/hooks"
try project:.claude/hooks mkdir .claude/hooks
try project:.vscode/mcp.json lock_and_rename .vscode/mcp.json
try project:opencode.json plant opencode.json
