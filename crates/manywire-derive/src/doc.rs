//! Doc comments, which are `#[doc = "…"]` attributes by the time a derive sees them.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The documentation as text: a line for a line, without the space after the slashes.
pub(crate) fn text(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes.iter().filter_map(line).collect();
    lines.join("\n").trim().to_owned()
}

fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    if !meta.path.is_ident("doc") {
        return None;
    }
    // `#[doc = include_str!("…")]` is not text yet, and is left out.
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &meta.value else { return None };
    let text = text.value();
    Some(
        text.lines()
            .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
            .collect::<Vec<_>>()
            .join("\n"),
    )
}
