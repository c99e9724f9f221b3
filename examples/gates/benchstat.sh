#!/bin/sh
# usage: benchstat.sh BASE HEAD REGEX [PERCENT]
# Ends with 1 where benchstat calls a benchmark slower, by more than PERCENT (5), and with 127 where
# there is nothing to compare. Needs golang.org/x/perf/cmd/benchstat.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
run() {
    (cd "$1" && go test -run '^$' -bench "$2" -benchtime 100ms -count 10 .) >"$3" || {
        cat "$3"
        exit 127
    }
}
run "$1" "$3" "$out/base"
run "$2" "$3" "$out/head"
benchstat -format csv "$out/base" "$out/head" >"$out/table" 2>/dev/null || exit 127
# A table without a benchmark that both have would never alarm.
grep -qE '^[^,]+,[0-9.e-]+,[^,]*,[0-9.e-]+,' "$out/table" || exit 127
awk -F, -v limit="${4:-5}" '
    /^,/ { times = $2 == "sec/op" }
    times && $1 != "geomean" && $6 ~ /^\+/ && substr($6, 2) + 0 > limit { print $1, $6; slower = 1 }
    END { exit slower }
' "$out/table"
