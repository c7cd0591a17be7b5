"""The protocol: an invalid request gets an error response, and the lane continues. After an invalid
frame, the lane exits with a message and a status other than 0.
"""

import json
import tomllib
import unittest

from test.process import FOLDER, Lane, frame


class Answers(unittest.TestCase):
    def test_describe_matches_lane_toml(self):
        manifest = tomllib.loads((FOLDER / "lane.toml").read_text())
        listed = {
            (entry["library"], format_, target)
            for entry in manifest["subject"]
            for format_ in entry["formats"]
            for target in entry["targets"]
        }
        with Lane() as lane:
            said = lane.get({"verb": "describe"})
        self.assertEqual((said["contract"], said["lane"]), (1, manifest["name"]))
        self.assertEqual(
            listed, {(each["library"], each["format"], each["target"]) for each in said["subjects"]}
        )
        self.assertEqual(len(listed), len(said["subjects"]))
        for subject in said["subjects"]:
            self.assertRegex(subject["version"], r"^\d+\.\d+")
            self.assertEqual(subject["buffer"], "fresh")

    def test_an_invalid_request_gets_an_error_and_the_lane_continues(self):
        run = {"verb": "run", "subject": 0, "operation": "decode", "window": [0], "repeats": 1}
        with Lane() as lane:
            for request, words in [
                ({"verb": "dance"}, "unknown verb 'dance'"),
                ({"verb": "__init__"}, "unknown verb"),
                ({}, "unknown verb None"),
                ({"verb": "digest", "subject": 999}, "expected a number below"),
                ({"verb": "digest", "subject": -1}, "expected a number below"),
                ({"verb": "digest", "subject": True}, "expected a number below"),
                ({"verb": "digest", "subject": 0}, "no payloads"),
                (run, "no payloads"),
            ]:
                with self.subTest(request):
                    self.assertIn(words, lane.ask(request)["error"])
            lane.get({"verb": "load", "subject": 0, "payloads": 1}, b"[1]")
            for change, words in [
                ({"operation": "sing"}, "expected encode or decode"),
                ({"window": [1]}, "of the 1 payloads"),
                ({"window": [-1]}, "of the 1 payloads"),
                ({"window": 0}, "of the 1 payloads"),
                ({"repeats": -1}, "expected a whole number"),
                ({"repeats": 1.5}, "expected a whole number"),
            ]:
                with self.subTest(change):
                    self.assertIn(words, lane.ask({**run, **change})["error"])
            self.assertGreaterEqual(lane.get({**run, "repeats": 0})["wall_ns"], 0)
            self.assertEqual(lane.ended(), (0, b"", ""))

    def test_a_typed_subject_needs_a_schema(self):
        with Lane() as lane:
            subjects = lane.get({"verb": "describe"})["subjects"]
            for index, subject in enumerate(subjects):
                if subject["target"] == "typed" or subject["format"] in ("protobuf", "avro"):
                    answer = lane.ask({"verb": "load", "subject": index, "payloads": 1}, b"")
                    self.assertIn("`schema`, before `load`", answer["error"], subject)

    def test_a_failed_load_drops_earlier_payloads(self):
        with Lane() as lane:
            lane.get({"verb": "load", "subject": 0, "payloads": 1}, b"[1]")
            self.assertIn(
                "JSONDecodeError",
                lane.ask({"verb": "load", "subject": 0, "payloads": 1}, b"[")["error"],
            )
            self.assertIn("no payloads", lane.ask({"verb": "digest", "subject": 0})["error"])


class Ends(unittest.TestCase):
    def test_the_end_of_the_input_ends_the_lane_with_status_0(self):
        with Lane() as lane:
            self.assertEqual(lane.ended(), (0, b"", ""))

    def test_an_invalid_frame_ends_the_lane_with_a_message(self):
        for raw, words in [
            (b"\0\0", "ends after 2 of the 4 bytes of a length"),
            (b"\xff\xff\xff\xff", "ends after 0 of the 4294967295 bytes of a frame"),
            (b"\0\0\0\x09{}", "ends after 2 of the 9 bytes of a frame"),
            (frame(b""), "JSONDecodeError"),
            (frame(b'"\xff"'), "UnicodeDecodeError"),
            (frame(b"[1]"), "not a JSON object"),
            (frame(b"[" * 1_000_000), "RecursionError"),
            (
                frame(json.dumps({"verb": "load", "subject": 0, "payloads": -1}).encode()),
                "payloads is -1",
            ),
            (
                frame(json.dumps({"verb": "load", "subject": 0, "payloads": 2**40}).encode()),
                "payloads is",
            ),
            (
                frame(json.dumps({"verb": "load", "subject": 0, "payloads": 2}).encode()),
                "before the frames of load",
            ),
        ]:
            with self.subTest(raw[:60]), Lane() as lane:
                status, out, err = lane.ended(raw)
                self.assertNotEqual(status, 0)
                self.assertEqual(out, b"")
                self.assertIn(words, err)
                self.assertNotIn("Traceback", err)
