use manywire_shape::Shaped;

#[derive(Shaped)]
union Either {
    a: u8,
    b: u8,
}

fn main() {}
