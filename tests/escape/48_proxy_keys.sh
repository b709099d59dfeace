#!/bin/sh
# Line 48: credentials of the proxy and keys of its authority. Listed, and not made: there is no proxy yet.
. "$(dirname "$0")/attack.sh"
for name in proxy-credentials authority-key; do
  skip "$name" "network rules are not enforced yet"
done
