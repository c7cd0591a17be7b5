//! `#[derive(Failure)]`: the problems that an endpoint returns, from the variants of an enum.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, LitInt, LitStr, Result, Type, Variant};

use crate::attribute::doc_text;

/// The problem kind of a variant.
struct ProblemKind {
    status: u16,
    uri: Option<String>,
    title: Option<String>,
    span: Span,
}

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "`Failure` can be derived only for an enum"));
    };
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a `Failure` cannot have type parameters"));
    }
    let kinds = data.variants.iter().map(kind).collect::<Result<Vec<_>>>()?;
    check_distinct(&kinds)?;
    let constants = kinds.iter().map(constant);
    let problems = data.variants.iter().enumerate().map(|(index, variant)| to(index, variant));
    let problems = problems.collect::<Result<Vec<_>>>()?;
    let failures = data.variants.iter().enumerate().map(|(index, variant)| from(index, variant));
    let name = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl ::manywire::Failure for #name {
            const KINDS: &'static [::manywire::ProblemKind] = &[#(#constants),*];

            fn problem(&self) -> ::manywire::Problem {
                match *self { #(#problems)* }
            }

            fn from_problem(problem: &::manywire::Problem) -> ::core::option::Option<Self> {
                let kinds = <Self as ::manywire::Failure>::KINDS;
                match kinds.iter().position(|kind| kind.is_of(problem)) {
                    #(#failures)*
                    _ => ::core::option::Option::None,
                }
            }
        }
    })
}

/// Parses `#[failure(…)]`.
fn kind(variant: &Variant) -> Result<ProblemKind> {
    let mut kind = ProblemKind { status: 0, uri: None, title: None, span: variant.span() };
    let mut status = None;
    for attribute in variant.attrs.iter().filter(|attribute| attribute.path().is_ident("failure")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("status") {
                return status_in(&meta).map(|value| status = Some(value));
            }
            let text = |meta: &ParseNestedMeta<'_>| {
                meta.value()?.parse::<LitStr>().map(|text| text.value())
            };
            if meta.path.is_ident("type") {
                kind.uri = Some(text(&meta)?);
            } else if meta.path.is_ident("title") {
                kind.title = Some(text(&meta)?);
            } else {
                return Err(meta.error("expected one of `status`, `type`, `title`"));
            }
            Ok(())
        })?;
    }
    kind.status = status.ok_or_else(|| {
        Error::new(kind.span, "declare the status of this failure: #[failure(status = 404)]")
    })?;
    let documented = doc_text(&variant.attrs);
    let sentence = documented.lines().next().unwrap_or_default().trim_end_matches('.');
    if kind.title.is_none() && !sentence.is_empty() {
        kind.title = Some(sentence.to_owned());
    }
    Ok(kind)
}

fn status_in(meta: &ParseNestedMeta<'_>) -> Result<u16> {
    let literal: LitInt = meta.value()?.parse()?;
    let status = literal.base10_parse::<u16>().ok().filter(|status| (400..=599).contains(status));
    status.ok_or_else(|| {
        Error::new(literal.span(), "the status of a failure must be from 400 to 599")
    })
}

/// Refuses two kinds with the same identity. A client identifies a problem by its type, or by its
/// status if it has no type.
fn check_distinct(kinds: &[ProblemKind]) -> Result<()> {
    for (index, kind) in kinds.iter().enumerate() {
        let identity =
            |kind: &ProblemKind| kind.uri.clone().unwrap_or_else(|| kind.status.to_string());
        if kinds[..index].iter().any(|other| identity(other) == identity(kind)) {
            let message = match &kind.uri {
                Some(uri) => format!("another variant has the type {uri:?}"),
                None => format!(
                    "another variant has the status {} and no type either: \
                     tell them apart by #[failure(status = {}, type = \"/problems/…\")]",
                    kind.status, kind.status
                ),
            };
            return Err(Error::new(kind.span, message));
        }
    }
    Ok(())
}

fn constant(kind: &ProblemKind) -> TokenStream {
    let status = kind.status;
    let uri = kind.uri.iter().map(|uri| quote!(.with_type(#uri)));
    let title = kind.title.iter().map(|title| quote!(.with_title(#title)));
    quote!(::manywire::ProblemKind::new(#status) #(#uri)* #(#title)*)
}

/// Returns the match arm that converts a variant to its problem.
fn to(index: usize, variant: &Variant) -> Result<TokenStream> {
    let name = &variant.ident;
    let plain = quote!(<Self as ::manywire::Failure>::KINDS[#index].problem());
    match &variant.fields {
        Fields::Unit => Ok(quote!(Self::#name => #plain,)),
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 && is_text(&fields.unnamed[0].ty) => {
            Ok(quote!(Self::#name(ref detail) => #plain.with_detail(detail.as_str()),))
        }
        fields => Err(Error::new_spanned(
            fields,
            "a variant of a failure has no fields, or one String: the detail for the client",
        )),
    }
}

/// Returns the match arm that converts a problem to its variant.
fn from(index: usize, variant: &Variant) -> TokenStream {
    let name = &variant.ident;
    let value = match &variant.fields {
        Fields::Unit => quote!(Self::#name),
        _ => quote!(Self::#name(problem.detail().unwrap_or_default().into())),
    };
    quote!(::core::option::Option::Some(#index) => ::core::option::Option::Some(#value),)
}

fn is_text(ty: &Type) -> bool {
    matches!(ty, Type::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "String"))
}
