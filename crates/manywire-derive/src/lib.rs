//! `#[derive(Shaped)]`: the shape of a type, read from the same serde attributes that decide how
//! it is written. `#[derive(Failure)]`: the ways an endpoint of the library fails.

mod attribute;
mod failure;
mod shaped;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Gives a type its shape: what `Serialize` writes of it, known without a value.
///
/// Stands beside serde's derives and reads their attributes: names, aliases, `default`, `skip*`,
/// `flatten`, `tag`, `content`, `untagged`, `transparent`, `into`, `borrow`. Where the attributes
/// alone do not say what is written, `#[shaped(…)]` must:
///
/// | attribute | on | says |
/// |---|---|---|
/// | `as = "Type"` | field, variant, container | what it is written as has the shape of this type. Needed beside `serde(with, serialize_with, deserialize_with)` except `with = "serde_bytes"`, and for a container whose `Serialize` is written by hand |
/// | `number = 7` | field, variant | its Protocol Buffers number |
/// | `encoding = "zigzag"` | integer field | its Protocol Buffers layout: `varint`, `zigzag` or `fixed` |
/// | `bound = "T: Shaped"` | container | the bounds of the implementation, instead of those found |
/// | `crate = "path"` | container | where `manywire_shape` is |
///
/// A type with one lifetime and no other parameter is also given `Borrowed`, so that it can be lent
/// by whoever owns the bytes it was read from.
///
/// Type parameters that stand in a field's type must be `Shaped`, and so must the associated types
/// of theirs that do; those only within `PhantomData` need not.
#[proc_macro_derive(Shaped, attributes(serde, shaped))]
pub fn derive_shaped(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let here = quote::quote!(::manywire_shape);
    shaped::expand(&input, here).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Gives a type its shape, as `manywire::Shaped`: for crates that depend on `manywire` alone.
///
/// The same derive, with the same attributes, as that of `manywire_shape`; only where it looks for
/// what it is written with differs, since a crate sees no further than its own dependencies.
#[proc_macro_derive(ManywireShaped, attributes(serde, shaped))]
pub fn derive_manywire_shaped(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let here = quote::quote!(::manywire::__shape);
    shaped::expand(&input, here).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes an enum the ways an endpoint fails: a variant a kind of problem (RFC 9457).
///
/// A variant carries nothing, or one `String`: what happened this time, the problem's detail. So
/// all that is in it goes to the client and comes back there.
///
/// | `#[failure(…)]` | says |
/// |---|---|
/// | `status = 404` | the status it is sent with, from 400 to 599 |
/// | `type = "/problems/no-such-hotel"` | the URI a client knows it by; without, it is known by its status |
/// | `title = "No such hotel"` | what kind of problem this is; without, the first line of the variant's documentation, or else the words of the status |
#[proc_macro_derive(Failure, attributes(failure))]
pub fn derive_failure(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    failure::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
