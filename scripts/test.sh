#!/usr/bin/env bash
# Installs what is missing, builds a release and runs every test; with --slow, examples are simulated whole as well, which takes long. The last line is the count.
set -euo pipefail
cd "$(dirname "$0")/.."

slow=()
if [ "${1:-}" = --slow ]; then slow=(-C slow); fi
scripts/deps.sh
cmake --preset release >/dev/null
cmake --build --preset release
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
ctest --preset release -j 2 ${slow[@]+"${slow[@]}"} 2>&1 | tee "$log" || status=$?

failed=$(sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\1/p' "$log" | tail -1)
total=$(sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\2/p' "$log" | tail -1)
skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
echo "$((${total:-0} - ${failed:-0} - skipped)) passed, ${failed:-0} failed, $skipped skipped"
exit "$status"
