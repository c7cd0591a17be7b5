#![no_main]

manywire_fuzz::target!(container_avro);
