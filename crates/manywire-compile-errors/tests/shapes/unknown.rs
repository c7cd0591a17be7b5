use manywire_shape::Shaped;

#[derive(Shaped)]
struct Record {
    #[shaped(rename = "a")]
    field: u8,
}

#[derive(Shaped)]
#[shaped(number = 1)]
struct Container;

#[derive(Shaped)]
struct Twice {
    #[shaped(as = u8, as = "u16")]
    field: u8,
}

fn main() {}
