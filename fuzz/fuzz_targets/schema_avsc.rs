#![no_main]

manywire_fuzz::target!(schema_avsc);
