#!/bin/sh
# Builds both halves of the replay: with the versions of today here, with those of the evaluation in finch.
set -eu
cd "$(dirname "$0")"
mvn --batch-mode --quiet --no-transfer-progress package
cd finch
mvn --batch-mode --quiet --no-transfer-progress package
