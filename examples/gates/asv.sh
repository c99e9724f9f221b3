#!/bin/sh
# usage: asv.sh BASE HEAD REGEX [FACTOR]
# Ends with 1 where asv calls a benchmark worse by more than FACTOR (1.1), and with 127 where there is
# nothing to compare. BASE and HEAD are git checkouts; needs asv in PYTHON (python3).
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
python=${PYTHON:-python3}
git clone -q "$2" "$out/head"
cd "$out/head"
git fetch -q "$1" HEAD:refs/heads/gate-base
# Benchmarks that fail have no value in either, and asv would say that nothing has changed.
"$python" -m asv machine --yes >/dev/null
code=0
"$python" -m asv continuous gate-base HEAD --bench "$3" --factor "${4:-1.1}" --show-stderr \
    >"$out/log" 2>&1 || code=$?
cat "$out/log"
grep -Eq '^\[[0-9. %]+\] (···|\.\.\.) .* [0-9.]+ *±' "$out/log" || exit 127
exit "$code"
