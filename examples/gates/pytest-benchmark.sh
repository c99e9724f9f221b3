#!/bin/sh
# usage: pytest-benchmark.sh BASE HEAD FILE [PERCENT]
# Ends with 1 where the median of a benchmark is more than PERCENT (10) above that of base, and with
# 127 where tests fail. Needs PYTHON with pytest, pytest-benchmark and what the project needs.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
run() {
    folder=$1 file=$2
    shift 2
    (cd "$folder" && PYTHONPATH=src "${PYTHON:-python3}" -m pytest -q -p no:cacheprovider \
        --benchmark-enable "$file" --benchmark-storage="file://$out" "$@") >"$out/log" 2>&1
}
run "$1" "$3" --benchmark-save=base || {
    cat "$out/log"
    exit 127
}
run "$2" "$3" --benchmark-compare --benchmark-compare-fail="median:${4:-10}%" && exit 0
# It ends with 1 for a failed test, too.
grep 'Performance has regressed' "$out/log" || {
    cat "$out/log"
    exit 127
}
exit 1
