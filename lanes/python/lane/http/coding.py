"""gzip, at the level that is everybody's default."""

import gzip


def deflate(plain):
    return gzip.compress(plain, 6)


inflate = gzip.decompress
