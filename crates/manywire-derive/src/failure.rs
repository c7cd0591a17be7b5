//! `#[derive(Failure)]`: the problems that an endpoint returns, from the variants of an enum.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, LitInt, LitStr, Result, Type, Variant};

use crate::attribute::doc_text;

/// A variant of the enum.
enum Failure<'a> {
    /// A kind of problem.
    Kind(Box<ProblemKind<'a>>),
    /// Any other problem.
    Other { name: &'a Ident, problem: &'a Type },
}

/// A variant that is a kind of problem.
struct ProblemKind<'a> {
    name: &'a Ident,
    status: u16,
    uri: Option<String>,
    title: Option<String>,
    span: Span,
    content: Content<'a>,
}

/// The content of a variant.
enum Content<'a> {
    /// No content.
    Unit,
    /// One text: the detail of the problem.
    Detail,
    /// Named fields, each a part of the problem or its response.
    Fields(Vec<Part<'a>>),
}

/// A named field of a variant.
struct Part<'a> {
    field: &'a Ident,
    ty: &'a Type,
    place: Place,
}

/// The place of a field in the problem or its response.
enum Place {
    Detail,
    /// An extension member of this name (RFC 9457, section 3.2).
    Member(String),
    /// A header field of this name.
    Header(String),
}

/// The names of the members that a problem may have: those of RFC 9457, section 3.1, and `errors`
/// and `available`. An extension member cannot have one of them.
const MEMBERS: [&str; 7] = ["type", "title", "status", "detail", "instance", "errors", "available"];

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "`Failure` can be derived only for an enum"));
    };
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a `Failure` cannot have type parameters"));
    }
    let mut kinds = Vec::new();
    let (mut other_names, mut other_types) = (Vec::new(), Vec::new());
    for variant in &data.variants {
        match Failure::of(variant)? {
            Failure::Kind(kind) => kinds.push(*kind),
            Failure::Other { name, problem } => {
                other_names.push(name);
                other_types.push(problem);
            }
        }
    }
    check_distinct(&kinds)?;
    if let [_, second, ..] = other_names.as_slice() {
        return Err(Error::new_spanned(second, "another variant has the other problems"));
    }
    let is_open = !other_names.is_empty();
    let constants = kinds.iter().map(|kind| kind.constant());
    let problems = kinds.iter().enumerate().map(|(index, kind)| kind.problem_arm(index));
    let failures = kinds.iter().enumerate().map(|(index, kind)| kind.variant_arm(index));
    let name = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl ::manywire::Failure for #name {
            const KINDS: &'static [::manywire::ProblemKind] = &[#(#constants),*];
            const IS_OPEN: bool = #is_open;

            fn problem(&self) -> ::manywire::Problem {
                match self {
                    #(#problems)*
                    #(Self::#other_names(problem) => ::core::clone::Clone::clone(problem),)*
                }
            }

            fn from_problem(problem: &::manywire::Problem) -> ::core::option::Option<Self> {
                let kinds = <Self as ::manywire::Failure>::KINDS;
                match kinds.iter().position(|kind| kind.is_of(problem)) {
                    #(#failures)*
                    _ => ::core::option::Option::None,
                }
            }
        }

        #(
            #[automatically_derived]
            impl ::core::convert::From<#other_types> for #name {
                fn from(problem: #other_types) -> Self {
                    Self::#other_names(problem)
                }
            }
        )*
    })
}

