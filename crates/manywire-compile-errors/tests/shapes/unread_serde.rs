use manywire_shape::Shaped;

#[derive(Shaped)]
#[serde(rename_all = "SHOUTING")]
struct Record {
    field: u8,
}

fn main() {}
