//! The node of one field's content.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use serde_derive_internals::ast::Field;
use syn::spanned::Spanned;
use syn::{ExprPath, Result, Type};

use crate::attribute::{Attributes, error_at};
use crate::implementation::Context;

const WITH: &str = "serde is told here how to write or read this, so its type does not say what \
    it is written as: add #[shaped(as = \"Type\")] with a type that is written the same way";

/// The expression that gives the node of what this field is written as.
pub(crate) fn node(
    context: &mut Context,
    field: &Field<'_>,
    said: &Attributes,
) -> Result<TokenStream> {
    let krate = &context.krate;
    let ty = said.written_as.as_ref().unwrap_or(field.ty);
    if let Some(encoding) = &said.encoding {
        let variant = syn::Ident::new(encoding.variant, encoding.span);
        // A negative number is what zigzag is for; without a sign it would double every number.
        let check = quote_spanned! {encoding.span=>
            const {
                ::core::assert!(
                    <#ty as #krate::derived::Integer>::SIGNED,
                    "the encoding `zigzag` is for signed integers",
                )
            };
        };
        let check = (encoding.variant == "Zigzag").then_some(check);
        return Ok(quote_spanned! {ty.span()=>
            {
                #check
                #krate::derived::encoded::<#ty>(builder, #krate::IntEncoding::#variant)
            }
        });
    }
    if said.written_as.is_none() {
        let with = [field.attrs.serialize_with(), field.attrs.deserialize_with()];
        let with: Vec<&ExprPath> = with.into_iter().flatten().collect();
        if with.iter().any(|path| !is_serde_bytes(path) && !is_serdes_own(path)) {
            return Err(error_at(field.ty, WITH));
        }
        if with.iter().any(|path| is_serde_bytes(path)) {
            return Ok(quote_spanned! {ty.span()=> #krate::derived::bytes::<#ty>(builder) });
        }
        // Serde reads a borrowed `Cow<[u8]>` as bytes, as it does a `&[u8]`.
        if with.iter().any(|path| last_segment_is(path, "borrow_cow_bytes")) {
            return Ok(quote_spanned! {ty.span()=> builder.add(#krate::Node::Bytes) });
        }
    }
    Ok(of_type(context, ty))
}

/// The expression that gives the node of a type, which the implementation then depends on.
pub(crate) fn of_type(context: &mut Context, ty: &Type) -> TokenStream {
    let krate = &context.krate;
    let node = quote_spanned! {ty.span()=> <#ty as #krate::Shaped>::node(builder) };
    context.types.push(ty.clone());
    node
}

/// Refuses a variant whose content serde is told how to write, unless it says as what.
pub(crate) fn check_variant(
    variant: &serde_derive_internals::ast::Variant<'_>,
    said: &Attributes,
) -> Result<()> {
    let with = variant.attrs.serialize_with().or(variant.attrs.deserialize_with());
    if with.is_some() && said.written_as.is_none() {
        return Err(error_at(&variant.ident, WITH));
    }
    Ok(())
}

/// Whether this came of `#[serde(with = "serde_bytes")]`.
fn is_serde_bytes(path: &ExprPath) -> bool {
    let segments: Vec<String> =
        path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    matches!(&segments[..], [.., module, _] if module == "serde_bytes")
}

/// Whether serde put this there by itself, for `#[serde(borrow)]` on a `Cow`.
fn is_serdes_own(path: &ExprPath) -> bool {
    last_segment_is(path, "borrow_cow_bytes") || last_segment_is(path, "borrow_cow_str")
}

fn last_segment_is(path: &ExprPath, name: &str) -> bool {
    path.path.segments.last().is_some_and(|segment| segment.ident == name)
}
