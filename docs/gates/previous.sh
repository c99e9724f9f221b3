#!/bin/sh
# usage: previous.sh BASE HEAD REGEX [FACTOR]
# Alarms where a benchmark, run once, takes more than FACTOR (1.5) times as long as before.
set -eu
run() {
    (cd "$1" && go test -run '^$' -bench "$2" -benchtime 100ms -count 1 .) |
        awk '/ns\/op/ { sub(/-[0-9]+$/, "", $1); print $1, $3 }' | sort
}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
run "$1" "$3" >"$out/base"
run "$2" "$3" >"$out/head"
join "$out/base" "$out/head" >"$out/both"
test -s "$out/both"
awk -v limit="${4:-1.5}" '$3 > limit * $2 { print; slower = 1 } END { exit slower }' "$out/both"
