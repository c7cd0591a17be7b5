#![no_main]

manywire_fuzz::target!(walk_msgpack);
