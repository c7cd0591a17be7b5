//! What `#[derive(Shaped)]` makes of each serde attribute, as outlines.

#![allow(dead_code, reason = "the types are here for their shapes")]

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;

use manywire_shape::{Shape, Shaped};
use serde::{Deserialize, Serialize};

/// Compares the outline of a type with the expected text, which may be indented as a whole.
#[track_caller]
fn check<T: Shaped + ?Sized>(expected: &str) {
    let expected = expected.trim_matches('\n');
    let indent = expected.len() - expected.trim_start().len();
    let lines = expected.lines().map(|line| line.get(indent..).unwrap_or_default());
    let expected: String = lines.flat_map(|line| [line, "\n"]).collect();
    let found = Shape::of::<T>().to_string();
    assert_eq!(found.trim_end(), expected.trim_end(), "\n--- found ---\n{found}");
}

#[test]
fn a_record_has_its_fields_in_order() {
    /// A place to sleep.
    ///
    /// With rooms.
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(rename_all = "camelCase")]
    struct Hotel {
        /// The key in the booking system.
        hotel_code: String,
        #[serde(rename = "UTC", alias = "offset", alias = "minutes")]
        minutes_offset_utc: i16,
        #[serde(rename(serialize = "out", deserialize = "in"))]
        direction: char,
        stars: Option<u8>,
        #[serde(default)]
        rating: f32,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        #[serde(skip)]
        cache: PhantomData<fn()>,
        #[serde(skip_serializing)]
        password: String,
        #[serde(skip_deserializing)]
        computed: u64,
        rooms: Vec<Room>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Room {
        id: u32,
        #[serde(rename = "two words")]
        r#type: bool,
    }
    check::<Hotel>(
        r#"
        /// A place to sleep.
        ///
        /// With rooms.
        Hotel {
          /// The key in the booking system.
          hotelCode: str
          UTC: i16 or "minutes" or "offset"
          out: char or "in"
          stars: u8?
          rating: f32 = default
          note?: str?
          password?: str
          computed: u64 = default
          rooms: [Room]
        }

        Room {
          id: u32
          "two words": bool
        }
        "#,
    );
}

#[test]
fn a_container_may_default_every_field() {
    #[derive(Default, Serialize, Deserialize, Shaped)]
    #[serde(default, rename = "Conf", deny_unknown_fields)]
    struct Settings {
        depth: usize,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tags: Vec<String>,
    }
    check::<Settings>(
        "
        Conf {
          depth: u64 = default
          tags?: [str]
        }
        ",
    );
}

#[test]
fn numbers_and_encodings_are_said_by_shaped() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Numbered {
        #[shaped(number = 7, encoding = "zigzag")]
        delta: i64,
        #[shaped(encoding = "fixed")]
        hashes: Vec<Option<u32>>,
        #[shaped(encoding = "varint", number = 536_870_911)]
        plain: i32,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    enum Choice {
        #[shaped(number = 3)]
        First,
        #[shaped(number = 1)]
        Second(#[shaped(encoding = "zigzag")] i32),
    }
    check::<(Numbered, Choice)>(
        "
        (Numbered, Choice)

        Numbered {
          delta: i64 zigzag #7
          hashes: [u32 fixed?]
          plain: i32 #536870911
        }

        Choice = {
          First #3
          Second(i32 zigzag) #1
        }
        ",
    );
}

#[test]
fn bytes_are_what_serde_writes_or_reads_as_bytes() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Blobs<'a> {
        borrowed: &'a [u8],
        array: Vec<u8>,
        #[serde(with = "serde_bytes")]
        owned: Vec<u8>,
        #[serde(with = "serde_bytes", default)]
        maybe: Option<Vec<u8>>,
        #[serde(borrow)]
        cow: Cow<'a, [u8]>,
        cow_owned: Cow<'a, [u8]>,
        #[serde(borrow)]
        text: Cow<'a, str>,
        fixed: [u8; 4],
    }
    check::<Blobs<'_>>(
        "
        Blobs {
          borrowed: bytes
          array: [u8]
          owned: bytes
          maybe: bytes? = default
          cow: bytes
          cow_owned: [u8]
          text: str
          fixed: [u8; 4]
        }
        ",
    );
    #[derive(Serialize, Shaped)]
    struct Slices<'a> {
        texts: &'a [&'a str],
        sizes: &'a [u16],
    }
    check::<Slices<'_>>(
        "
        Slices {
          texts: [str]
          sizes: [u16]
        }
        ",
    );
}

