//! Parses the constraints of a field, such as `#[shaped(min = 1)]`, and writes the code that builds
//! them and requires a type that accepts them.

use std::cmp::Ordering;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::ParseStream;
use syn::{Error, Lit, LitInt, LitStr, Result, Token, Type};

/// The constraints of a field.
#[derive(Default)]
pub(crate) struct Constraints {
    min: Option<Number>,
    max: Option<Number>,
    multiple_of: Option<Number>,
    length: Option<Length>,
    pattern: Option<LitStr>,
    one_of: Option<Choices>,
}

/// A number with its sign.
struct Number {
    tokens: TokenStream,
    value: Value,
    span: Span,
}

#[derive(Clone, Copy)]
enum Value {
    Integer(i128),
    Float(f64),
}

struct Length {
    min: Option<u32>,
    /// The largest length, inclusive.
    max: Option<u32>,
    span: Span,
}

struct Choices {
    items: Vec<TokenStream>,
    are_numbers: bool,
    span: Span,
}

impl Constraints {
    /// Sets one constraint, and returns whether it was set before.
    pub(crate) fn set(&mut self, key: &str, value: ParseStream<'_>) -> Result<bool> {
        Ok(match key {
            "min" => self.min.replace(number(value)?).is_some(),
            "max" => self.max.replace(number(value)?).is_some(),
            "multiple_of" => self.multiple_of.replace(divisor(value)?).is_some(),
            "length" => self.length.replace(length(value)?).is_some(),
            "pattern" => self.pattern.replace(value.parse()?).is_some(),
            _ => self.one_of.replace(choices(value)?).is_some(),
        })
    }

    /// Returns the place of a constraint, or `None` without constraints.
    pub(crate) fn span(&self) -> Option<Span> {
        let numbers = [&self.min, &self.max, &self.multiple_of];
        let number = numbers.into_iter().flatten().next().map(|number| number.span);
        let length = self.length.as_ref().map(|length| length.span);
        let pattern = self.pattern.as_ref().map(LitStr::span);
        number.or(length).or(pattern).or(self.one_of.as_ref().map(|choices| choices.span))
    }

    /// Refuses constraints where nothing checks them.
    pub(crate) fn refuse(&self, why: &str) -> Result<()> {
        self.span().map_or(Ok(()), |span| Err(Error::new(span, why)))
    }

    /// Refuses constraints that no value satisfies: a `max` below `min`.
    pub(crate) fn check(&self) -> Result<()> {
        if let (Some(min), Some(max)) = (&self.min, &self.max)
            && compare(min.value, max.value) == Ordering::Greater
        {
            return Err(Error::new(max.span, "`max` is below `min`"));
        }
        Ok(())
    }

