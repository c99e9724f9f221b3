#!/bin/sh
# usage: pyperf.sh BASE HEAD SCRIPT [PERCENT]
# Ends with 1 where pyperf finds a benchmark significantly slower, by more than PERCENT (5), and with
# 127 where it fails: its compare_to always ends with 0. Needs PYTHON with pyperf.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
run() {
    (cd "$1" && PYTHONPATH=src "${PYTHON:-python3}" "$2" --fast --quiet \
        --inherit-environ PYTHONPATH -o "$3") >&2 || exit 127
}
run "$1" "$3" "$out/base.json"
run "$2" "$3" "$out/head.json"
"${PYTHON:-python3}" -m pyperf compare_to "$out/base.json" "$out/head.json" \
    --table --table-format=md "--min-speed=${4:-5}" >"$out/table" || exit 127
cat "$out/table"
! grep -q 'slower' "$out/table"
