"""A lane of two subjects, JSON by Python's own and messages of Protocol Buffers without others in
them, that serves and asks; and, where it is told to, does one thing wrong. argv: its name, and what
it does wrong."""

import gzip
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
LOADED, OFFERS, SERVED, SCHEMA = {}, [], [], {}


def canonical(value):
    if value is None or isinstance(value, bool):
        return {None: b"n", False: b"f", True: b"t"}[value]
    if isinstance(value, (int, float)):
        whole = float(value).is_integer()
        if whole and FAULT == "has doubles only":
            value = int(float(value))
        return b"i%d;" % value if whole else b"d" + struct.pack(">d", value)
    if isinstance(value, str):
        return b"s%d:%s" % (len(value.encode()), value.encode())
    if isinstance(value, list):
        return b"a%d:" % len(value) + b"".join(map(canonical, value))
    entries = sorted((canonical(key), canonical(each)) for key, each in value.items() if each is not None)
    return b"m%d:" % len(entries) + b"".join(key + each for key, each in entries)


class Json:
    @staticmethod
    def encode(value):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()

    decode = staticmethod(json.loads)


class Flat:
    """Fields that are whole numbers, truth values or text, as the model says."""

    @staticmethod
    def fields():
        model = SCHEMA["model"]
        return model["messages"][model["root"]]["fields"]

    @classmethod
    def encode(cls, value):
        out = b""
        for field in cls.fields():
            each, number = value[field["name"]], field["number"] << 3
            if isinstance(each, str):
                out += varint(number | 2) + varint(len(each.encode())) + each.encode() if each else b""
            elif each:
                out += varint(number) + varint(int(each))
        return out

    @classmethod
    def decode(cls, data):
        zeros = {"bool": False, "string": ""}
        value = {field["name"]: zeros.get(field["kind"], 0) for field in cls.fields()}
        known = {field["number"]: field for field in cls.fields()}
        at = 0
        while at < len(data):
            key, at = read_varint(data, at)
            if key & 7 not in (0, 2):
                raise ValueError("wire type %d" % (key & 7))
            found, at = read_varint(data, at)
            if key & 7 == 2:
                found, at = data[at : at + found].decode(), at + found
            if at > len(data):
                raise ValueError("a field of %d bytes too few" % (at - len(data)))
            field = known.get(key >> 3)
            if field:
                value[field["name"]] = bool(found) if field["kind"] == "bool" else found
        return value


def varint(number):
    rest = number >> 7
    return bytes([number & 0x7F | 0x80]) + varint(rest) if rest else bytes([number])


def read_varint(data, at):
    number = shift = 0
    while True:
        number, shift, at = number | (data[at] & 0x7F) << shift, shift + 7, at + 1
        if data[at - 1] < 0x80:
            return number, at


CODERS = [Json, Flat]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        _, meter, offer, nonce = self.path.split("/")
        coder, media_type, values, ready = OFFERS[int(offer)]
        index = int(nonce[8:], 16) % len(values)
        body = ready[index] if meter == "transport" else coder.encode(values[index])
        packed = self.headers.get("Accept-Encoding") == "gzip"
        if packed:
            body = body if FAULT == "packs nothing" else gzip.compress(body, 6)
        status = 200
        if FAULT == "stale":
            nonce = "0" * 16
        if FAULT == "refuses":
            status = 500
        if FAULT == "takes 2 ms more":
            until = time.thread_time_ns() + 2_000_000
            while time.thread_time_ns() < until:
                pass
        SERVED.append(1)
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(16 + len(body)))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(nonce.encode() + body)


def serve(asked):
    if FAULT == "dies serving":
        print("no port left", file=sys.stderr)
        sys.exit(3)
    for offer in asked["offers"]:
        coder, loaded = CODERS[offer["subject"]], LOADED[offer["subject"]]
        OFFERS.append((coder, offer["media_type"], [coder.decode(each) for each in loaded], loaded))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return {"port": server.server_port}


