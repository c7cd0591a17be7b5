#![no_main]

manywire_fuzz::target!(coding_gzip);
