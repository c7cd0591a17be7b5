#![no_main]

manywire_fuzz::target!(agree_protobuf);