def ask(connection, path, nonce, headers, decode):
    connection.putrequest("GET", path + nonce if path else "/", skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        raise ValueError("status %d" % response.status)
    if not body.startswith(nonce.encode()):
        raise ValueError("expected a body that begins with %s, found %s" % (nonce, body[:16].decode()))
    if decode:
        body_bytes = body[len(nonce) :]
        if response.headers.get("Content-Encoding") == "gzip":
            body_bytes = gzip.decompress(body_bytes)
        decode(body_bytes)
    return len(body)


def fetch(asked):
    if FAULT == "hangs asking":
        time.sleep(60)
    url = urllib.parse.urlsplit(asked["url"])
    if url.scheme == "tcp" and FAULT == "has no ZeroMQ":
        raise ValueError("a URL of ZeroMQ")
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = kind(url.netloc)
    decode = CODERS[asked["subject"]].decode if asked["decode"] else None
    latencies, lags, errors, error, total, number = [], [], 0, None, 0, 1
    nonce = lambda: asked["nonce"] + "%08x" % number if asked["nonce"] else ""
    one = lambda: ask(connection, url.path, nonce(), asked["headers"], decode)
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
    coder, loaded = CODERS[asked["subject"]], LOADED[asked["subject"]]
    packed = asked.get("coding") == "gzip"
    values = [coder.decode(each) for each in loaded]
    ready = [gzip.compress(each, 6) if packed else each for each in loaded]
    start = time.perf_counter_ns()
    for _ in range(asked["repeats"]):
        for index in asked["window"]:
            if asked["operation"] == "encode":
                made = coder.encode(values[index])
                gzip.compress(made, 6) if packed else made
            else:
                coder.decode(gzip.decompress(ready[index]) if packed else ready[index])
    return {"wall_ns": time.perf_counter_ns() - start, "cpu_ns": None, "collections": None, "compiled_ms": None}


def describe(_):
    subjects = [("json", "json"), ("flat", "protobuf")]
    described = {
        "contract": 1, "lane": NAME, "runtime": "Python 3",
        "subjects": [
            {"library": library, "version": "3", "format": name, "target": "dynamic"}
            for library, name in subjects
        ],
    }
    if FAULT != "is mute":
        described["http"] = {"server": "http.server", "client": "http.client", "codings": ["gzip"]}
    if FAULT != "has no ZeroMQ":
        # Both ends speak HTTP behind a URL of ZeroMQ; only the orchestrator is tested.
        described["zeromq"] = {"server": "a REP", "client": "a REQ", "codings": ["gzip"]}
    return described


def values(asked):
    return [CODERS[asked["subject"]].decode(each) for each in LOADED[asked["subject"]]]


def load(asked, payloads):
    coder = CODERS[asked["subject"]]
    # Payloads that cannot be decoded are refused.
    [coder.decode(each) for each in payloads]
    LOADED[asked["subject"]] = payloads
    return {}


def encoded(asked):
    made = [CODERS[asked["subject"]].encode(value) for value in values(asked)]
    if FAULT == "forgets the last payload":
        made.pop()
    return {"payloads": len(made)}, made


VERBS = {
    "describe": describe,
    "schema": lambda asked: SCHEMA.update(asked) or {},
    "digest": lambda asked: {
        "digests": [hashlib.sha256(canonical(value)).hexdigest() for value in values(asked)]
    },
    "encode": encoded,
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
    try:
        answer = load(asked, following) if asked["verb"] == "load" else VERBS[asked["verb"]](asked)
        head, frames = answer if isinstance(answer, tuple) else (answer, [])
        frames = [Json.encode({"ok": head}), *frames]
    except Exception as failure:
        frames = [Json.encode({"error": "%s: %s" % (type(failure).__name__, failure)})]
    for each in frames:
        sys.stdout.buffer.write(struct.pack(">I", len(each)) + each)
    sys.stdout.buffer.flush()
os._exit(0)
