#![no_main]

manywire_fuzz::target!(convert_any);
