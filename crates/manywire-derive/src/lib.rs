//! Derive macros: `Shaped`, the shape of a type from the serde attributes that decide its encoding,
//! and `Failure`, the problems that an endpoint returns.

mod attribute;
mod check;
mod constraints;
mod failure;
mod shaped;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `Shaped`: the static shape of the values that `Serialize` writes.
///
/// Use it beside serde's derives. It reads their attributes: names, aliases, `default`, `skip*`,
/// `flatten`, `tag`, `content`, `untagged`, `transparent`, `into`, `borrow`. If these attributes do
/// not determine the encoding, `#[shaped(…)]` must:
///
/// | attribute | on | meaning |
/// |---|---|---|
/// | `as = "Type"` | field, variant, container | the value has the shape of this type. Required beside `serde(with, serialize_with, deserialize_with)` except `with = "serde_bytes"`, and for a container with a manual `Serialize` |
/// | `number = 7` | field, variant | the Protocol Buffers number |
/// | `encoding = "zigzag"` | integer field | the Protocol Buffers encoding: `varint`, `zigzag` or `fixed`; a `fixed` `u64` is a decimal in Avro, which holds values that a `long` does not |
/// | `min = 1`, `max = 2.5` | number | the smallest and the largest value |
/// | `multiple_of = 5` | number | the value is a multiple of this integer |
/// | `length = 1..=40` | text, list, map, bytes | the number of characters (Unicode scalar values), items, entries or bytes; also `3`, `..=40`, `1..` |
/// | `pattern = "^[A-Z]{2}$"` | text | a regular expression that matches somewhere in the text |
/// | `one_of = ["a", "b"]` | text, number | the permitted values |
/// | `bound = "T: Shaped"` | container | the bounds of the implementation, instead of the inferred ones |
/// | `crate = "path"` | container | the path of `manywire_shape` |
///
/// # Constraints
///
/// `min`, `max`, `multiple_of`, `length`, `pattern` and `one_of` are constraints. JSON Schemas and
/// OpenAPI documents have them as keywords, and a server of `manywire` checks them in every format:
/// a violation has status 422 with its path and the value. A constraint of an `Option` applies to
/// the value inside it. A field whose type is `Stars(u8)` has the constraints of the field in
/// `Stars`.
///
/// A pattern has the syntax that ECMA-262 and the crate `regex-lite` share, with the meaning of
/// ECMA-262. `.` matches no line terminator, `\d` and `\w` are ASCII, `\s` is the white space of
/// Unicode. Look-around, back references, flags, names of groups, `\p{…}`, and `{`, `}` or `]` without
/// a backslash are compile errors.
///
/// The fields that serde reads are checked, and so are the defaults of absent fields. Fields with
/// `serde(skip_deserializing)` are not checked, because only the server writes them. A constraint
/// on a field with `as` is a compile error, since the value of the field is written as another
/// type. So is a constraint within a type with `serde(into)` or with `as`; if the other type has
/// constraints, a server that reads values of the first type does not start. If branches of an
/// untagged enum are one type in the schema, such as two texts, the schema does not have their
/// constraints, but values are checked all the same.
///
/// A type with one lifetime and no other parameter also implements `Borrowed`, so that the owner of
/// the input bytes can hold a value that borrows from them.
///
/// Type parameters in a field's type must be `Shaped`, and so must their associated types there.
/// Parameters that are used only in `PhantomData` need not be.
#[proc_macro_derive(Shaped, attributes(serde, shaped))]
pub fn derive_shaped(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let here = quote::quote!(::manywire_shape);
    shaped::expand(&input, here).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Implements `manywire::Shaped`, for crates that depend only on `manywire`.
///
/// The derive has the attributes of the derive of `manywire_shape` and uses paths of `manywire`,
/// because a crate sees only its direct dependencies.
#[proc_macro_derive(ManywireShaped, attributes(serde, shaped))]
pub fn derive_manywire_shaped(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let here = quote::quote!(::manywire::__shape);
    shaped::expand(&input, here).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Implements `Failure` for an enum: each variant is a kind of problem (RFC 9457).
///
/// The client receives the whole variant. A variant has
///
/// - no content,
/// - one `String`: the detail of the problem,
/// - or named fields, each a member of the problem beside the standard ones (RFC 9457, section 3.2),
///   in every format. Their types are `Serialize`, `DeserializeOwned` and `Shaped`.
///
/// | `#[failure(…)]` | on | meaning |
/// |---|---|---|
/// | `status = 404` | variant | the status of the response, from 400 to 599 |
/// | `type = "/problems/no-such-hotel"` | variant | the URI that identifies the problem; without it, the status does |
/// | `title = "No such hotel"` | variant | the title of the problem; the default is the first line of the variant's documentation, or else the reason phrase of the status |
/// | `other` | variant with one `Problem` | any other problem, with its own status; also implements `From<Problem>`, so that `?` converts |
/// | `name = "retry-at"` | field | the name of the member, instead of the field's |
/// | `detail` | field | a `String`: the detail of the problem |
/// | `header = "retry-after"` | field | a header field of the response instead of a member: a value that is text, such as a number |
#[proc_macro_derive(Failure, attributes(failure))]
pub fn derive_failure(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    failure::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
