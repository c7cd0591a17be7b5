#!/bin/sh
# Measures the forms of the record: sizes and times (replay/criterion.json), and allocations
# (replay/weigh.txt). Run it in the folder of the lane, on a machine that does nothing else.
set -eu
sh compile.sh bin/replay-time replay/Time.hs replay/packages.lock
# weigh passes options of the runtime to its processes.
sh compile.sh bin/replay-allocations replay/Allocations.hs replay/packages.lock -rtsopts
bin/replay-time --json replay/criterion.json "$@"
bin/replay-allocations | tee replay/weigh.txt
