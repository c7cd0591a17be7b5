//! Parses `#[shaped(…)]` on containers, variants and fields, and doc comments; recognises the
//! functions in `#[serde(with = "…")]`.

use proc_macro2::Span;
use quote::ToTokens;
use serde_derive_internals::ast::Field;
use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Error, Expr, ExprLit, ExprPath, Lit, LitInt, LitStr, Meta, Path, Result, Token,
    Type, WherePredicate,
};

use crate::constraints::Constraints;

/// The parsed `#[shaped(…)]`. Each position allows some keys and refuses the others.
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) written_as: Option<Type>,
    pub(crate) number: Option<Number>,
    pub(crate) encoding: Option<Encoding>,
    pub(crate) bound: Option<Vec<WherePredicate>>,
    pub(crate) krate: Option<Path>,
    pub(crate) constraints: Constraints,
}

/// A Protocol Buffers field number.
pub(crate) struct Number {
    pub(crate) value: u32,
    pub(crate) span: Span,
}

/// The encoding of an integer in Protocol Buffers.
pub(crate) struct Encoding {
    /// The name of the variant of `IntEncoding`.
    pub(crate) variant: &'static str,
    pub(crate) span: Span,
}

/// The position of an attribute, which decides the keys that are allowed.
#[derive(Clone, Copy)]
pub(crate) enum Position {
    Container,
    Variant,
    Field,
}

impl Position {
    fn keys(self) -> &'static [&'static str] {
        match self {
            Position::Container => &["as", "bound", "crate"],
            Position::Variant => &["as", "number"],
            Position::Field => &[
                "as",
                "number",
                "encoding",
                "min",
                "max",
                "multiple_of",
                "length",
                "pattern",
                "one_of",
            ],
        }
    }
}

impl Attributes {
    pub(crate) fn parse(attributes: &[Attribute], position: Position) -> Result<Self> {
        let mut parsed = Attributes::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("shaped")) {
            attribute.parse_nested_meta(|meta| parsed.set(&meta, position))?;
        }
        parsed.constraints.check()?;
        Ok(parsed)
    }

    fn set(&mut self, meta: &ParseNestedMeta<'_>, position: Position) -> Result<()> {
        let Some(key) = position.keys().iter().find(|key| meta.path.is_ident(key)) else {
            let keys = position.keys().join("`, `");
            return Err(meta.error(format_args!("unknown key, expected one of `{keys}`")));
        };
        let value = meta.value()?;
        let is_duplicate = match *key {
            "as" => self.written_as.replace(type_in(value)?).is_some(),
            "number" => self.number.replace(number_in(value)?).is_some(),
            "encoding" => self.encoding.replace(encoding_in(value)?).is_some(),
            "bound" => {
                let text: LitStr = value.parse()?;
                let predicates = text
                    .parse_with(Punctuated::<WherePredicate, Token![,]>::parse_terminated)?
                    .into_iter()
                    .collect();
                self.bound.replace(predicates).is_some()
            }
            "crate" => {
                let text: LitStr = value.parse()?;
                self.krate.replace(text.parse_with(Path::parse_mod_style)?).is_some()
            }
            constraint => self.constraints.set(constraint, value)?,
        };
        if is_duplicate {
            return Err(meta.error(format_args!("`{key}` is declared twice")));
        }
        Ok(())
    }
}

/// Parses a type, in quotes like serde or without.
fn type_in(value: syn::parse::ParseStream<'_>) -> Result<Type> {
    if value.peek(LitStr) { value.parse::<LitStr>()?.parse() } else { value.parse() }
}

fn number_in(value: syn::parse::ParseStream<'_>) -> Result<Number> {
    let literal: LitInt = value.parse()?;
    let number: u32 = literal.base10_parse()?;
    // Protocol Buffers, "Assigning Field Numbers": 19,000 to 19,999 belong to the implementation.
    match number {
        1..=18_999 | 20_000..=536_870_911 => Ok(Number { value: number, span: literal.span() }),
        _ => Err(Error::new(
            literal.span(),
            "invalid number: expected 1 to 536,870,911, except 19,000 to 19,999",
        )),
    }
}

fn encoding_in(value: syn::parse::ParseStream<'_>) -> Result<Encoding> {
    let literal: LitStr = value.parse()?;
    let variant = match literal.value().as_str() {
        "varint" => "Varint",
        "zigzag" => "Zigzag",
        "fixed" => "Fixed",
        other => {
            return Err(Error::new(
                literal.span(),
                format_args!(
                    "`{other}` is an unknown encoding, expected `varint`, `zigzag` or `fixed`"
                ),
            ));
        }
    };
    Ok(Encoding { variant, span: literal.span() })
}

/// Refuses duplicate numbers.
pub(crate) fn check_numbers<'n>(numbers: impl Iterator<Item = &'n Number>) -> Result<()> {
    let mut seen = Vec::new();
    for number in numbers {
        if seen.contains(&number.value) {
            return Err(Error::new(number.span, "duplicate number"));
        }
        seen.push(number.value);
    }
    Ok(())
}

/// Returns the error `why` if there is a number, for places that have no field.
pub(crate) fn refuse_number(number: Option<&Number>, why: &str) -> Result<()> {
    match number {
        Some(number) => Err(Error::new(number.span, why)),
        None => Ok(()),
    }
}

/// Returns an error with the span of a whole item.
pub(crate) fn error_at(item: &impl ToTokens, message: &str) -> Error {
    Error::new_spanned(item, message)
}

/// Returns the documentation as text, line by line, without the space after the slashes. Doc
/// comments are `#[doc = "…"]` attributes here.
pub(crate) fn doc_text(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes.iter().filter_map(line).collect();
    lines.join("\n").trim().to_owned()
}

fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    if !meta.path.is_ident("doc") {
        return None;
    }
    // `#[doc = include_str!("…")]` is not expanded yet, so it is skipped.
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &meta.value else { return None };
    let text = text.value();
    Some(
        text.lines()
            .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

/// Returns whether a user-defined function writes or reads the field.
pub(crate) fn has_own_serde(field: &Field<'_>) -> bool {
    let with = [field.attrs.serialize_with(), field.attrs.deserialize_with()];
    with.into_iter().flatten().any(|path| !is_serde_bytes(path) && !is_serdes_own(path))
}

/// Returns whether the path is from `#[serde(with = "serde_bytes")]`.
pub(crate) fn is_serde_bytes(path: &ExprPath) -> bool {
    let segments: Vec<String> =
        path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    matches!(&segments[..], [.., module, _] if module == "serde_bytes")
}

/// Returns whether serde added the path itself, for `#[serde(borrow)]` on a `Cow`.
fn is_serdes_own(path: &ExprPath) -> bool {
    last_segment_is(path, "borrow_cow_bytes") || last_segment_is(path, "borrow_cow_str")
}

/// Returns whether the last segment of a path is `name`.
pub(crate) fn last_segment_is(path: &ExprPath, name: &str) -> bool {
    path.path.segments.last().is_some_and(|segment| segment.ident == name)
}
