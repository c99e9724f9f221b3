#!/bin/sh
# usage: benchstat.sh BASE HEAD REGEX [PERCENT]
# Alarms where benchstat calls a benchmark slower, and it is so by more than PERCENT (5).
# Needs golang.org/x/perf/cmd/benchstat.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
run() {
    (cd "$1" && go test -run '^$' -bench "$2" -benchtime 100ms -count 10 .) >"$3"
}
run "$1" "$3" "$out/base"
run "$2" "$3" "$out/head"
benchstat -format csv "$out/base" "$out/head" >"$out/table" 2>/dev/null
grep -q '^[^,]*,[0-9.e-]*,[^,]*,[0-9.e-]*,' "$out/table" # a table that is not there compares nothing
awk -F, -v limit="${4:-5}" '
    /^,/ { times = $2 == "sec/op" }
    times && $1 != "geomean" && $6 ~ /^\+/ { sub(/^\+/, "", $6); if ($6 + 0 > limit) { print; slower = 1 } }
    END { exit slower }
' "$out/table"
