#![no_main]

manywire_fuzz::target!(decode_json);
