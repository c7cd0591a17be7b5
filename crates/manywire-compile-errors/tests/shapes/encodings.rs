use manywire_shape::Shaped;

#[derive(Shaped)]
struct NotAnInteger {
    #[shaped(encoding = "fixed")]
    text: String,
}

#[derive(Shaped)]
struct NotAnEncoding {
    #[shaped(encoding = "delta")]
    number: u8,
}

fn main() {}
