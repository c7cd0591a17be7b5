#![no_main]

manywire_fuzz::target!(transcode_owned);
