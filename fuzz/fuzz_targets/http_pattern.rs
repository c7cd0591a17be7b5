#![no_main]

manywire_fuzz::target!(http_pattern);
