use manywire_shape::Shaped;

#[derive(Shaped)]
#[serde(into = "String", try_from = "u64")]
struct Record {
    field: u8,
}

fn main() {}
