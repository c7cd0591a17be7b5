"""Parses the metrics of the example with the official Prometheus parsers, in both formats, and with
promtool if it is installed. The counts must match the requests that were sent."""

import shutil
import subprocess
import sys
import urllib.error
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_open
from prometheus_client.parser import text_string_to_metric_families as read_text

TEXT = "text/plain;version=0.0.4"
OPEN = "application/openmetrics-text;version=1.0.0"

# The requests, with the route and the status that they are counted under.
REQUESTS = [("/hotels/7", "/hotels/{id}", "200"), ("/hotels/8", "/hotels/{id}", "200"),
         ("/hotels/999", "/hotels/{id}", "404"), ("/nothing", "", "404"),
         ("/hotels/stream", "/hotels/stream", "200")]
TIMES = 5


def get(url, accept="*/*"):
    request = urllib.request.Request(url, headers={"Accept": accept})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.headers["Content-Type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.headers["Content-Type"], error.read().decode()


def requests(families):
    """Returns the number of requests by route and status."""
    found = {}
    for family in families:
        for sample in family.samples:
            if sample.name == "http_server_requests_total":
                key = sample.labels["route"], sample.labels["status"]
                found[key] = found.get(key, 0) + sample.value
    return found


server = subprocess.Popen([sys.argv[1], "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
try:
    base = server.stdout.readline().removeprefix("listening on ").strip()
    for path, _, _ in REQUESTS * TIMES:
        get(base + path)
    expected = {}
    for _, route, status in REQUESTS * TIMES:
        expected[route, status] = expected.get((route, status), 0) + 1
    for accept, read in [(TEXT, read_text), (OPEN, read_open)]:
        content_type, text = get(base + "/metrics", accept)
        assert content_type.replace(" ", "").startswith(accept), content_type
        families = list(read(text))
        assert len(families) >= 7, [family.name for family in families]
        found = requests(families)
        for key, count in expected.items():
            assert found.get(key) == count, (accept, key, found)
        print(f"read: {len(families)} families, {text.count(chr(10))} lines of {accept}")
    promtool = shutil.which("promtool")
    if promtool:
        _, text = get(base + "/metrics", TEXT)
        subprocess.run([promtool, "check", "metrics"], input=text, text=True, check=True)
        print("promtool reports no problem")
finally:
    server.kill()
