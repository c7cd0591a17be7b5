#![no_main]

manywire_fuzz::target!(decode_protobuf_any_schema);
