#!/bin/sh
# Compiles a program with the packages of packages.lock, those of further files with names of packages,
# and further flags of GHC:
#   sh compile.sh OUTPUT MAIN [FILE | -FLAG]...
set -eu
output=$1
main=$2
shift 2
locks=packages.lock
flags=
for argument; do
  case $argument in
    -*) flags="$flags $argument" ;;
    *) locks="$locks $argument" ;;
  esac
done
mkdir -p "$(dirname "$output")"
# Names of packages and files have no spaces.
# shellcheck disable=SC2046,SC2086
set -- $(sed 's/^/-package /' $locks) $flags
# -T: the runtime counts collections. -K: a document nested too deeply is an error, and takes no more memory.
exec ghc -v1 -O2 -Wall -threaded -rtsopts=ignoreAll "-with-rtsopts=-T -K256m" \
  -hide-all-packages -isrc "-i$(dirname "$main")" -outputdir "$output.objects" \
  -o "$output" "$main" "$@"
