//! Enums.

use proc_macro2::TokenStream;
use quote::quote;
use serde_derive_internals::ast::{Style, Variant};
use serde_derive_internals::attr::{self, TagType};
use syn::Result;

use crate::attribute::{Attributes, Place, check_numbers, refuse_number};
use crate::implementation::Context;
use crate::{content, doc, fields};

/// The expression that gives the node of an enum.
pub(crate) fn node(
    context: &mut Context,
    attrs: &attr::Container,
    variants: &[Variant<'_>],
    doc: &str,
) -> Result<TokenStream> {
    let (untagged, tagged): (Vec<&Variant<'_>>, Vec<&Variant<'_>>) = variants
        .iter()
        .filter(|variant| !(variant.attrs.skip_serializing() && variant.attrs.skip_deserializing()))
        .partition(|variant| variant.attrs.untagged() || matches!(attrs.tag(), TagType::None));
    let branches: Vec<TokenStream> =
        untagged.into_iter().map(|variant| branch(context, variant)).collect::<Result<_>>()?;
    let sum = if matches!(attrs.tag(), TagType::None) || tagged.is_empty() && !branches.is_empty() {
        None
    } else {
        Some(tagged_node(context, attrs, &tagged, doc, branches.is_empty())?)
    };
    if branches.is_empty()
        && let Some(sum) = sum
    {
        return Ok(sum);
    }
    let krate = &context.krate;
    let sum = sum.into_iter();
    Ok(quote! {
        #krate::derived::untagged(builder, ::core::any::type_name::<Self>(), |builder| {
            ::std::vec![#(#sum,)* #(#branches),*]
        })
    })
}

fn tagged_node(
    context: &mut Context,
    attrs: &attr::Container,
    variants: &[&Variant<'_>],
    doc: &str,
    whole: bool,
) -> Result<TokenStream> {
    let mut numbers = Vec::new();
    let mut items = Vec::new();
    for variant in variants {
        let said = Attributes::parse(&variant.original.attrs, Place::Variant)?;
        let kind = kind(context, variant, &said)?;
        let krate = &context.krate;
        let (name, aliases) = fields::names(variant.attrs.name(), variant.attrs.aliases());
        let doc = doc::text(&variant.original.attrs);
        let number = fields::number(&said);
        numbers.extend(said.number);
        items.push(quote! {
            {
                let kind = #kind;
                #krate::derived::variant(#name, &[#(#aliases),*], #doc, #number, kind)
            }
        });
    }
    check_numbers(numbers.iter())?;
    let krate = &context.krate;
    let tagging = match attrs.tag() {
        TagType::Internal { tag } => {
            quote!(Internal { tag: #krate::Name::Borrowed(#tag) })
        }
        TagType::Adjacent { tag, content } => quote!(Adjacent {
            tag: #krate::Name::Borrowed(#tag),
            content: #krate::Name::Borrowed(#content),
        }),
        TagType::External | TagType::None => quote!(External),
    };
    let name = &attrs.name().serialize_name().value;
    // Beside untagged variants the tagged ones are a part of the type, not all of it.
    let type_name = if whole {
        quote!(::core::any::type_name::<Self>())
    } else {
        quote!(::core::any::type_name::<(Self,)>())
    };
    Ok(quote! {
        #krate::derived::tagged(
            builder,
            #type_name,
            #name,
            #doc,
            #krate::Tagging::#tagging,
            |builder| ::std::vec![#(#items),*],
        )
    })
}

/// How a variant is written when the name of the variant is written beside it.
fn kind(context: &mut Context, variant: &Variant<'_>, said: &Attributes) -> Result<TokenStream> {
    content::check_variant(variant, said)?;
    if let Some(ty) = &said.written_as {
        let node = content::of_type(context, ty);
        let krate = &context.krate;
        return Ok(quote!(#krate::VariantKind::Newtype(#node)));
    }
    let style = match variant.style {
        // Serde writes a newtype variant without its field as if it had none.
        Style::Newtype if variant.fields[0].attrs.skip_serializing() => Style::Unit,
        style => style,
    };
    Ok(match style {
        Style::Unit => {
            let krate = &context.krate;
            quote!(#krate::VariantKind::Unit)
        }
        Style::Newtype => {
            let node = fields::positional(context, &variant.fields)?;
            let krate = &context.krate;
            quote!(#krate::VariantKind::Newtype(#(#node)*))
        }
        Style::Tuple => {
            let nodes = fields::positional(context, &variant.fields)?;
            let krate = &context.krate;
            quote!(#krate::VariantKind::Tuple(::std::vec![#(#nodes),*]))
        }
        Style::Struct => {
            let record = struct_variant(context, variant)?;
            let krate = &context.krate;
            quote!(#krate::VariantKind::Struct(#record))
        }
    })
}

/// The node of a variant of which only the content is written.
fn branch(context: &mut Context, variant: &Variant<'_>) -> Result<TokenStream> {
    let said = Attributes::parse(&variant.original.attrs, Place::Variant)?;
    let why = "an untagged variant has no number: its name is not written";
    refuse_number(said.number.as_ref(), why)?;
    content::check_variant(variant, &said)?;
    if let Some(ty) = &said.written_as {
        return Ok(content::of_type(context, ty));
    }
    Ok(match variant.style {
        Style::Unit => {
            let krate = &context.krate;
            quote!(builder.add(#krate::Node::Null))
        }
        Style::Newtype if variant.fields[0].attrs.skip_serializing() => {
            let krate = &context.krate;
            quote!(builder.add(#krate::Node::Null))
        }
        Style::Newtype => {
            let node = fields::positional(context, &variant.fields)?;
            quote!(#(#node)*)
        }
        Style::Tuple => {
            let nodes = fields::positional(context, &variant.fields)?;
            let krate = &context.krate;
            quote! {
                {
                    let items = ::std::vec![#(#nodes),*];
                    builder.add(#krate::Node::Tuple(items))
                }
            }
        }
        Style::Struct => struct_variant(context, variant)?,
    })
}

fn struct_variant(context: &mut Context, variant: &Variant<'_>) -> Result<TokenStream> {
    let name = &variant.attrs.name().serialize_name().value;
    let fields = fields::named(context, &variant.fields, false)?;
    let krate = &context.krate;
    Ok(quote! {
        #krate::derived::fields_of_variant(builder, #name, |builder, fields| { #fields })
    })
}
