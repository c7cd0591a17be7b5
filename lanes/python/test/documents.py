"""Documents in every format, written by Manywire's codecs. Each is a folder with `schema.json`
(the request), `descriptors` (its frame), and for each payload `0.document`, `0.msgpack`, ….
"""

import json
import os
import pathlib


class Document:
    def __init__(self, folder):
        self.name = folder.name
        self.schema = json.loads((folder / "schema.json").read_text())
        self.descriptors = (folder / "descriptors").read_bytes()
        self._folder = folder
        self.texts = self._all("document")

    def _all(self, suffix):
        count = len(list(self._folder.glob("*.document")))
        paths = [self._folder / f"{index}.{suffix}" for index in range(count)]
        return [path.read_bytes() for path in paths if path.exists()]

    def payloads(self, format_):
        """Returns the payloads in a format, or none if the format cannot represent all of them."""
        found = self._all(format_)
        return found if len(found) == len(self.texts) else []


def documents():
    """Returns the documents, or `None` if no folder is set: Manywire writes them."""
    folder = os.environ.get("MANYWIRE_LANE_DOCUMENTS")
    if folder is None:
        print("skipped: no documents (MANYWIRE_LANE_DOCUMENTS is not set)")
        return None
    return [Document(path) for path in sorted(pathlib.Path(folder).iterdir()) if path.is_dir()]
