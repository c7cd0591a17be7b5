#!/bin/sh
# Compiles a program with the packages of packages.lock, and of further files with names of packages:
#   sh compile.sh OUTPUT MAIN [FILE...]
set -eu
output=$1
main=$2
shift 2
packages=$(sed 's/^/-package /' packages.lock "$@")
mkdir -p "$(dirname "$output")"
# -T: the runtime counts collections. -K: a document nested too deeply is an error, and takes no more memory.
# shellcheck disable=SC2086
exec ghc -v1 -O2 -Wall -threaded -rtsopts=ignoreAll "-with-rtsopts=-T -K256m" \
  -hide-all-packages $packages -isrc "-i$(dirname "$main")" \
  -outputdir "$output.objects" -o "$output" "$main"