    /// Returns the expression for the constraints, or `None` without constraints.
    pub(crate) fn expression(&self, krate: &TokenStream) -> Option<TokenStream> {
        self.span()?;
        let mut calls = TokenStream::new();
        for (name, number) in
            [("min", &self.min), ("max", &self.max), ("multiple_of", &self.multiple_of)]
        {
            let name = syn::Ident::new(name, Span::call_site());
            calls.extend(number.iter().map(|Number { tokens, .. }| quote!(.#name(#tokens))));
        }
        if let Some(Length { min, max, .. }) = &self.length {
            let min = min.unwrap_or_default();
            calls.extend(match max {
                Some(max) => quote!(.length(#min..=#max)),
                None => quote!(.length(#min..)),
            });
        }
        calls.extend(self.pattern.iter().map(|pattern| quote!(.pattern(#pattern))));
        if let Some(Choices { items, .. }) = &self.one_of {
            calls.extend(quote!(.one_of([#(#krate::Choice::from(#items)),*])));
        }
        Some(quote!(#krate::Constraints::new()#calls))
    }

    /// Returns the items that stop the compiler at a type that does not accept the constraints, and
    /// at an invalid pattern.
    pub(crate) fn requirements(&self, krate: &TokenStream, ty: &Type) -> TokenStream {
        let mut code = TokenStream::new();
        let are_numbers = self.one_of.as_ref().map(|choices| choices.are_numbers);
        let has_number = self.min.is_some() || self.max.is_some() || self.multiple_of.is_some();
        let span = syn::spanned::Spanned::span(ty);
        let mut require = |name: &str| {
            let function = syn::Ident::new(name, Span::call_site());
            code.extend(quote_spanned!(span=> #krate::derived::#function::<#ty>();));
        };
        if has_number || are_numbers == Some(true) {
            require("numeric");
        }
        if self.pattern.is_some() || are_numbers == Some(false) {
            require("textual");
        }
        if self.length.is_some() {
            require("counted");
        }
        if let Some(pattern) = &self.pattern {
            code.extend(quote_spanned! {pattern.span()=>
                const _: () = if let ::core::option::Option::Some(reason) =
                    #krate::derived::fault_of_pattern(#pattern)
                {
                    ::core::panic!("{}", reason)
                };
            });
        }
        code
    }
}

fn number(value: ParseStream<'_>) -> Result<Number> {
    let start = value.span();
    let is_negative = value.parse::<Option<Token![-]>>()?.is_some();
    let literal: Lit =
        value.parse().map_err(|error| Error::new(error.span(), "expected a number"))?;
    let span = start.join(literal.span()).unwrap_or(literal.span());
    let sign = is_negative.then(|| quote!(-));
    match &literal {
        Lit::Int(literal) => {
            if !literal.suffix().is_empty() {
                return Err(Error::new(span, "write the number without its type"));
            }
            let value: i128 = literal.base10_parse()?;
            let value = if is_negative { -value } else { value };
            let digits =
                syn::LitInt::new(&format!("{}_i128", literal.base10_digits()), literal.span());
            Ok(Number { tokens: quote!(#sign #digits), value: Value::Integer(value), span })
        }
        Lit::Float(literal) => {
            if !literal.suffix().is_empty() {
                return Err(Error::new(span, "write the number without its type"));
            }
            let value: f64 = literal.base10_parse()?;
            if !value.is_finite() {
                return Err(Error::new(span, "a bound is a finite number"));
            }
            let value = if is_negative { -value } else { value };
            Ok(Number { tokens: quote!(#sign #literal), value: Value::Float(value), span })
        }
        _ => Err(Error::new(span, "expected a number")),
    }
}

/// Compares bounds. An integer that a float does not represent exactly is compared as a float, and
/// the exact comparison is left to the constraints themselves.
fn compare(left: Value, right: Value) -> Ordering {
    let float = |value| match value {
        Value::Integer(integer) => integer as f64,
        Value::Float(float) => float,
    };
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => left.cmp(&right),
        _ => float(left).partial_cmp(&float(right)).unwrap_or(Ordering::Equal),
    }
}

fn divisor(value: ParseStream<'_>) -> Result<Number> {
    let number = number(value)?;
    match number.value {
        // An `f64` does not hold every larger integer exactly.
        Value::Integer(value @ 1..=9_007_199_254_740_992) => {
            let value = value as u64;
            Ok(Number { tokens: quote!(#value), ..number })
        }
        _ => Err(Error::new(number.span, "`multiple_of` is an integer from 1 to 2^53")),
    }
}

fn length(value: ParseStream<'_>) -> Result<Length> {
    let start = value.span();
    let bound = || -> Result<Option<u32>> {
        match value.peek(LitInt) {
            true => value.parse::<LitInt>()?.base10_parse().map(Some),
            false => Ok(None),
        }
    };
    let min = bound()?;
    let (max, is_exclusive) = if value.parse::<Option<Token![..=]>>()?.is_some() {
        (bound()?, false)
    } else if value.parse::<Option<Token![..]>>()?.is_some() {
        (bound()?, true)
    } else {
        (min, false)
    };
    if is_exclusive && max == Some(0) {
        return Err(Error::new(start, "no length is below 0"));
    }
    let max = max.map(|max| max - u32::from(is_exclusive));
    let length = Length { min, max, span: start };
    match length {
        Length { min: None, max: None, .. } => {
            Err(Error::new(start, "expected a length, such as 3, 1..=40, ..=40 or 1.."))
        }
        Length { min: Some(min), max: Some(max), .. } if min > max => {
            Err(Error::new(start, "the smallest length is above the largest"))
        }
        length => Ok(length),
    }
}

fn choices(value: ParseStream<'_>) -> Result<Choices> {
    let content;
    let span = syn::bracketed!(content in value).span.join();
    let are_numbers = !content.peek(LitStr);
    let mut items = Vec::new();
    while !content.is_empty() {
        if content.peek(LitStr) == are_numbers {
            let message = "`one_of` lists numbers or texts, and not both";
            return Err(Error::new(content.span(), message));
        }
        items.push(match are_numbers {
            true => number(&content)?.tokens,
            false => content.parse::<LitStr>()?.to_token_stream(),
        });
        if content.is_empty() {
            break;
        }
        content.parse::<Token![,]>()?;
    }
    if items.is_empty() {
        return Err(Error::new(span, "`one_of` lists at least one value"));
    }
    Ok(Choices { items, are_numbers, span })
}
