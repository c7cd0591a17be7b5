use manywire_shape::Shaped;

#[derive(Shaped)]
struct Tuple(#[serde(skip_serializing_if = "Option::is_none")] Option<u8>, u8);

fn main() {}