#[test]
fn enums_keep_their_tagging() {
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(rename_all = "snake_case", rename_all_fields = "UPPERCASE")]
    enum External {
        UnitCase,
        Newtype(u8),
        Tuple(u8, String),
        /// With fields.
        Struct {
            a: i8,
            #[serde(default)]
            b: bool,
        },
        #[serde(alias = "old")]
        Empty {},
        EmptyTuple(),
        #[serde(skip)]
        Skipped,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "type")]
    enum Internal {
        Unit,
        Newtype(Inner),
        Struct {
            x: f64,
        },
        #[serde(other)]
        Unknown,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Inner {
        y: f64,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Unit,
        Pair(i32, i32),
    }
    check::<(External, Internal, Adjacent)>(
        r#"
        (External, Internal, Adjacent)

        External = {
          unit_case
          newtype(u8)
          tuple(u8, str)
          /// With fields.
          struct {
            A: i8
            B: bool = default
          }
          empty {
          } or "old"
          empty_tuple()
        }

        Internal = "type" {
          Unit
          Newtype(Inner)
          Struct {
            x: f64
          }
          Unknown
        }

        Inner {
          y: f64
        }

        Adjacent = "t" / "c" {
          Unit
          Pair(i32, i32)
        }
        "#,
    );
}

#[test]
fn untagged_enums_are_unions_by_kind() {
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Json {
        Null,
        Bool(bool),
        Int(i64),
        Small(u8),
        Float(f64),
        Text(String),
        List(Vec<Json>),
        Object(BTreeMap<String, Json>),
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Holder {
        json: Json,
    }
    check::<Holder>(
        "
        Holder {
          json: (bool | i64 | f64 | str | […] | {str: …})?
        }
        ",
    );

    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Records {
        First { id: u32, a: String },
        Second { id: i64, b: bool },
        Third(Inner),
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Inner {
        c: f32,
    }
    check::<Records>(
        "
        First {
          id?: i64
          a?: str
          b?: bool
          c?: f32
        }
        ",
    );

    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Lists {
        Pair(u8, u8),
        Other(i8, String),
        Many(Vec<bool>),
        Word(char),
        Words(String),
        Wide(u64),
        Signed(i64),
    }
    check::<Lists>("[i16 | str | bool] | str | i128");

    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Pairs {
        Left(u8, String),
        Right(u16, bool),
    }
    check::<Pairs>("(u16, str | bool)");
}

#[test]
fn untagged_beside_tagged_variants() {
    #[derive(Serialize, Deserialize, Shaped)]
    enum Known {
        Red,
        Rgb(u8, u8, u8),
        #[serde(untagged)]
        Code(i32),
    }
    check::<Known>(
        "
        Known | i32

        Known = {
          Red
          Rgb(u8, u8, u8)
        }
        ",
    );

    // A bare variant is text too, and a filled one a map: the enum gives way.
    #[derive(Serialize, Deserialize, Shaped)]
    enum Open {
        Red,
        Rgb(u8, u8, u8),
        #[serde(untagged)]
        Name(String),
        #[serde(untagged)]
        Other {
            hue: f32,
        },
    }
    check::<Open>(
        "
        str | Other

        Other {
          Rgb?: (u8, u8, u8)
          hue?: f32
        }
        ",
    );
}

#[test]
fn what_is_written_as_another_type_has_its_shape() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Meters(f64);
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(transparent)]
    struct Clear {
        inner: Vec<Meters>,
        #[serde(skip)]
        marker: PhantomData<u8>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Unit;
    #[derive(Serialize, Deserialize, Shaped)]
    struct Pair(u8, #[serde(skip)] u16, i8);
    #[derive(Clone, Serialize, Deserialize, Shaped)]
    #[serde(into = "String", from = "String")]
    struct Text {
        unshaped: fn(),
    }
    impl From<Text> for String {
        fn from(_: Text) -> String {
            String::new()
        }
    }
    impl From<String> for Text {
        fn from(_: String) -> Text {
            Text { unshaped: || () }
        }
    }
    #[derive(Shaped)]
    #[shaped(as = "(u32, u32)")]
    struct ByHand {
        unshaped: fn(),
    }
    #[derive(Shaped)]
    struct With {
        #[serde(with = "by_hand")]
        #[shaped(as = "Option<i8>")]
        field: fn(),
        #[serde(serialize_with = "by_hand::serialize")]
        #[shaped(as = &'static str)]
        unquoted: fn(),
    }
    check::<(Clear, Unit, Pair, Text, ByHand, With)>(
        "
        ([f64], null, (u8, i8), str, (u32, u32), With)

        With {
          field: i8?
          unquoted: str
        }
        ",
    );
}

#[test]
fn flatten_writes_fields_into_the_record_around() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Page {
        before: u8,
        #[serde(flatten)]
        paging: Paging,
        #[serde(flatten)]
        more: Option<Extra>,
        #[serde(flatten)]
        external: Shape1,
        #[serde(flatten)]
        internal: Internal,
        #[serde(flatten)]
        adjacent: Adjacent,
        #[serde(flatten)]
        rest: HashMap<String, String>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Paging {
        /// From 0.
        offset: u64,
        #[serde(default)]
        limit: u64,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Extra {
        note: String,
        #[serde(flatten)]
        deeper: HashMap<String, bool>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    enum Shape1 {
        Nothing,
        Circle(f64),
        Square { side: f64 },
    }
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "kind")]
    enum Internal {
        One { x: u8 },
        Two { x: u16, y: bool },
    }
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Text(String),
        Number(i32),
        None,
    }
    check::<Page>(
        "
        Page {
          before: u8
          /// From 0.
          offset: u64
          limit: u64 = default
          note?: str
          Nothing?: null
          Circle?: f64
          Square?: Square
          kind: str
          x?: u16
          y?: bool
          t: str
          c?: str | i32
          ..: bool | str
        }

        Square {
          side: f64
        }
        ",
    );
}

#[test]
fn types_may_contain_themselves() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Tree {
        children: Vec<Tree>,
        parent: Option<Box<Tree>>,
        leaf: Leaf,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    enum Leaf {
        End,
        Back(Box<Tree>),
        Next(Box<Leaf>),
    }
    check::<Tree>(
        "
        Tree {
          children: [Tree]
          parent: Tree?
          leaf: Leaf
        }

        Leaf = {
          End
          Back(Tree)
          Next(Leaf)
        }
        ",
    );
    #[derive(Serialize, Deserialize, Shaped)]
    struct Nested(Vec<Nested>);
    let shape = Shape::of::<Nested>();
    assert_eq!(shape.nodes().len(), 1, "{shape:?}");
    check::<Nested>("[…]");

    #[derive(Serialize, Deserialize, Shaped)]
    struct Filter {
        op: String,
        arguments: Vec<Expression>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Expression {
        Literal(i64),
        Filter(Box<Filter>),
    }
    check::<Filter>(
        "
        Filter {
          op: str
          arguments: [i64 | Filter]
        }
        ",
    );

    // Two lists that go on forever, told apart by nothing: the merged one goes on forever too.
    #[derive(Serialize, Deserialize, Shaped)]
    struct A {
        a: u8,
        next: Option<Box<A>>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct B {
        b: u8,
        next: Option<Box<B>>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Either {
        A(A),
        B(B),
    }
    check::<Either>(
        "
        A {
          a?: u8
          next?: A?
          b?: u8
        }
        ",
    );
}

#[test]
fn generics_ask_for_shapes_only_where_one_is_taken() {
    struct Shapeless;
    #[derive(Serialize, Deserialize, Shaped)]
    struct Tagged<T, M> {
        value: Vec<Option<T>>,
        #[serde(skip)]
        marker: PhantomData<M>,
        phantom: PhantomData<M>,
    }
    impl<T> Tagged<T, Shapeless> {}
    check::<Tagged<u8, Shapeless>>(
        "
        Tagged {
          value: [u8?]
          phantom: null
        }
        ",
    );
    trait Family {
        type Member;
    }
    impl Family for Shapeless {
        type Member = i32;
    }
    #[derive(Shaped)]
    struct Associated<T: Family> {
        member: T::Member,
        #[shaped(as = "[u16; 3]")]
        written: T,
    }
    check::<Associated<Shapeless>>(
        "
        Associated {
          member: i32
          written: [u16; 3]
        }
        ",
    );
    #[derive(Shaped)]
    #[shaped(bound = "")]
    struct Unbound<T> {
        #[serde(with = "anything")]
        #[shaped(as = "u8")]
        value: T,
    }
    check::<(Tagged<Tagged<u8, ()>, ()>, Unbound<Shapeless>, [bool; 0])>(
        "
        (Tagged, Unbound, [bool; 0])

        Tagged {
          value: [Tagged#2?]
          phantom: null
        }

        Tagged#2 {
          value: [u8?]
          phantom: null
        }

        Unbound {
          value: u8
        }
        ",
    );
}

#[test]
fn a_struct_may_carry_its_name_as_a_tag() {
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(tag = "type", rename = "user")]
    struct User {
        id: u64,
    }
    check::<User>(
        "
        user {
          type: str = default
          id: u64
        }
        ",
    );
}

#[test]
fn the_derive_works_through_a_facade() {
    mod facade {
        pub(crate) mod inner {
            pub(crate) use manywire_shape::*;
        }
    }
    #[derive(Shaped)]
    #[shaped(crate = "facade::inner")]
    struct Through {
        #[shaped(encoding = "fixed")]
        id: u64,
    }
    check::<Through>(
        "
        Through {
          id: u64 fixed
        }
        ",
    );
}
