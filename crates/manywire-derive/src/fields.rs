//! Named fields and tuples.

use proc_macro2::TokenStream;
use quote::quote;
use serde_derive_internals::ast::Field;
use serde_derive_internals::name::{MultiName, Name};
use syn::Result;

use crate::attribute::{Attributes, Place, check_numbers, error_at, refuse_number};
use crate::implementation::Context;
use crate::{content, doc};

/// Statements that put named fields into `fields`.
///
/// `defaulted` says whether the container has a default for all of them.
pub(crate) fn named(
    context: &mut Context,
    fields: &[Field<'_>],
    defaulted: bool,
) -> Result<TokenStream> {
    let mut statements = TokenStream::new();
    let mut numbers = Vec::new();
    for field in fields {
        let attrs = &field.attrs;
        if attrs.skip_serializing() && attrs.skip_deserializing() {
            continue;
        }
        let said = Attributes::parse(&field.original.attrs, Place::Field)?;
        let node = content::node(context, field, &said)?;
        if attrs.flatten() {
            let why = "a flattened field has no number: its own fields have theirs";
            refuse_number(said.number.as_ref(), why)?;
            statements.extend(quote! {
                let node = #node;
                fields.flatten(builder, node);
            });
            continue;
        }
        let krate = &context.krate;
        let presence = if attrs.skip_serializing() || attrs.skip_serializing_if().is_some() {
            quote!(Optional)
        } else if defaulted || !attrs.default().is_none() || attrs.skip_deserializing() {
            quote!(Defaulted)
        } else {
            quote!(Required)
        };
        let (name, aliases) = names(attrs.name(), attrs.aliases());
        let doc = doc::text(&field.original.attrs);
        let number = number(&said);
        numbers.extend(said.number);
        statements.extend(quote! {
            let node = #node;
            fields.push(#krate::Field {
                name: #krate::Name::Borrowed(#name),
                aliases: #krate::derived::names(&[#(#aliases),*]),
                doc: #krate::Name::Borrowed(#doc),
                node,
                presence: #krate::Presence::#presence,
                number: #number,
            });
        });
    }
    check_numbers(numbers.iter())?;
    Ok(statements)
}

/// Expressions for the nodes of a tuple's fields.
pub(crate) fn positional(context: &mut Context, fields: &[Field<'_>]) -> Result<Vec<TokenStream>> {
    let mut nodes = Vec::new();
    for field in fields.iter().filter(|field| !field.attrs.skip_serializing()) {
        if field.attrs.skip_serializing_if().is_some() {
            let why = "leaving out a field of a tuple shifts those after it, so what is written \
                has no shape: remove `skip_serializing_if`, or name the fields";
            return Err(error_at(field.ty, why));
        }
        let said = Attributes::parse(&field.original.attrs, Place::Field)?;
        refuse_number(said.number.as_ref(), "a field without a name has no number")?;
        nodes.push(content::node(context, field, &said)?);
    }
    Ok(nodes)
}

/// The name something is written under, and the others it is read under.
pub(crate) fn names(
    name: &MultiName,
    aliases: &std::collections::BTreeSet<Name>,
) -> (String, Vec<String>) {
    let written = name.serialize_name().value.clone();
    let read = std::iter::once(name.deserialize_name()).chain(aliases);
    let mut others: Vec<String> = Vec::new();
    for name in read.map(|name| &name.value) {
        if *name != written && !others.contains(name) {
            others.push(name.clone());
        }
    }
    (written, others)
}

/// The expression for an optional number.
pub(crate) fn number(said: &Attributes) -> TokenStream {
    match &said.number {
        Some(number) => {
            let value = number.value;
            quote!(::core::option::Option::Some(#value))
        }
        None => quote!(::core::option::Option::None),
    }
}
