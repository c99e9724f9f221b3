#!/bin/sh
# usage: pyperf.sh BASE HEAD SCRIPT [PERCENT]
# Alarms where pyperf finds a benchmark significantly slower, by more than PERCENT (5).
# Needs PYTHON with pyperf; its compare_to always ends with 0, so what it prints is looked at.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for side in base head; do
    folder=$1
    [ "$side" = base ] || folder=$2
    (cd "$folder" && PYTHONPATH=src "${PYTHON:-python3}" "$3" --fast --quiet \
        --inherit-environ PYTHONPATH -o "$out/$side.json") >&2
done
"${PYTHON:-python3}" -m pyperf compare_to "$out/base.json" "$out/head.json" \
    --table --table-format=md "--min-speed=${4:-5}" | tee "$out/table"
! grep -q 'slower' "$out/table"
