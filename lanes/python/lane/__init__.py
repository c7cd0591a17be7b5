"""The Python lane: JSON, MessagePack, CBOR, Protocol Buffers, Avro and BSON as Python programs use them."""
