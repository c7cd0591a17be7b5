"""A lane of one subject, JSON by Python's own, that serves and asks; and, where it is told to, does
one thing wrong. argv: its name, and what it does wrong."""

import hashlib
import http.client
import http.server
import json
import os
import struct
import sys
import threading
import time
import urllib.parse

NAME, FAULT = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "none"
LOADED, SERVED, STARTED = [], [], []


def canonical(value):
    if value is None or isinstance(value, bool):
        return {None: b"n", False: b"f", True: b"t"}[value]
    if isinstance(value, (int, float)):
        whole = float(value).is_integer()
        return b"i%d;" % value if whole else b"d" + struct.pack(">d", value)
    if isinstance(value, str):
        return b"s%d:%s" % (len(value.encode()), value.encode())
    if isinstance(value, list):
        return b"a%d:" % len(value) + b"".join(map(canonical, value))
    entries = sorted((canonical(key), canonical(each)) for key, each in value.items() if each is not None)
    return b"m%d:" % len(entries) + b"".join(key + each for key, each in entries)


def encode(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        _, meter, _, nonce = self.path.split("/")
        index = int(nonce[8:], 16) % len(LOADED)
        body = STARTED[index] if meter == "transport" else encode(json.loads(LOADED[index]))
        status = 200
        if FAULT == "stale":
            nonce = "0" * 16
        if FAULT == "refuses":
            status = 500
        SERVED.append(1)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(16 + len(body)))
        self.end_headers()
        self.wfile.write(nonce.encode() + body)


def serve(_):
    if FAULT == "dies serving":
        print("no port left", file=sys.stderr)
        sys.exit(3)
    STARTED.extend(LOADED)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return {"port": server.server_port}


def ask(connection, path, nonce, headers, decode):
    connection.request("GET", path + nonce if path else "/", headers=dict(headers))
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        raise ValueError("status %d" % response.status)
    if not body.startswith(nonce.encode()):
        raise ValueError("expected a body that begins with %s, found %s" % (nonce, body[:16].decode()))
    if decode:
        json.loads(body[len(nonce):])
    return len(body)


def fetch(asked):
    if FAULT == "hangs asking":
        time.sleep(60)
    url = urllib.parse.urlsplit(asked["url"])
    connection = http.client.HTTPConnection(url.netloc)
    latencies, lags, errors, error, total, number = [], [], 0, None, 0, 1
    nonce = lambda: asked["nonce"] + "%08x" % number if asked["nonce"] else ""
    one = lambda: ask(connection, url.path, nonce(), asked["headers"], asked["decode"])
    one()
    start = time.perf_counter_ns()
    while errors < 3:
        planned = start + int((number - 1) / asked["rate"] * 1e9) if asked["rate"] else time.perf_counter_ns()
        if planned - start > asked["duration_ms"] * 1e6:
            break
        time.sleep(max(0, planned - time.perf_counter_ns()) / 1e9)
        sent = time.perf_counter_ns()
        number += 1
        try:
            total += one()
            latencies.append(time.perf_counter_ns() - planned)
            lags.extend([sent - planned] if asked["rate"] else [])
        except Exception as failure:
            errors, error = errors + 1, str(failure)
    wall = time.perf_counter_ns() - start
    frames = [struct.pack(">%dQ" % len(times), *times) for times in (latencies, lags)]
    if FAULT == "garbles":
        frames[0] += b"x"
    return {"requests": len(latencies), "errors": errors, "error": error, "body_bytes": total,
            "wall_ns": wall, "cpu_ns": None, "collections": None}, frames


def run(asked):
    start = time.perf_counter_ns()
    for _ in range(asked["repeats"]):
        for index in asked["window"]:
            value = json.loads(LOADED[index])
            if asked["operation"] == "encode":
                encode(value)
    return {"wall_ns": time.perf_counter_ns() - start, "cpu_ns": None, "collections": None, "compiled_ms": None}


VERBS = {
    "describe": lambda _: {
        "contract": 1, "lane": NAME, "runtime": "Python 3",
        "subjects": [{"library": "json", "version": "3", "format": "json", "target": "dynamic"}],
        **({} if FAULT == "is mute" else {"http": {"server": "http.server", "client": "http.client", "codings": []}}),
    },
    "schema": lambda _: {},
    "load": lambda _: {},
    "digest": lambda _: {"digests": [hashlib.sha256(canonical(json.loads(each))).hexdigest() for each in LOADED]},
    "encode": lambda _: ({"payloads": len(LOADED)}, [encode(json.loads(each)) for each in LOADED]),
    "memory": lambda _: {"allocs": None, "alloc_bytes": None, "peak_bytes": None},
    "run": run,
    "serve": serve,
    "served": lambda _: {"requests": len(SERVED), "cpu_ns": time.process_time_ns(), "collections": None},
    "fetch": fetch,
}


def read():
    head = sys.stdin.buffer.read(4)
    return sys.stdin.buffer.read(struct.unpack(">I", head)[0]) if head else None


while (frame := read()) is not None:
    asked = json.loads(frame)
    following = [read() for _ in range(asked.get("payloads", 1 if asked["verb"] == "schema" else 0))]
    if asked["verb"] == "load":
        LOADED[:] = following
    try:
        answer = VERBS[asked["verb"]](asked)
        head, frames = answer if isinstance(answer, tuple) else (answer, [])
        frames = [encode({"ok": head}), *frames]
    except Exception as failure:
        frames = [encode({"error": str(failure)})]
    for each in frames:
        sys.stdout.buffer.write(struct.pack(">I", len(each)) + each)
    sys.stdout.buffer.flush()
os._exit(0)
