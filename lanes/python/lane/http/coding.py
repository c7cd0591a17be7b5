"""gzip at level 6, the usual default."""

import gzip


def deflate(plain):
    return gzip.compress(plain, 6)


inflate = gzip.decompress
