#!/usr/bin/env bash
# Builds and runs the benchmarks of a group: scripts/bench.sh GROUP [ROUNDS]. One JSON line a figure on standard output, all else
# on standard error. docs/measuring.md says what the figures mean.
set -euo pipefail
cd "$(dirname "$0")/.."

groups=(bridge contact elastic fracture pile thesis)
usage() {
    echo "usage: scripts/bench.sh GROUP [ROUNDS >= 5]"
    echo "groups: ${groups[*]}"
}

build() {
    scripts/deps.sh >&2
    cmake --preset release >&2
    cmake --build --preset release --target "$@" >&2
}

run_elastic() {
    build bench_elastic bench_elastic_float64 bench_math
    build/release/bench/bench_elastic "" "$rounds"
    build/release/bench/bench_elastic_float64 implicit "$rounds"
    build/release/bench/bench_math "$rounds"
}

run_bridge() {
    build bench_bridge bench_bridge_escape
    build/release/bench/bench_bridge "$rounds"
    build/release/bench/bench_bridge_escape "${MOMENTS:-50}"
}

run_contact() {
    build bench_contact
    build/release/bench/bench_contact "$rounds"
}

# One run of 125 shards takes minutes; the figures are of one round. ACROSS and HIGH in the environment make it larger, CELLS the shards finer,
# and RUNS are as many in a row with jittered starts, of which none may fail.
run_pile() {
    build bench_pile
    build/release/bench/bench_pile "${ACROSS:-5}" "${HIGH:-5}" "${SECONDS_SIMULATED:-10}" "${SEED:-1}" "${CELLS:-2x2x4}" "${RUNS:-1}"
}

# Splits in bodies of three sizes, the beam that shatters (BEAM_CELLS: more sizes, as cells over its height), and what breaking takes of the first frames
# of the examples (SCENES: others, as FILE:FRAMES).
run_fracture() {
    build bench_fracture
    local scenes="${SCENES:-examples/glass_slab/scene.json:4 examples/bowls/bowl_4.json:24 examples/walls/wall_heavy.json:12 examples/trays/tray_1.json:24
        examples/thin_walls/wall_1.json:12 examples/cut_block/basic.json:6 examples/blast_window/scene.json:8 examples/cylinder_pull/brittle.json:12}"
    build/release/bench/bench_fracture split
    for cells in ${BEAM_CELLS:-8}; do build/release/bench/bench_fracture beam "$cells"; done
    for scene in $scenes; do build/release/bench/bench_fracture scene "${scene%:*}" "${scene##*:}"; done
}

# The scenes of the Thesis, whole, beside its table 6.1 (ROWS: some of them).
run_thesis() {
    build sunder
    # shellcheck disable=SC2086
    python3 bench/thesis.py ${ROWS:-}
}

group=${1:-}
rounds=${2:-5}
if [[ " ${groups[*]} " != *" $group "* || -z "$group" ]]; then
    echo "bench.sh: no group '$group'" >&2
    usage >&2
    exit 2
fi
if ! [[ "$rounds" =~ ^[0-9]+$ ]] || [ "$rounds" -lt 5 ]; then
    echo "bench.sh: '$rounds' rounds; at least 5 are needed for a median" >&2
    usage >&2
    exit 2
fi
"run_$group"
