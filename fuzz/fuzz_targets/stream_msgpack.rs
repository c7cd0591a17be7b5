#![no_main]

manywire_fuzz::target!(stream_msgpack);
