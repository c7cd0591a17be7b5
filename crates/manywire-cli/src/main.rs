//! The `manywire` command.

fn main() {}
