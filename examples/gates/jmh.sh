#!/bin/sh
# usage: jmh.sh BASE HEAD REGEX [FACTOR]
# Ends with 1 where the score of a benchmark in JMH's JSON is worse than FACTOR (1.1) times as bad as
# before, and with 127 where there is nothing to compare. For Maven projects with their benchmarks
# among the tests; options of JMH in JMH_OPTIONS.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
run() {
    cd "$1"
    mvn -q -B test-compile dependency:build-classpath -Dmdep.outputFile="$out/classpath" \
        >"$out/log" 2>&1 || { cat "$out/log"; exit 127; }
    # shellcheck disable=SC2086 # options are words
    java -cp "target/test-classes:target/classes:$(cat "$out/classpath")" org.openjdk.jmh.Main \
        "$2" ${JMH_OPTIONS:--f 3 -wi 5 -i 5 -w 200ms -r 200ms} -foe true -rf json -rff "$3" \
        >"$out/log" 2>&1 || { cat "$out/log"; exit 127; }
}
(run "$1" "$3" "$out/base.json")
(run "$2" "$3" "$out/head.json")
python3 - "$out/base.json" "$out/head.json" "${4:-1.1}" <<'PY'
import json
import sys


def scores(path):
    with open(path) as file:
        return {
            (one["benchmark"], str(one.get("params")), one["mode"]): one["primaryMetric"]["score"]
            for one in json.load(file)
        }


base, head = map(scores, sys.argv[1:3])
both = base.keys() & head.keys()
if not both:
    sys.exit(127)
worse = 0
for key in sorted(both):
    ratio = base[key] / head[key] if key[2] == "thrpt" else head[key] / base[key]
    print(f"{key[0]}: {ratio:.3f}")
    worse |= ratio > float(sys.argv[3])
sys.exit(worse)
PY
