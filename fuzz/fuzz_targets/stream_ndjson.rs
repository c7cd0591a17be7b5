#![no_main]

manywire_fuzz::target!(stream_ndjson);
