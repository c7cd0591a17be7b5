"""The expected digest of a JSON document, implemented independently from CONTRACT.md."""

import hashlib
import json
import struct


def digest(text, format_):
    value = json.loads(text)
    # The root of BSON is a document: an array becomes one whose keys are its indexes.
    if format_ == "bson" and isinstance(value, list):
        value = {str(index): item for index, item in enumerate(value)}
    return hashlib.sha256(form(value)).hexdigest()


def form(value):
    if value is None or value is True or value is False:
        return {None: b"n", True: b"t", False: b"f"}[value]
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, str):
        content = value.encode()
        return f"s{len(content)}:".encode() + content
    if isinstance(value, list):
        return f"a{len(value)}:".encode() + b"".join(map(form, value))
    entries = sorted((form(key), form(each)) for key, each in value.items() if each is not None)
    return f"m{len(entries)}:".encode() + b"".join(key + each for key, each in entries)


def number(value):
    if value == value // 1 and -(2**63) <= value < 2**64:
        return f"i{int(value)};".encode()
    return b"d" + struct.pack(">d", value)
