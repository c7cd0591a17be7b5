#![no_main]

manywire_fuzz::target!(text_har);
