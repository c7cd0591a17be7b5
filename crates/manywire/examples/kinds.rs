//! Prints the OpenAPI document of an API with every kind of type and content, which `.ci/openapi`
//! feeds to code generators.

#![allow(dead_code, reason = "only the document of these types is of interest")]

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use manywire::content::{File, Form, Items, Multipart, Raw, RawStream, Text};
use manywire::input::Constraints;
use manywire::{Api, Format, Shaped, get, post};
use serde::{Deserialize, Serialize};

/// A type that contains itself.
#[derive(Serialize, Deserialize, Shaped)]
struct Tree {
    name: String,
    children: Vec<Tree>,
    parent: Option<Box<Tree>>,
}

#[derive(Serialize, Deserialize, Shaped)]
enum External {
    Unit,
    Newtype(u32),
    Tuple(u8, String),
    Struct { a: u8, b: Option<String> },
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Internal {
    /// A shape of one number.
    Circle {
        radius: f64,
    },
    Square {
        side: f64,
    },
    Nothing,
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(tag = "type", content = "content")]
enum Adjacent {
    Number(u8),
    Point { x: i64, y: i64 },
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(String),
}

/// An enum without content, with a documented variant.
#[derive(Serialize, Deserialize, Shaped, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum Color {
    /// The color of blood.
    Red,
    Green,
}

#[derive(Serialize, Deserialize, Shaped)]
struct Kinds {
    tuple: (u8, String),
    array: [f32; 3],
    map: BTreeMap<String, u64>,
    numbered: BTreeMap<u32, Color>,
    colored: BTreeMap<Color, i8>,
    color: Option<Color>,
    tree: Tree,
    external: External,
    internal: Internal,
    adjacent: Adjacent,
    untagged: Untagged,
    number: Option<u64>,
    list: Option<Vec<Option<i32>>>,
    /// A type that is text in readable formats only.
    address: Ipv4Addr,
    letter: char,
    unit: (),
    large: u128,
    #[serde(flatten)]
    rest: BTreeMap<String, bool>,
}

/// A type with every constraint.
#[derive(Serialize, Deserialize, Shaped)]
struct Constrained {
    #[shaped(min = 1, max = 5)]
    stars: u8,
    #[shaped(multiple_of = 5)]
    rate: i32,
    #[shaped(min = 0.5, max = 1.5)]
    factor: Option<f64>,
    #[shaped(length = 1..=40)]
    name: String,
    #[shaped(pattern = "^[A-Z]{2}$")]
    country: String,
    #[shaped(one_of = ["EUR", "USD"])]
    currency: Option<String>,
    #[shaped(one_of = [1, 2, 4])]
    seats: u8,
    #[shaped(length = ..=9)]
    tags: Vec<String>,
    #[shaped(length = 1..)]
    labels: BTreeMap<String, u8>,
}

#[derive(Deserialize, Shaped)]
struct Upload {
    title: String,
    kind: Internal,
    file: File,
    more: Vec<File>,
}

#[derive(Serialize, Deserialize, Shaped)]
struct Filter {
    color: Option<Color>,
    colors: Vec<Color>,
    /// The smallest number.
    from: i32,
}

fn api() -> Api {
    let kinds = post("/kinds").body::<Kinds>().returns::<Option<Kinds>>();
    let list = get("/kinds").query::<Filter>().returns::<Vec<Kinds>>();
    let items = post("/items").body::<Items<Tree>>().returns::<Items<External>>();
    let upload = post("/upload").body::<Multipart<Upload>>();
    let form = post("/form").body::<Form<Filter>>().returns::<Text>();
    let bytes = post("/bytes").body::<Raw>().returns::<RawStream>();
    let tuple = get("/tuple").returns::<(u8, Tree)>();
    let inputs = get("/inputs/{color}/{number}").path::<Color>().path::<u128>();
    let inputs = inputs.header::<Option<u8>>("x-number").cookie::<Option<Color>>("color");
    let inputs = inputs.parameter::<Vec<i64>>("number").returns::<BTreeMap<String, Internal>>();
    let constrained = post("/constrained").body::<Constrained>().returns::<Constrained>();
    let bounded = get("/bounded").parameter::<Option<u32>>("limit");
    let bounded = bounded.constrain(Constraints::new().min(1).max(100));
    Api::new("Kinds")
        .formats([Format::Json, Format::Cbor])
        .serve(kinds.to(|kinds| async { Some(kinds) }))
        .serve(list.to(|_| async { Vec::new() }))
        .serve(items.to(|_| async { Items::from_values(std::iter::empty()) }))
        .serve(upload.to(|_| async {}))
        .serve(form.to(|_| async { String::new() }))
        .serve(bytes.to(|_| async { RawStream::from_reader(tokio::io::empty()) }))
        .serve(
            tuple.to(|| async {
                (1, Tree { name: String::new(), children: Vec::new(), parent: None })
            }),
        )
        .serve(inputs.to(|_, _, _, _, _| async { BTreeMap::new() }))
        .serve(constrained.to(|constrained| async { constrained }))
        .serve(bounded.to(|_| async {}))
}

fn main() -> Result<(), manywire::InvalidApi> {
    print!("{}", api().documents()?.openapi());
    Ok(())
}
