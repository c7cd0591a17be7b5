#!/bin/sh
# Runs the benchmarks of both halves by JMH: time, and bytes allocated for one operation (gc.alloc.rate.norm).
# The arguments are options of JMH, such as `-f 1 -r 200ms`.
set -eu
cd "$(dirname "$0")"
sh build.sh
for jar in target/replay.jar finch/target/finch.jar; do
  java -cp "$jar" org.openjdk.jmh.Main -prof gc -foe true "$@"
done
