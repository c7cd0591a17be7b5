"""Frames: a length of four bytes, most significant first, and that many bytes."""

# The number of bytes per read, so that a false length does not allocate memory.
_PART_BYTES = 1 << 20


def read_frame(stream):
    """Returns the next frame of a binary stream, or `None` at its end."""
    head = stream.read(4)
    if not head:
        return None
    if len(head) < 4:
        raise EOFError(f"the input ends after {len(head)} of the 4 bytes of a length")
    length = int.from_bytes(head, "big")
    parts = []
    missing = length
    while missing:
        part = stream.read(min(missing, _PART_BYTES))
        if not part:
            raise EOFError(
                f"the input ends after {length - missing} of the {length} bytes of a frame"
            )
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def write_frames(stream, frames):
    """Writes frames to a binary stream and flushes it."""
    for frame in frames:
        stream.write(len(frame).to_bytes(4, "big"))
        stream.write(frame)
    stream.flush()
