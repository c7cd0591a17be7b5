"""The lane responds to any payload bytes, and continues."""

import json
import unittest

from test.documents import documents
from test.process import Lane, frame

DEPTH = 100_000

# Libraries without a depth limit: the process dies, and the orchestrator starts another.
OVERFLOWS = {"fastavro"}

# Bytes with false lengths, truncated values or very deep nesting, by format.
HOSTILE = {
    "json": [
        b"[" * DEPTH,
        b'{"a":' * DEPTH,
        b"[" * DEPTH + b"]" * DEPTH,
        b"1e999999999",
        b'"\\ud800"',
        b"\xff",
    ],
    "msgpack": [
        b"\x91" * DEPTH,
        b"\x81\xa1a" * DEPTH,
        b"\x91" * DEPTH + b"\xc0",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xdb\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
        b"\xc9\xff\xff\xff\xff\x01",
        b"\xc1",
        b"\xd4\x05\x00",
        b"\xa1\xff",
    ],
    "cbor": [
        b"\x81" * DEPTH,
        b"\xa1\x61a" * DEPTH,
        b"\x81" * DEPTH + b"\xf6",
        b"\x9f" * DEPTH,
        b"\xc1" * DEPTH,
        b"\x9b" + b"\xff" * 8,
        b"\xbb" + b"\xff" * 8,
        b"\x7b" + b"\xff" * 8,
        b"\x5b\x00\x00\x00\x01\x00\x00\x00\x00",
        b"\xff",
        b"\xf8\x18",
    ],
    "protobuf": [
        b"\x0a\xff\xff\xff\xff\x07",
        b"\x52\x80\x80\x80\x80\x08",
        b"\x0b" * DEPTH,
        b"\x00",
        b"\xff" * 11,
    ],
    "avro": [b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\x01", b"\xff" * 11, b"\x02" * DEPTH],
    "bson": [
        b"\xff\xff\xff\x7f",
        b"\x00\x00\x00\x80",
        b"\x05\x00\x00\x00\x01",
        b"\x0c\x00\x00\x00\x02a\x00\xff\xff\xff\x7f\x00",
        b"\x10\x00\x00\x00\x05a\x00\xff\xff\xff\x7f\x00" + b"\x00" * 4,
    ],
}
HOSTILE["msgpack-array"] = HOSTILE["msgpack"]


def nested(inner, begin, end=b""):
    """Returns nested containers with correct lengths."""
    parts, length = [], len(inner)
    for _ in range(DEPTH):
        head = begin(length)
        parts.append(head)
        length += len(head) + len(end)
    return b"".join(reversed(parts)) + inner + end * DEPTH


def varint(number):
    parts = []
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


# The field `tree` of `kinds` contains itself. These are its nested headers without an end.
TREE = nested(b"", lambda length: b"\x12" + varint(length))
DEEP = {
    "json": b'{"kids":[' * DEPTH,
    "msgpack": b"\x81\xa4kids\x91" * DEPTH,
    "cbor": b"\xa1\x64kids\x81" * DEPTH,
    "bson": nested(
        b"\x05\x00\x00\x00\x00",
        lambda length: (length + 8).to_bytes(4, "little") + b"\x03a\x00",
        b"\x00",
    ),
    "protobuf": b"\x52" + varint(len(TREE)) + TREE,
    "avro": b"\x02" + b"\x00" * 24 + b"\x00\x02" * DEPTH,
}
DEEP["msgpack-array"] = b"\x9c\x01\xc0" + DEEP["msgpack"]


class Hostile(unittest.TestCase):
    def test_every_subject_survives_invalid_bytes(self):
        found = documents()
        if found is None:
            self.skipTest("no documents")
        document = next(each for each in found if each.name == "kinds")
        with Lane() as lane:
            lane.get(document.schema, document.descriptors)
            for index, subject in enumerate(lane.get({"verb": "describe"})["subjects"]):
                for payload in [b"", b"\x00", b"\xff" * 64, *HOSTILE[subject["format"]]]:
                    with self.subTest(subject=subject, payload=payload[:20]):
                        self._answers(lane, index, payload)

    def test_every_subject_refuses_very_deep_documents(self):
        found = documents()
        if found is None:
            self.skipTest("no documents")
        document = next(each for each in found if each.name == "kinds")
        with Lane() as lane:
            subjects = lane.get({"verb": "describe"})["subjects"]
        for index, subject in enumerate(subjects):
            with self.subTest(subject=subject), Lane() as lane:
                lane.get(document.schema, document.descriptors)
                if subject["library"] in OVERFLOWS:
                    request = {"verb": "load", "subject": index, "payloads": 1}
                    raw = frame(json.dumps(request).encode()) + frame(DEEP[subject["format"]])
                    status, _, _ = lane.ended(raw)
                    self.assertLess(
                        status, 0, "it was ended by a signal: has it learned to refuse?"
                    )
                else:
                    self.assertTrue(
                        self._answers(lane, index, DEEP[subject["format"]]), "not refused"
                    )

    def test_every_subject_survives_truncated_documents(self):
        found = documents()
        if found is None:
            self.skipTest("no documents")
        document = next(each for each in found if each.name == "record-a")
        with Lane() as lane:
            lane.get(document.schema, document.descriptors)
            for index, subject in enumerate(lane.get({"verb": "describe"})["subjects"]):
                [payload] = document.payloads(subject["format"])
                refused = 0
                for length in range(len(payload)):
                    with self.subTest(subject=subject, length=length):
                        refused += self._answers(lane, index, payload[:length])
                # A message of Protocol Buffers may end after any field.
                if subject["format"] != "protobuf":
                    self.assertEqual(refused, len(payload), subject)

    def _answers(self, lane, index, payload):
        """Returns whether the payload is refused."""
        answer = lane.ask({"verb": "load", "subject": index, "payloads": 1}, payload)
        if "error" in answer:
            self.assertTrue(answer["error"])
            return True
        # A value that was read may still fail to have a digest or to be written.
        answer = lane.ask({"verb": "digest", "subject": index})
        self.assertTrue("ok" in answer or answer["error"])
        answer = lane.ask({"verb": "encode", "subject": index})
        for _ in range(answer.get("ok", {}).get("payloads", 0)):
            lane.receive()
        return False
