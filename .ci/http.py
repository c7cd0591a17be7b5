"""Runs the testers of .ci/http on the example, and compares their findings with the list."""

import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

work, example, listed = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])

# The requests for httplint: a label and the arguments of curl.
EXCHANGES = [
    ("a document", ["/hotels"]),
    ("a document, gzip", ["-H", "Accept-Encoding: gzip", "/hotels"]),
    ("a document, CBOR", ["-H", "Accept: application/cbor", "/hotels/7"]),
    ("OPTIONS", ["-X", "OPTIONS", "/hotels"]),
    ("a stream", ["/hotels/stream"]),
    ("text", ["/text/a%2Fb"]),
    ("nothing", ["/health"]),
    ("the description", ["/openapi.json"]),
    ("created", ["-H", "Content-Type: application/json", "-d",
                 '{"id":1,"name":"a","city":"b","stars":1,"rooms":[]}', "/hotels"]),
    ("404", ["/nothing"]),
    ("404 of an endpoint", ["/hotels/999"]),
    ("405", ["-X", "DELETE", "/hotels"]),
    ("406", ["-H", "Accept: text/html", "/hotels"]),
    ("415", ["-H", "Content-Type: text/plain", "-d", "x", "/hotels"]),
    ("422", ["-H", "Content-Type: application/json", "-d", "{}", "/hotels"]),
]


def h2spec(host, port):
    """Returns the failed cases of h2spec: section and description."""
    report = work / "h2spec.xml"
    report.unlink(missing_ok=True)
    # Requests the largest response, because some cases need a stream that stays open.
    command = [work / "bin/h2spec", "-h", host, "-p", port, "-P", "/hotels", "-o", "5", "-j", report]
    subprocess.run(command, stdout=subprocess.DEVNULL, timeout=120)
    cases = list(xml.parse(report).getroot().iter("testcase"))
    assert len(cases) >= 145, f"h2spec ran {len(cases)} cases"
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            yield f"h2spec {case.get('package')}: {case.get('classname')}"


def schemathesis(base):
    """Returns the failures of schemathesis by operation. The requests are the same in each run."""
    report = work / "schemathesis.json"
    report.unlink(missing_ok=True)
    command = [work / "venv/bin/schemathesis", "run", base + "/openapi.json", "--workers", "1",
               "--generation-deterministic", "--no-color", "--max-examples", "30",
               "--phases", "coverage,fuzzing", "--report-json-path", report]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         timeout=300, cwd=work)
    found = json.loads(report.read_text())
    assert found["complete"] and found["operations"]["tested"] == found["operations"]["total"] > 5
    assert not found["errors"] and found["test_cases"]["generated"] > 200, run.stdout
    for failure in found["failures"]:
        for operation in failure["operations"]:
            label = operation if isinstance(operation, str) else operation["label"]
            yield f"schemathesis {failure['code']} {label}: {failure['title']}"
    # The detail in the service's response tells apart failures that have the same title.
    for detail in re.findall(r'"detail":"([^"]*)"', run.stdout):
        yield "schemathesis was told: " + re.sub(r"`[^`]*`|\d+", "…", detail)


def httplint(base):
    """Returns the errors and warnings of httplint, each with the first exchange that shows it."""
    seen = {}
    for label, arguments in EXCHANGES:
        *options, path = arguments
        answer = subprocess.run(["curl", "-si", "--raw", "--http1.1", *options, base + path],
                                stdout=subprocess.PIPE, check=True, timeout=30)
        said = subprocess.run([work / "venv/bin/httplint", "-n"], input=answer.stdout,
                              stdout=subprocess.PIPE, check=True, timeout=60)
        lines = said.stdout.decode().splitlines()
        assert any(line.startswith("* [") for line in lines), (label, said.stdout)
        for line in lines:
            if line.startswith(("* [WARN]", "* [BAD]")):
                seen.setdefault(f"httplint {line[2:]}", label)
    yield from seen


def each_time(findings):
    """Returns the findings that all runs of a tester have in common: up to five runs, until the
    findings that remain are listed.

    h2spec sends a request and then a frame that breaks the protocol. Where the answer is complete
    before that frame arrives, the stream is closed, and there is nothing left to reset (RFC 9113,
    section 5.1): h2spec reports that as a fault in some runs. A real fault of the server occurs
    in each run.
    """
    found = set(findings())
    for _ in range(4):
        if found <= set(listed_findings()):
            break
        found &= set(findings())
    return found


def listed_findings():
    """Reads the list: one finding per line, with the common reason indented below."""
    findings, together = {}, []
    for line in listed.read_text().splitlines():
        if line.startswith(" "):
            for finding in together:
                findings[finding] += line.strip() + " "
        elif line and not line.startswith("#"):
            # Consecutive findings share a reason.
            together = [*together, line] if together and not findings[together[-1]] else [line]
            findings[line] = ""
    return findings


server = subprocess.Popen([example, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
try:
    base = server.stdout.readline().removeprefix("listening on ").strip()
    host, port = base.removeprefix("http://").split(":")
    found = each_time(lambda: h2spec(host, port)) | set(schemathesis(base)) | set(httplint(base))
    assert server.poll() is None, "the server has ended"
finally:
    server.kill()

known = listed_findings()
failed = False
for finding in sorted(found - set(known)):
    print(f"not listed: {finding}")
    failed = True
for finding, reason in known.items():
    if not reason.strip():
        print(f"without a reason: {finding}")
        failed = True
    if finding not in found:
        print(f"listed, but no longer found: {finding}")
        failed = True
    else:
        print(f"known: {finding}")
sys.exit(failed)
