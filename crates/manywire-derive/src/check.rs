//! Expands the methods of `Shaped` that walk over a value: `check`, which checks constraints, and
//! `map_key`, the value as a key of a map.
//!
//! The walk follows the fields that serde reads. It names the fields as JSON does, because the
//! paths of violations contain the names. Fields and variants that are written as another type are
//! left out: the shape records them by `derived::unchecked`, so that constraints inside them are
//! refused.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use serde_derive_internals::ast::{Container, Data, Field, Style, Variant};
use serde_derive_internals::attr::TagType;
use syn::spanned::Spanned;
use syn::{DeriveInput, Ident, Result};

use crate::attribute::{Attributes, Position, has_own_serde};

const NOT_CHECKED: &str = "this is written as another type, so the constraint would not be checked: \
    check the value with `validate`, or in the conversion";

/// Returns the methods for a type that is written by its own fields.
pub(crate) fn methods(
    krate: &TokenStream,
    input: &DeriveInput,
    container: &Container<'_>,
) -> Result<TokenStream> {
    let check = match &container.data {
        Data::Enum(variants) => arms(krate, container, variants)?,
        Data::Struct(Style::Struct, fields) if container.attrs.transparent() => {
            binding(krate, fields, Names::None)?
        }
        Data::Struct(Style::Struct, fields) => binding(krate, fields, Names::Fields)?,
        Data::Struct(Style::Newtype, fields) => binding(krate, fields, Names::None)?,
        Data::Struct(Style::Tuple, fields) => binding(krate, fields, Names::Indices)?,
        Data::Struct(Style::Unit, _) => Walk::default(),
    };
    let check = match &container.data {
        _ if check.statements.is_empty() => TokenStream::new(),
        _ if is_packed(input) => {
            refuse_all(container, "a field of a packed struct cannot be borrowed for its check")?;
            TokenStream::new()
        }
        Data::Enum(_) => {
            let arms = check.statements;
            quote! {
                #[allow(unreachable_patterns, unused_variables)]
                fn check(&self, check: &mut #krate::Check<'_>) {
                    match self {
                        #arms
                        _ => {}
                    }
                }
            }
        }
        Data::Struct(..) => {
            let Walk { pattern, statements } = check;
            quote! {
                #[allow(unused_variables)]
                fn check(&self, check: &mut #krate::Check<'_>) {
                    let Self { #pattern .. } = self;
                    #statements
                }
            }
        }
    };
    let map_key = map_key(krate, input, container);
    Ok(quote!(#check #map_key))
}

/// Refuses constraints on the fields of a type whose values are not checked. `why` is the error.
pub(crate) fn refuse_all(container: &Container<'_>, why: &str) -> Result<()> {
    let mut fields: Vec<&Field<'_>> = Vec::new();
    match &container.data {
        Data::Enum(variants) => variants.iter().for_each(|variant| fields.extend(&variant.fields)),
        Data::Struct(_, all) => fields.extend(all),
    }
    fields.into_iter().try_for_each(|field| {
        Attributes::parse(&field.original.attrs, Position::Field)?.constraints.refuse(why)
    })
}

/// Refuses constraints on the fields of a type that is written as another type.
pub(crate) fn refuse_unread(container: &Container<'_>) -> Result<()> {
    refuse_all(container, NOT_CHECKED)
}

/// The steps that fields add to a path.
#[derive(Clone, Copy, PartialEq)]
enum Names {
    /// The names of the fields.
    Fields,
    /// Their positions.
    Indices,
    /// No step: the only field is the whole value.
    None,
}

/// The code that checks fields: the bindings of a pattern, and statements over them.
#[derive(Default)]
struct Walk {
    pattern: TokenStream,
    statements: TokenStream,
}

fn binding(krate: &TokenStream, fields: &[Field<'_>], names: Names) -> Result<Walk> {
    let mut walk = Walk::default();
    let mut position = 0_usize;
    for (at, field) in fields.iter().enumerate() {
        let attrs = &field.attrs;
        let attributes = Attributes::parse(&field.original.attrs, Position::Field)?;
        let constraints = &attributes.constraints;
        let is_positional = names == Names::Indices;
        let index = position;
        position += usize::from(!(is_positional && attrs.skip_deserializing()));
        if attrs.skip_serializing() && attrs.skip_deserializing() {
            constraints.refuse("a field that serde skips has no constraints")?;
            continue;
        }
        if attrs.flatten() {
            constraints.refuse("a flattened field has no constraints: the fields inside it do")?;
        }
        let other = attributes.written_as.is_some() || has_own_serde(field);
        if other {
            constraints.refuse(NOT_CHECKED)?;
        }
        // A value that only the server writes needs no check.
        if attrs.skip_deserializing() || other && !is_bytes(field, &attributes) {
            continue;
        }
        let ty = field.ty;
        let member = &field.member;
        let value = Ident::new(&format!("field_{at}"), Span::call_site());
        let rule = constraints.expression(krate).map(|expression| {
            quote! {
                static RULE: ::std::sync::LazyLock<#krate::Rule> =
                    ::std::sync::LazyLock::new(|| #krate::derived::rule(#expression));
                check.value::<#ty>(&RULE, #value);
            }
        });
        // Bytes and integers with an encoding have no parts to check.
        let parts = match is_bytes(field, &attributes) || attributes.encoding.is_some() {
            true => None,
            false => {
                let check = Ident::new("check", Span::call_site());
                Some(quote_spanned!(ty.span()=> <#ty as #krate::Shaped>::check(#value, #check);))
            }
        };
        if rule.is_none() && parts.is_none() {
            continue;
        }
        let place = match names {
            _ if attrs.flatten() => None,
            Names::None => None,
            Names::Indices => Some(quote!(let check = &mut check.item(#index);)),
            Names::Fields => {
                let name = &attrs.name().deserialize_name().value;
                Some(quote!(let check = &mut check.field(#name);))
            }
        };
        walk.pattern.extend(quote!(#member: #value,));
        walk.statements.extend(quote!({ #place #rule #parts }));
    }
    Ok(walk)
}

/// Returns whether `serde_bytes` reads the field, so that its value is bytes.
fn is_bytes(field: &Field<'_>, attributes: &Attributes) -> bool {
    let with = field.attrs.serialize_with().or(field.attrs.deserialize_with());
    attributes.written_as.is_none() && with.is_some() && !has_own_serde(field)
}

fn arms(krate: &TokenStream, container: &Container<'_>, variants: &[Variant<'_>]) -> Result<Walk> {
    let mut all = Walk::default();
    for variant in variants {
        let attributes = Attributes::parse(&variant.original.attrs, Position::Variant)?;
        let attrs = &variant.attrs;
        let is_other = attributes.written_as.is_some()
            || attrs.serialize_with().is_some()
            || attrs.deserialize_with().is_some();
        if is_other || attrs.skip_deserializing() {
            for field in &variant.fields {
                let attributes = Attributes::parse(&field.original.attrs, Position::Field)?;
                attributes.constraints.refuse(NOT_CHECKED)?;
            }
            continue;
        }
        let names = match variant.style {
            Style::Struct => Names::Fields,
            Style::Tuple => Names::Indices,
            Style::Newtype | Style::Unit => Names::None,
        };
        let Walk { pattern, statements } = binding(krate, &variant.fields, names)?;
        if statements.is_empty() {
            continue;
        }
        let name = &attrs.name().deserialize_name().value;
        let place = match container.attrs.tag() {
            _ if attrs.untagged() => None,
            TagType::External => Some(quote!(let check = &mut check.field(#name);)),
            TagType::Adjacent { content, .. } => {
                Some(quote!(let check = &mut check.field(#content);))
            }
            TagType::Internal { .. } | TagType::None => None,
        };
        let ident = &variant.ident;
        all.statements.extend(quote! {
            Self::#ident { #pattern .. } => { #place #statements }
        });
    }
    Ok(all)
}

/// Returns the method for types that can be keys of maps in JSON: newtypes, and enums by the names
/// of their variants.
fn map_key(
    krate: &TokenStream,
    input: &DeriveInput,
    container: &Container<'_>,
) -> Option<TokenStream> {
    let key = match &container.data {
        Data::Struct(Style::Newtype, fields) if !is_packed(input) => {
            let [field] = &fields[..] else { return None };
            let attributes = Attributes::parse(&field.original.attrs, Position::Field).ok()?;
            let is_plain = attributes.written_as.is_none()
                && attributes.encoding.is_none()
                && field.attrs.serialize_with().is_none()
                && field.attrs.deserialize_with().is_none()
                && !field.attrs.skip_serializing();
            if !is_plain {
                return None;
            }
            let ty = field.ty;
            // The tokens that a macro was given have the caller's hygiene, in which the `self` of
            // the generated method is not visible.
            let value = quote!(&self.0);
            quote_spanned!(ty.span()=> <#ty as #krate::Shaped>::map_key(#value))
        }
        Data::Enum(variants) if matches!(container.attrs.tag(), TagType::External) => {
            let units = variants.iter().filter(|variant| {
                matches!(variant.style, Style::Unit) && !variant.attrs.untagged()
            });
            let arms: Vec<TokenStream> = units
                .map(|variant| {
                    let ident = &variant.ident;
                    let name = &variant.attrs.name().deserialize_name().value;
                    quote!(Self::#ident => ::core::option::Option::Some(#name.into()),)
                })
                .collect();
            if arms.is_empty() {
                return None;
            }
            quote! {
                match self {
                    #(#arms)*
                    #[allow(unreachable_patterns)]
                    _ => ::core::option::Option::None,
                }
            }
        }
        _ => return None,
    };
    let text = quote!(::std::borrow::Cow<'_, str>);
    Some(quote! {
        fn map_key(&self) -> ::core::option::Option<#text> {
            #key
        }
    })
}

fn is_packed(input: &DeriveInput) -> bool {
    let reprs = input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr"));
    let mut is_packed = false;
    for repr in reprs {
        // An invalid `repr` is the compiler's own error.
        let _ = repr.parse_nested_meta(|meta| {
            is_packed |= meta.path.is_ident("packed");
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                content.parse::<TokenStream>()?;
            }
            Ok(())
        });
    }
    is_packed
}
