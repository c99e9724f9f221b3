#!/bin/sh
# usage: compare.sh BASE HEAD REGEX [options of bench-audit compare]
# Ends with 1 where bench-audit confirms a regression. BASE and HEAD are git checkouts.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
base=$1 head=$2 regex=$3
shift 3
bench-audit compare "git:$base@HEAD" "git:$head@HEAD" --benchmarks "$regex" --methods 0 \
    --fail-on regression --inconclusive pass --quiet -o "$out" "$@"
