#![no_main]

manywire_fuzz::target!(diagnostic_cbor);
