//! Type-erased reading: the values and errors equal those of reading straight from a format, for
//! valid, truncated and changed bytes.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use manywire_codec::{Codec, Limits, cbor, erased};
use manywire_format::{FORMATS, Format};
use manywire_shape::{Shape, Shaped};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Order {
    id: u64,
    customer: String,
    price: f64,
    small: i8,
    initial: char,
    paid: bool,
    note: Option<String>,
    none: Option<u32>,
    token: Code,
    at: (u16, f32),
    lines: Vec<Line>,
    counts: BTreeMap<String, i64>,
    #[serde(with = "serde_bytes")]
    digest: Vec<u8>,
    part_of: Option<Box<Order>>,
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Code(String);

#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Line {
    kind: Kind,
    state: State,
    drawn: Shaping,
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
enum Kind {
    Ware,
    Gift,
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
enum State {
    Open,
    Sent(u32),
    Lost { since: String, times: u8 },
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
#[serde(tag = "type")]
enum Shaping {
    Round { radius: f64 },
    Square { side: f64 },
}

fn order(part_of: Option<Box<Order>>) -> Order {
    Order {
        id: 1 << 40,
        customer: String::from("Ada Lovelace"),
        price: 12.25,
        small: -3,
        initial: 'Ä',
        paid: true,
        note: Some(String::from("ring twice")),
        none: None,
        token: Code(String::from("x-7")),
        at: (9, 0.5),
        lines: vec![
            Line {
                kind: Kind::Gift,
                state: State::Sent(77),
                drawn: Shaping::Round { radius: 1.5 },
            },
            Line {
                kind: Kind::Ware,
                state: State::Lost { since: String::from("May"), times: 2 },
                drawn: Shaping::Square { side: 2.0 },
            },
            Line { kind: Kind::Ware, state: State::Open, drawn: Shaping::Round { radius: 0.1 } },
        ],
        counts: [("a", -1), ("b", 300)].map(|(key, count)| (key.to_owned(), count)).into(),
        digest: vec![0xde, 0xad, 0xbe, 0xef],
        part_of,
    }
}

fn codec<T: Shaped>(format: Format) -> Codec {
    Codec::new(format, &Shape::of::<T>()).expect("a codec")
}

/// Reads both ways, compares the results, and returns whether the value was read.
fn both<T: DeserializeOwned + std::fmt::Debug>(codec: &Codec, bytes: &[u8]) -> bool {
    let (format, limits) = (codec.format(), Limits::DEFAULT);
    let straight = codec.decode_typed(PhantomData::<T>, bytes, limits);
    let erased = erased::read(PhantomData::<T>, |seed| codec.decode_typed(seed, bytes, limits));
    assert_eq!(
        format!("{straight:?}"),
        format!("{erased:?}"),
        "{format}, of {bytes:02x?}: straight, and through one deserializer"
    );
    straight.is_ok()
}

/// Returns changed copies of the bytes: every prefix, and other bytes at every position.
fn changed(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let cut = (0..bytes.len()).map(|len| bytes[..len].to_vec());
    let others = (0..bytes.len()).flat_map(move |at| {
        [0x00, 0x01, 0x7f, 0x80, 0xc0, 0xff, bytes[at] ^ 0x01, bytes[at] ^ 0x20].map(|byte| {
            let mut other = bytes.to_vec();
            other[at] = byte;
            other
        })
    });
    cut.chain(others)
}

fn agree<T: Serialize + DeserializeOwned + Shaped + std::fmt::Debug>(value: &T) {
    for format in FORMATS.iter().map(|row| row.format) {
        let codec = codec::<T>(format);
        let mut bytes = Vec::new();
        codec.encode_typed(value, &mut bytes).expect("it is written");
        assert!(both::<T>(&codec, &bytes), "{format} reads what it wrote");
        let read = changed(&bytes).filter(|bytes| both::<T>(&codec, bytes)).count();
        let refused = changed(&bytes).count() - read;
        assert!(read > 0 && refused > 0, "{format}: {read} read, {refused} refused");
    }
}

#[test]
fn erased_and_direct_reading_agree() {
    agree(&order(Some(Box::new(order(None)))));
}

#[test]
fn borrows_text_and_bytes() {
    let bytes = cbor::to_vec(&("lent", 1)).expect("it is written");
    let (text, one): (&str, u8) =
        erased::read(PhantomData, |seed| cbor::from_slice_seed(seed, &bytes, Limits::DEFAULT))
            .expect("it is read");
    assert_eq!((text, one), ("lent", 1));
    assert!(bytes.as_ptr_range().contains(&text.as_ptr()));
}

#[test]
fn reading_no_value_is_an_error() {
    let error = erased::read(PhantomData::<u8>, |_| Ok(())).expect_err("nothing was read");
    assert_eq!(error.message(), "no value was read");
}

#[test]
fn erased_and_direct_depth_limits_agree() {
    let deep = [0x91; 1_000];
    let codec = codec::<Order>(Format::MsgPack);
    assert!(!both::<serde_json::Value>(&codec, &deep));
}
