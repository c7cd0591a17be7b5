#!/bin/sh
# One launch of the replay: prints the figures of both halves as one JSON object.
set -eu
cd "$(dirname "$0")"
printf '{"figures": ['
java -cp target/replay.jar manywire.replay.Launch today
printf ','
java -cp finch/target/finch.jar manywire.replay.Launch then
printf ']}\n'
