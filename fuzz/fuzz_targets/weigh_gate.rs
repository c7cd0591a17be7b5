#![no_main]

manywire_fuzz::target!(weigh_gate);
