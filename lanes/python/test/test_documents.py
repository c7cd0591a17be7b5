"""Every subject reads what Manywire writes, and writes what every other subject reads."""

import collections
import unittest

from test.documents import documents
from test.expected import digest
from test.process import Lane

# The values that a library cannot represent, and its error text.
REFUSED = {
    # A union of a record and an array, where records are arrays.
    ("kinds", "msgspec msgpack-array typed"): "not contain more than one array-like type",
}


class Documents(unittest.TestCase):
    def test_every_subject_reads_and_writes_every_document(self):
        found = documents()
        if found is None:
            self.skipTest("no documents")
        self.assertTrue(found, "the folder has no documents")
        for document in found:
            with self.subTest(document.name), Lane() as lane:
                self._document(lane, document)

    def _document(self, lane, document):
        subjects = lane.get({"verb": "describe"})["subjects"]
        lane.get(document.schema, document.descriptors)
        written = collections.defaultdict(list)
        for index, subject in enumerate(subjects):
            payloads = document.payloads(subject["format"])
            if not payloads:
                continue
            expected = [digest(text, subject["format"]) for text in document.texts]
            refusal = REFUSED.get((document.name, name(subject)))
            if refusal is not None:
                answer = lane.ask(
                    {"verb": "load", "subject": index, "payloads": len(payloads)}, *payloads
                )
                self.assertIn(refusal, answer.get("error", ""), name(subject))
                continue
            with self.subTest(subject=name(subject)):
                self.assertEqual(digests(lane, index, payloads), expected, "as Manywire wrote it")
                written[subject["format"]].append((name(subject), lane.encoded(index)))
        self.assertTrue(written, "no subject read anything")
        for index, subject in enumerate(subjects):
            expected = [digest(text, subject["format"]) for text in document.texts]
            for writer, payloads in written[subject["format"]]:
                with self.subTest(subject=name(subject), writer=writer):
                    self.assertEqual(digests(lane, index, payloads), expected)

    def test_operations_report_time_and_memory(self):
        found = documents()
        if found is None:
            self.skipTest("no documents")
        document = next(each for each in found if each.name == "user")
        with Lane() as lane:
            subjects = lane.get({"verb": "describe"})["subjects"]
            lane.get(document.schema, document.descriptors)
            for index, subject in enumerate(subjects):
                payloads = document.payloads(subject["format"])
                lane.get({"verb": "load", "subject": index, "payloads": len(payloads)}, *payloads)
                for operation in ("encode", "decode"):
                    with self.subTest(subject=name(subject), operation=operation):
                        self._metered(lane, index, operation, subject)

    def _metered(self, lane, index, operation, subject):
        request = {"verb": "run", "subject": index, "operation": operation, "window": [0]}
        # A busy machine may delay some batches, but not all of them.
        few = min(lane.get({**request, "repeats": 100})["wall_ns"] for _ in range(10))
        many = lane.get({**request, "repeats": 10_000})
        self.assertGreater(few, 0)
        self.assertGreater(many["wall_ns"], 5 * few, "a hundred times the work")
        self.assertGreater(many["cpu_ns"], 0)
        self.assertGreaterEqual(many["collections"], 0)
        self.assertIsNone(many["compiled_ms"])
        memory = lane.get({"verb": "memory", "subject": index, "operation": operation})
        self.assertEqual((memory["allocs"], memory["alloc_bytes"]), (None, None))
        if subject["library"] == "protobuf":
            self.assertIsNone(memory["peak_bytes"])
        else:
            self.assertGreater(memory["peak_bytes"], 16)


def digests(lane, index, payloads):
    lane.get({"verb": "load", "subject": index, "payloads": len(payloads)}, *payloads)
    return lane.get({"verb": "digest", "subject": index})["digests"]


def name(subject):
    return f"{subject['library']} {subject['format']} {subject['target']}"
