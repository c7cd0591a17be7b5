use manywire_shape::Shaped;
use serde::Serialize;

fn write<S: serde::Serializer>(value: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

#[derive(Serialize, Shaped)]
struct Record {
    #[serde(serialize_with = "write")]
    number: u64,
}

fn main() {}
