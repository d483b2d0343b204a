#!/usr/bin/env bash
# Installs what is missing, builds a release, simulates and draws the demo scene, and says where the results are.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh
cmake --preset release >/dev/null
cmake --build --preset release --target sunder
out=out/demo
build/release/bin/sunder simulate examples/demo/scene.json --out "$out" --overwrite
build/release/bin/sunder render "$out"

echo
echo "frames    $out/frame.0001.bgeo.sc ... $(ls "$out" | grep -c '\.bgeo\.sc$') in all"
echo "record    $out/manifest.json"
echo "pictures  $out/frame.0001.png ... $(ls "$out" | grep -c '\.png$') in all"
echo "movie     $out/movie.mp4"
