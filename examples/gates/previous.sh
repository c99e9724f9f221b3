#!/bin/sh
# usage: previous.sh BASE HEAD REGEX [FACTOR]
# Ends with 1 where a benchmark, run once, takes more than FACTOR (1.5) times as long as before, and
# with 127 where there is nothing to compare.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
run() {
    (cd "$1" && go test -run '^$' -bench "$2" -benchtime 100ms -count 1 .) >"$out/log" || {
        cat "$out/log"
        exit 127
    }
    awk '/ns\/op/ { sub(/-[0-9]+$/, "", $1); print $1, $3 }' "$out/log" | sort >"$3"
}
run "$1" "$3" "$out/base"
run "$2" "$3" "$out/head"
join "$out/base" "$out/head" >"$out/both"
test -s "$out/both" || exit 127
awk -v limit="${4:-1.5}" '$3 > limit * $2 { print; slower = 1 } END { exit slower }' "$out/both"
