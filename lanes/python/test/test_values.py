"""Values that JSON cannot represent, from bytes written by hand by each format's specification."""

import hashlib
import unittest

from test.process import Lane

BYTES = b"b2:\x01\x02"
INSTANT = b"T1363896240.500000000;"
SECOND = b"T1.0;"

# Bytes, and the canonical form of their value, or `None` if it has none.
VALUES = {
    "json": [
        (b"18446744073709551615", b"i18446744073709551615;"),
        (b"18446744073709551616", b"d\x43\xf0" + b"\0" * 6),
        (b"-9223372036854775809", b"i-9223372036854775808;"),
        (b"-9223372036854777856", b"d\xc3\xe0" + b"\0" * 5 + b"\x01"),
        (b"[-0.0,2.0,1e3,0.5]", b"a4:i0;i2;i1000;d\x3f\xe0" + b"\0" * 6),
        (b'{"b":null,"aa":1,"\xc3\xa9":true,"a":[]}', b"m3:s1:aa0:s2:aai1;s2:\xc3\xa9t"),
        (b'{"a":1,"a":2}', b"m1:s1:ai2;"),
    ],
    "msgpack": [
        (b"\xc4\x02\x01\x02", BYTES),
        (b"\xd6\xff\x00\x00\x00\x01", SECOND),
        (b"\xd7\xff" + (500_000_000 << 34 | 1363896240).to_bytes(8, "big"), INSTANT),
        (b"\x82\x05\xc2\xa1a\xc0", b"m1:s1:5f"),
        (b"\xca\x3e\x00\x00\x00", b"d\x3f\xc0" + b"\0" * 6),
        (b"\xcb\x7f\xf8" + b"\0" * 5 + b"\x01", b"d\x7f\xf8" + b"\0" * 6),
        (b"\xcb\xff\xf0" + b"\0" * 6, b"d\xff\xf0" + b"\0" * 6),
        (b"\xd4\x05\x00", None),
    ],
    "cbor": [
        (b"\x42\x01\x02", BYTES),
        (b"\xc1\x01", SECOND),
        (b"\xc1\xfb\x41\xd4\x52\xd9\xec\x20\x00\x00", INSTANT),
        (b"\xc0\x74" + b"2013-03-21T20:04:00Z", b"T1363896240.0;"),
        (b"\xc2\x49\x01" + b"\0" * 8, b"d\x43\xf0" + b"\0" * 6),
        (b"\xf9\x3c\x00", b"i1;"),
        (b"\xa1\xf5\x01", b"m1:s4:truei1;"),
        (b"\xd9\x03\xe8\x01", None),
        (b"\xf7", None),
    ],
    "bson": [
        (b"\x0f\0\0\0\x05a\0\x02\0\0\0\0\x01\x02\0", b"m1:s1:a" + BYTES),
        (b"\x10\0\0\0\x09a\0\xe8\x03\0\0\0\0\0\0\0", b"m1:s1:a" + SECOND),
        (b"\x10\0\0\0\x09a\0\xff\xff\xff\xff\xff\xff\xff\xff\0", b"m1:s1:aT-1.999000000;"),
        (b"\x10\0\0\0\x12a\0\x02\0\0\0\0\0\0\0\0", b"m1:s1:ai2;"),
        (b"\x0f\0\0\0\x05a\0\x02\0\0\0\x80\x01\x02\0", None),
        (b"\x14\0\0\0\x07a\0" + b"\x01" * 12 + b"\0", None),
    ],
}


class Values(unittest.TestCase):
    def test_values_beyond_json_have_the_digest_of_the_contract(self):
        with Lane() as lane:
            for index, subject in enumerate(lane.get({"verb": "describe"})["subjects"]):
                for payload, form in (
                    VALUES.get(subject["format"], ()) if subject["target"] == "dynamic" else ()
                ):
                    with self.subTest(subject=subject["library"], payload=payload):
                        self._check(lane, index, payload, form)

    def _check(self, lane, index, payload, form):
        lane.get({"verb": "load", "subject": index, "payloads": 1}, payload)
        answer = lane.ask({"verb": "digest", "subject": index})
        if form is None:
            self.assertIn("an extension", answer.get("error", answer))
        else:
            self.assertEqual(answer["ok"]["digests"], [hashlib.sha256(form).hexdigest()], answer)