impl<'a> Failure<'a> {
    /// Parses a variant with its `#[failure(…)]`.
    fn of(variant: &'a Variant) -> Result<Failure<'a>> {
        let (mut status, mut uri, mut title, mut is_other) = (None, None, None, false);
        for attribute in failure_attributes(&variant.attrs) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("status") {
                    status = Some(status_in(&meta)?);
                } else if meta.path.is_ident("type") {
                    uri = Some(text_in(&meta)?);
                } else if meta.path.is_ident("title") {
                    title = Some(text_in(&meta)?);
                } else if meta.path.is_ident("other") {
                    is_other = true;
                } else {
                    return Err(meta.error("expected one of `status`, `type`, `title`, `other`"));
                }
                Ok(())
            })?;
        }
        let (name, span) = (&variant.ident, variant.span());
        if is_other {
            let single = match &variant.fields {
                Fields::Unnamed(fields) if fields.unnamed.len() == 1 => fields.unnamed.first(),
                _ => None,
            };
            let is_plain = status.is_none() && uri.is_none() && title.is_none();
            return match single {
                Some(field) if is_plain => Ok(Failure::Other { name, problem: &field.ty }),
                _ => Err(Error::new(
                    span,
                    "the variant of other problems is `#[failure(other)] Other(Problem)`",
                )),
            };
        }
        let status = status.ok_or_else(|| {
            Error::new(span, "declare the status of this failure: #[failure(status = 404)]")
        })?;
        let documented = doc_text(&variant.attrs);
        let sentence = documented.lines().next().unwrap_or_default().trim_end_matches('.');
        let title = title.or_else(|| (!sentence.is_empty()).then(|| sentence.to_owned()));
        let content = content(variant)?;
        Ok(Failure::Kind(Box::new(ProblemKind { name, status, uri, title, span, content })))
    }
}

fn failure_attributes(attributes: &[syn::Attribute]) -> impl Iterator<Item = &syn::Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("failure"))
}

fn text_in(meta: &ParseNestedMeta<'_>) -> Result<String> {
    meta.value()?.parse::<LitStr>().map(|text| text.value())
}

fn status_in(meta: &ParseNestedMeta<'_>) -> Result<u16> {
    let literal: LitInt = meta.value()?.parse()?;
    let status = literal.base10_parse::<u16>().ok().filter(|status| (400..=599).contains(status));
    status.ok_or_else(|| {
        Error::new(literal.span(), "the status of a failure must be from 400 to 599")
    })
}

/// Parses the content of a variant.
fn content(variant: &Variant) -> Result<Content<'_>> {
    match &variant.fields {
        Fields::Unit => Ok(Content::Unit),
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 && is_text(&fields.unnamed[0].ty) => {
            Ok(Content::Detail)
        }
        Fields::Named(fields) => {
            let parts = fields.named.iter().map(part).collect::<Result<Vec<_>>>()?;
            check_parts(&parts)?;
            Ok(Content::Fields(parts))
        }
        fields => Err(Error::new_spanned(
            fields,
            "a variant of a failure has no fields, one String, which is the detail for the client, \
             or named fields, which are members of the problem",
        )),
    }
}

/// Parses a named field with its `#[failure(…)]`.
fn part(field: &Field) -> Result<Part<'_>> {
    let Some(name) = &field.ident else {
        return Err(Error::new_spanned(field, "expected a named field"));
    };
    let mut place = None;
    for attribute in failure_attributes(&field.attrs) {
        attribute.parse_nested_meta(|meta| {
            let found = if meta.path.is_ident("detail") {
                Place::Detail
            } else if meta.path.is_ident("header") {
                Place::Header(header_in(&meta)?)
            } else if meta.path.is_ident("name") {
                Place::Member(text_in(&meta)?)
            } else {
                return Err(meta.error("expected one of `detail`, `header`, `name`"));
            };
            match place.replace(found) {
                None => Ok(()),
                Some(_) => Err(meta.error("use only one of `detail`, `header`, `name`")),
            }
        })?;
    }
    let own_name = || name.to_string().trim_start_matches("r#").to_owned();
    let place = place.unwrap_or_else(|| Place::Member(own_name()));
    if matches!(place, Place::Detail) && !is_text(&field.ty) {
        return Err(Error::new_spanned(&field.ty, "the detail of a problem is a String"));
    }
    Ok(Part { field: name, ty: &field.ty, place })
}

/// Parses the name of a header field: a token (RFC 9110, section 5.1).
fn header_in(meta: &ParseNestedMeta<'_>) -> Result<String> {
    let literal: LitStr = meta.value()?.parse()?;
    let name = literal.value().to_ascii_lowercase();
    let is_tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    match !name.is_empty() && name.bytes().all(is_tchar) {
        true => Ok(name),
        false => Err(Error::new(literal.span(), "this is not a valid header field name")),
    }
}

