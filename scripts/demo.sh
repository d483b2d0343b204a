#!/usr/bin/env bash
# Installs what is missing, builds a release, shatters a slab of glass and crumples a tube of aluminium, draws both, and says where the results are.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh
cmake --preset release >/dev/null
cmake --build --preset release --target sunder
for scene in slab tube; do
    out=out/demo/$scene
    if [ "$scene" = slab ]; then camera=(--elevation 38); else camera=(--azimuth 160 --elevation 30); fi
    build/release/bin/sunder simulate "examples/demo/$scene.json" --out "$out" --overwrite
    build/release/bin/sunder render "$out" --size 720 405 --fps 12 --flat "${camera[@]}"
done

echo
for out in out/demo/slab out/demo/tube; do
    echo "frames    $out/frame.0001.bgeo.sc ... $(ls "$out" | grep -c '\.bgeo\.sc$') in all"
    echo "record    $out/manifest.json"
    echo "pictures  $out/frame.0001.png ... $(ls "$out" | grep -c '\.png$') in all"
    echo "movie     $out/movie.mp4"
done
