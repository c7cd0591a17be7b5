//! Hostile inputs in each format: nesting of 100,000 levels, lengths of 4 GB and decompression
//! bombs.

use std::io::Write;
use std::path::Path;

use manywire_codec::avro::container::{Compression, Writer};
use manywire_codec::coding::stream;
use manywire_format::{Coding, CodingLevel};

/// An input, and the commands that must refuse it.
pub(crate) struct Hostile {
    pub(crate) name: &'static str,
    pub(crate) extension: &'static str,
    /// The options for the commands.
    pub(crate) options: Vec<&'static str>,
    pub(crate) commands: Vec<&'static [&'static str]>,
    pub(crate) bytes: Vec<u8>,
}

const DEEP: usize = 100_000;

pub(crate) fn hostile() -> Vec<Hostile> {
    let mut inputs: Vec<Hostile> = self_describing()
        .into_iter()
        .map(|(name, format, bytes)| plain(name, format, bytes))
        .collect();
    inputs.extend(by_schema());
    inputs
}

/// All commands, for self-describing formats.
fn plain(name: &'static str, format: &'static str, bytes: Vec<u8>) -> Hostile {
    let commands: Vec<&'static [&'static str]> = vec![
        &["explain", "--check"],
        &["weigh", "--sizes-only"],
        &["shape"],
        &["explain"],
        &["convert", "--to", "json"],
    ];
    Hostile { name, extension: format, options: vec!["--from", format], commands, bytes }
}

fn self_describing() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let claim = |text: &str, rest: usize| [hex(text), vec![0x01; rest]].concat();
    vec![
        ("nested arrays", "json", [b"[".repeat(DEEP), b"]".repeat(DEEP)].concat()),
        ("nested objects", "json", b"{\"a\":".repeat(DEEP)),
        ("nested arrays", "msgpack", [vec![0x91; DEEP], vec![0xc0]].concat()),
        ("nested maps", "msgpack", b"\x81\xa1a".repeat(DEEP)),
        ("nested arrays", "cbor", [vec![0x81; DEEP], vec![0xf6]].concat()),
        ("nested arrays without lengths", "cbor", vec![0x9f; DEEP]),
        ("nested tags", "cbor", [vec![0xc6; DEEP], vec![0xf6]].concat()),
        ("nested documents", "bson", nested_bson()),
        ("an array of 4 GB", "msgpack", claim("ddffffffff", 100)),
        ("a map of 4 GB", "msgpack", claim("dfffffffff", 100)),
        ("text of 4 GB", "msgpack", claim("dbffffffff", 100)),
        ("bytes of 4 GB", "msgpack", claim("c6ffffffff", 100)),
        ("an extension of 4 GB", "msgpack", claim("c9ffffffff05", 100)),
        ("an array of 4 GB", "cbor", claim("9b00000000ffffffff", 100)),
        ("a map of 2^63 entries", "cbor", claim("bb7fffffffffffffff", 100)),
        ("text of 4 GB", "cbor", claim("7b00000000ffffffff", 100)),
        ("bytes of 2^64", "cbor", claim("5bffffffffffffffff", 100)),
        ("a document of 2 GB", "bson", claim("ffffff7f", 100)),
        ("text of 2 GB", "bson", claim("0d000000026100ffffff7f0000", 0)),
    ]
}

/// Returns nested BSON documents with correct lengths.
fn nested_bson() -> Vec<u8> {
    let mut reversed = vec![0, 0, 0, 0, 5];
    let mut length = 5_u32;
    for _ in 1..DEEP {
        reversed.extend([0, b'a', 3]);
        length += 8;
        reversed.extend(length.to_be_bytes());
    }
    reversed.reverse();
    reversed.extend(std::iter::repeat_n(0, DEEP - 1));
    reversed
}

/// Returns nested messages with correct lengths.
fn nested_messages() -> Vec<u8> {
    let mut reversed: Vec<u8> = Vec::new();
    for _ in 0..DEEP {
        let length = varint(reversed.len());
        reversed.extend(length.iter().rev());
        reversed.push(0x0a);
    }
    reversed.reverse();
    reversed
}

