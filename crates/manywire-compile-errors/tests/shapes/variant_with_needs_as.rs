use manywire_shape::Shaped;
use serde::Serialize;

fn write<S: serde::Serializer>(serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(1)
}

#[derive(Serialize, Shaped)]
enum Choice {
    #[serde(serialize_with = "write")]
    One,
}

fn main() {}
