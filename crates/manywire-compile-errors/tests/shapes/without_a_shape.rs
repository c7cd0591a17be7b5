use manywire_shape::Shaped;

struct Plain;

#[derive(Shaped)]
struct Record {
    field: Vec<Plain>,
}

fn main() {}