/// Refuses two fields with the same place, and members that every problem has.
fn check_parts(parts: &[Part<'_>]) -> Result<()> {
    for (index, part) in parts.iter().enumerate() {
        let is_same = |other: &Part<'_>| match (&other.place, &part.place) {
            (Place::Detail, Place::Detail) => true,
            (Place::Member(other), Place::Member(name))
            | (Place::Header(other), Place::Header(name)) => other == name,
            _ => false,
        };
        if parts[..index].iter().any(is_same) {
            return Err(Error::new_spanned(part.field, "another field has this place"));
        }
        match &part.place {
            Place::Member(name) if MEMBERS.contains(&&**name) => {
                let message = format!(
                    "every problem has a member {name:?}: rename this one by \
                     #[failure(name = \"…\")], or fill the detail by #[failure(detail)]"
                );
                return Err(Error::new_spanned(part.field, message));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses two kinds with the same identity. A client identifies a problem by its type, or by its
/// status if it has no type.
fn check_distinct(kinds: &[ProblemKind<'_>]) -> Result<()> {
    for (index, kind) in kinds.iter().enumerate() {
        let identity =
            |kind: &ProblemKind<'_>| kind.uri.clone().unwrap_or_else(|| kind.status.to_string());
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

impl ProblemKind<'_> {
    fn parts(&self) -> &[Part<'_>] {
        match &self.content {
            Content::Fields(parts) => parts,
            Content::Unit | Content::Detail => &[],
        }
    }

    /// Returns the constant that describes the kind.
    fn constant(&self) -> TokenStream {
        let status = self.status;
        let uri = self.uri.iter().map(|uri| quote!(.with_type(#uri)));
        let title = self.title.iter().map(|title| quote!(.with_title(#title)));
        let members: Vec<TokenStream> = self
            .parts()
            .iter()
            .filter_map(|part| match &part.place {
                Place::Member(name) => {
                    let ty = part.ty;
                    Some(quote!(::manywire::ProblemMember::new::<#ty>(#name)))
                }
                Place::Detail | Place::Header(_) => None,
            })
            .collect();
        let members = (!members.is_empty()).then(|| quote!(.with_members(&[#(#members),*])));
        let headers: Vec<&String> = self
            .parts()
            .iter()
            .filter_map(|part| match &part.place {
                Place::Header(name) => Some(name),
                Place::Detail | Place::Member(_) => None,
            })
            .collect();
        let headers = (!headers.is_empty()).then(|| quote!(.with_headers(&[#(#headers),*])));
        quote!(::manywire::ProblemKind::new(#status) #(#uri)* #(#title)* #members #headers)
    }

    /// Returns the match arm that converts the variant to its problem.
    fn problem_arm(&self, index: usize) -> TokenStream {
        let name = self.name;
        let plain = quote!(<Self as ::manywire::Failure>::KINDS[#index].problem());
        match &self.content {
            Content::Unit => quote!(Self::#name => #plain,),
            Content::Detail => {
                quote!(Self::#name(detail) => #plain.with_detail(detail.as_str()),)
            }
            Content::Fields(parts) => {
                let fields = parts.iter().map(|part| part.field);
                let added = parts.iter().map(|Part { field, place, .. }| match place {
                    Place::Detail => quote!(.with_detail(#field.as_str())),
                    Place::Member(name) => quote!(.with_member(#name, #field)),
                    Place::Header(name) => quote!(.with_field(#name, #field)),
                });
                quote!(Self::#name { #(#fields),* } => #plain #(#added)*,)
            }
        }
    }

    /// Returns the match arm that converts a problem to the variant.
    fn variant_arm(&self, index: usize) -> TokenStream {
        let name = self.name;
        let detail = quote!(problem.detail().unwrap_or_default().into());
        let value = match &self.content {
            Content::Unit => quote!(Self::#name),
            Content::Detail => quote!(Self::#name(#detail)),
            Content::Fields(parts) => {
                let fields = parts.iter().map(|Part { field, place, .. }| match place {
                    Place::Detail => quote!(#field: #detail),
                    Place::Member(name) => quote!(#field: problem.member(#name)?),
                    Place::Header(name) => quote!(#field: problem.field(#name)?),
                });
                quote!(Self::#name { #(#fields),* })
            }
        };
        quote!(::core::option::Option::Some(#index) => ::core::option::Option::Some(#value),)
    }
}

fn is_text(ty: &Type) -> bool {
    match ty {
        // A type that a macro was given is in a group without delimiters.
        Type::Group(group) => is_text(&group.elem),
        Type::Paren(paren) => is_text(&paren.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "String"),
        _ => false,
    }
}
