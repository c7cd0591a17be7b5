//! `#[derive(Shaped)]`: the shape of a type, read from the same serde attributes that decide how
//! it is written.
