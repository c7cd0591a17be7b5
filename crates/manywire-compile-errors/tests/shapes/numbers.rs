use manywire_shape::Shaped;

#[derive(Shaped)]
struct Twice {
    #[shaped(number = 1)]
    a: u8,
    #[shaped(number = 1)]
    b: u8,
}

#[derive(Shaped)]
struct Reserved {
    #[shaped(number = 19_500)]
    a: u8,
}

#[derive(Shaped)]
struct Flattened {
    #[serde(flatten)]
    #[shaped(number = 1)]
    inner: Inner,
}

#[derive(Shaped)]
struct Inner {}

#[derive(Shaped)]
struct Tuple(#[shaped(number = 1)] u8, u8);

#[derive(Shaped)]
#[serde(untagged)]
enum Untagged {
    #[shaped(number = 1)]
    Variant(u8),
}

fn main() {}
