"""BSON by the package that comes with pymongo, MongoDB's own driver."""

import bson

from lane.subject import Coder, Subject


def _bson(schema):
    return Coder(bson.decode, bson.encode)


SUBJECTS = [Subject("pymongo", "bson", "dynamic", _bson)]
