#![no_main]

manywire_fuzz::target!(schema_proto);