/// Returns inputs that need a schema, and Avro files, which contain it.
fn by_schema() -> Vec<Hostile> {
    const PROTO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hostile/node.proto");
    let message = |name, bytes| Hostile {
        name,
        extension: "pb",
        options: vec!["--from", "protobuf", "--schema", PROTO],
        commands: vec![&["explain", "--check"], &["explain"], &["convert", "--to", "json"]],
        bytes,
    };
    let unnamed = |name, bytes| Hostile {
        name,
        extension: "pb",
        options: vec!["--from", "protobuf"],
        commands: vec![&["explain", "--check"], &["explain"]],
        bytes,
    };
    let node =
        r#"{"type":"record","name":"Node","fields":[{"name":"next","type":["null","Node"]}]}"#;
    vec![
        message("nested messages", nested_messages()),
        message("text of 4 GB", hex("12ffffffff0f61")),
        message("numbers of 4 GB", hex("1affffffff0f01")),
        unnamed("nested groups", vec![0x0b; DEEP]),
        unnamed("nested messages of no schema", nested_messages()),
        file("nested records", container(node, Compression::Null, &[2; DEEP])),
        file("text of 4 GB", container("\"string\"", Compression::Null, &hex("feffffff1f61"))),
        file("an array of 4 GB", container(ARRAY, Compression::Null, &hex("feffffff1f01"))),
        file("2^62 nulls", container(NULLS, Compression::Null, &hex("feffffffffffffff7f"))),
    ]
}

const ARRAY: &str = r#"{"type":"array","items":"boolean"}"#;
const NULLS: &str = r#"{"type":"array","items":"null"}"#;

/// Returns an Avro file of one datum.
fn container(schema: &str, compression: Compression, datum: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(schema, compression, [7; 16], &mut bytes).expect("compiled in");
    writer.push(datum, &mut bytes).expect("written to memory");
    writer.flush(&mut bytes).expect("written to memory");
    bytes
}

fn file(name: &'static str, bytes: Vec<u8>) -> Hostile {
    let commands: Vec<&'static [&'static str]> =
        vec![&["explain", "--check"], &["explain"], &["convert", "--to", "json"]];
    Hostile { name, extension: "avro", options: vec!["--from", "avro"], commands, bytes }
}

/// The decompressed size of a bomb in bytes, which exceeds the memory limit of a command.
const UNPACKED: usize = 48 << 20;

/// A long repetitive text, compressed or in a block of an Avro file.
#[derive(Clone, Copy)]
enum Bomb {
    Coded(Coding),
    Block(Compression),
}

const BOMBS: [Bomb; 8] = [
    Bomb::Coded(Coding::Gzip),
    Bomb::Coded(Coding::Deflate),
    Bomb::Coded(Coding::Zstd),
    Bomb::Coded(Coding::Brotli),
    Bomb::Block(Compression::Deflate),
    Bomb::Block(Compression::Zstandard),
    Bomb::Block(Compression::Bzip2),
    Bomb::Block(Compression::Xz),
];

/// Writes the bombs to a folder, for [`bombs`] to read.
pub(crate) fn write_bombs(folder: &Path) {
    for (number, bomb) in BOMBS.into_iter().enumerate() {
        let bytes = match bomb {
            Bomb::Coded(coding) => {
                // The level at which deflate reaches a ratio of 1000:1.
                let level = CodingLevel::new(coding, 9).expect("a level of it");
                let mut writer = stream::Writer::new(level, Vec::new()).expect("compiled in");
                writer.write_all(b"\"").expect("written to memory");
                let text = [b'a'; 1 << 16];
                for _ in 0..UNPACKED / text.len() {
                    writer.write_all(&text).expect("written to memory");
                }
                writer.finish().expect("written to memory")
            }
            Bomb::Block(compression) => {
                // The length of the text in zigzag encoding.
                let mut datum = varint(UNPACKED << 1);
                datum.resize(datum.len() + UNPACKED, b'a');
                container("\"string\"", compression, &datum)
            }
        };
        std::fs::write(folder.join(format!("bomb-{number}")), bytes).expect("a file");
    }
}

/// Returns the bombs in a folder.
pub(crate) fn bombs(folder: &Path) -> Vec<Hostile> {
    let mut all = Vec::new();
    for (number, bomb) in BOMBS.into_iter().enumerate() {
        let bytes = std::fs::read(folder.join(format!("bomb-{number}"))).expect("a bomb");
        let Bomb::Coded(coding) = bomb else {
            all.push(file("a bomb in a block", bytes));
            continue;
        };
        let by_name = match coding {
            Coding::Gzip => Some("json.gz"),
            Coding::Zstd => Some("json.zst"),
            Coding::Brotli => Some("json.br"),
            Coding::Deflate => None,
        };
        all.extend(by_name.map(|extension| Hostile {
            name: "a bomb by its name",
            extension,
            options: Vec::new(),
            commands: vec![
                &["weigh", "--sizes-only", "--each"],
                &["weigh", "--sizes-only"],
                &["shape"],
            ],
            bytes: bytes.clone(),
        }));
        all.push(Hostile {
            name: "a bomb",
            extension: "json",
            options: vec!["--from", "json", "--from-coding", coding.name()],
            commands: vec![&["convert", "--to", "msgpack"], &["explain"], &["explain", "--check"]],
            bytes,
        });
    }
    all
}

fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn hex(text: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex");
    (0..text.len()).step_by(2).map(digits).collect()
}
