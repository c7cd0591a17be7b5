"""Uses of the package that a type checker must accept, and one that it must not."""

from pathlib import Path
from typing import Optional

import manywire
from manywire import Explanation, Schema, Timestamp, msgpack

data: bytes = msgpack.dumps({"at": Timestamp(0)}, Schema.infer({"at": 1}))
found: Explanation = manywire.explain(memoryview(data))
size: Optional[int] = manywire.sizes(Path("a.json"))[0].bytes
text: str = manywire.convert(data, "cbor").losses[0].path

msgpack.loads(5)  # type: ignore[arg-type]
