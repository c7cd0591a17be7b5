"""BSON by the package of pymongo, the official MongoDB driver."""

import bson

from lane.subject import Coder, Subject


def _bson(schema):
    return Coder(bson.decode, bson.encode)


SUBJECTS = [Subject("pymongo", "bson", "dynamic", _bson)]
