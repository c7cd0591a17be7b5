#!/bin/sh
# Compiles the types of the sample for the tests, after the lane: target/sample/payload.jar.
set -eu
cd "$(dirname "$0")/.."
mvn --batch-mode --quiet --no-transfer-progress --file generate/pom.xml package
mkdir -p target/sample
cp sample/Types.scala sample/root.txt sample/manywire.binpb target/sample
java -Xss64m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -jar generate/target/generate.jar target/sample target/sample/payload.jar
