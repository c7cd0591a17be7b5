#![no_main]

manywire_fuzz::target!(coding_br);
