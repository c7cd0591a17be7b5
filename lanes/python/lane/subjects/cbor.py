"""CBOR by cbor2."""

import cbor2

from lane.subject import Coder, Subject


def _cbor2(schema):
    return Coder(cbor2.loads, cbor2.dumps)


SUBJECTS = [Subject("cbor2", "cbor", "dynamic", _cbor2)]
