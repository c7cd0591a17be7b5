//! Types that are written as bytes or as another type.

use std::borrow::Cow;
use std::marker::PhantomData;

use manywire_shape::Shaped;
use serde::{Deserialize, Serialize};

use super::check;

#[test]
fn types_that_serde_treats_as_bytes_are_bytes() {
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
fn a_type_written_as_another_has_its_shape() {
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
