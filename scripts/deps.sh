#!/usr/bin/env bash
# Installs the Debian packages that Sunder is built from, and nothing else. Asks for nothing; uses sudo where it is not root.
set -euo pipefail

packages=(
    build-essential cmake ninja-build pkg-config git
    libeigen3-dev libtbb-dev zlib1g-dev libblosc-dev nlohmann-json3-dev libcli11-dev
    libtet1.5-dev libsuitesparse-dev libopenblas-dev
    libembree-dev libpng-dev ffmpeg
    libgtest-dev libbenchmark-dev libbullet-dev libgmp-dev libfcl-dev libcgal-dev
    clang clang-format
    python3 python3-dev python3-venv python3-setuptools python3-wheel python3-numpy python3-pytest pybind11-dev
    slurm-wlm munge
)

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi

run=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "deps.sh: run as root, or install sudo; missing: ${missing[*]}" >&2; exit 1; }
    run=(sudo)
fi
echo "deps.sh: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${run[@]}" apt-get update -qq
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
