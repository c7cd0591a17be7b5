//! The bounds of a generic implementation.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Generics, Type, WherePredicate, parse_quote};

/// The generics of the type with `Shaped` asked of every type parameter that a shape is taken of.
///
/// Asking it of the fields' types instead would be more exact, but the compiler cannot decide such
/// bounds where a type contains itself.
pub(crate) fn with_bounds(
    generics: &Generics,
    given: Option<Vec<WherePredicate>>,
    types: &[Type],
    krate: &TokenStream,
) -> Generics {
    let mut generics = generics.clone();
    let predicates = given.unwrap_or_else(|| {
        let parameters: Vec<String> =
            generics.type_params().map(|parameter| parameter.ident.to_string()).collect();
        let mut bounded = BTreeSet::new();
        for ty in types {
            find(ty.to_token_stream(), &parameters, &mut bounded);
        }
        bounded
            .into_iter()
            .filter_map(|path| path.parse::<TokenStream>().ok())
            .map(|path| parse_quote!(#path: #krate::Shaped))
            .collect()
    });
    generics.make_where_clause().predicates.extend(predicates);
    generics
}

/// Finds the type parameters in a type, and the paths that begin with one (`T::Item`).
///
/// Works on tokens: whatever the type is built of, its parameters stand in it by name.
fn find(tokens: TokenStream, parameters: &[String], found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, c: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == c);
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => find(group.stream(), parameters, found),
            TokenTree::Ident(ident) if ident == "PhantomData" && is(at + 1, '<') => {
                at = end_of_arguments(&tokens, at + 1);
                continue;
            }
            TokenTree::Ident(ident)
                if parameters.contains(&ident.to_string()) && !(at > 0 && is(at - 1, ':')) =>
            {
                let mut path = quote!(#ident);
                while is(at + 1, ':') && is(at + 2, ':') && at + 3 < tokens.len() {
                    path.extend(tokens[at + 1..=at + 3].iter().cloned());
                    at += 3;
                }
                found.insert(path.to_string());
            }
            _ => {}
        }
        at += 1;
    }
}

/// The place after the `>` that closes the `<` at `open`.
fn end_of_arguments(tokens: &[TokenTree], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}
