#![no_main]

manywire_fuzz::target!(decode_avro_any_schema);
