//! Serde for plain text: path segments, query parameters, header fields and forms. Text has no
//! types, so the requested type decides how it is parsed.

mod de;
mod nodes;
mod ser;

use std::fmt;

use manywire_shape::{Node, NodeId, Shape};

use de::quoted;

#[cfg(feature = "client")]
pub(crate) use de::member;
pub(crate) use de::{Pairs, Texts, field_lines};
pub(crate) use nodes::{is_required, item_of, without_option};
#[cfg(all(feature = "multipart", feature = "client"))]
pub(crate) use ser::{Fields, fields, refuse, transparent};
pub(crate) use ser::{pairs, texts};

/// The error for a wrong text, with the name of the parameter if there are several.
#[derive(Debug)]
pub(crate) struct TextError {
    pub(crate) name: Option<String>,
    pub(crate) message: String,
}

impl TextError {
    #[cold]
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        TextError { name: None, message: message.to_string() }
    }

    #[cold]
    fn with_name(mut self, name: &str) -> Self {
        self.name.get_or_insert_with(|| name.to_owned());
        self
    }

    /// Returns the error for a missing value.
    #[cold]
    fn missing() -> Self {
        TextError::new("missing required value")
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TextError {}

impl serde::de::Error for TextError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        TextError::new(message)
    }

    fn missing_field(field: &'static str) -> Self {
        TextError::missing().with_name(field)
    }
}

impl serde::ser::Error for TextError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        TextError::new(message)
    }
}

/// Returns the faults in the parameters of a record, with the names of the parameters: those that a
/// check against the shape finds, and `first`, at which Serde stopped, if none of them is about the
/// same parameter.
#[cold]
pub(crate) fn faults_of_pairs(
    shape: &Shape,
    pairs: &Pairs<'_>,
    first: TextError,
) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    if let Node::Record(record) = shape.node(shape.root()) {
        for field in &record.fields {
            let names = std::iter::once(&field.name).chain(&field.aliases);
            let mut sent = names.map(|name| (name, pairs.values_of(name)));
            let sent = sent.find(|(_, values)| !values.is_empty());
            let (name, values) = sent.unwrap_or((&field.name, Vec::new()));
            let fault = match values.first() {
                None if is_required(shape, field) => Some(TextError::missing().message),
                None => None,
                Some(value) => match item_of(shape, field.node) {
                    Some(item) => values.iter().find_map(|value| fault_of(shape, item, value)),
                    None => fault_of(shape, field.node, value),
                },
            };
            faults.extend(fault.map(|fault| (name.to_string(), fault)));
        }
    }
    let name = first.name.unwrap_or_default();
    if !faults.iter().any(|(known, _)| *known == name) {
        faults.push((name, first.message));
    }
    faults
}

/// Returns the fault in the text of a scalar, if the shape shows one.
pub(crate) fn fault_of(shape: &Shape, node: NodeId, text: &str) -> Option<String> {
    match shape.node(node) {
        // An option of an option has no text form in a record of parameters.
        Node::Option(inner) if !matches!(shape.node(*inner), Node::Option(_)) => {
            fault_of(shape, *inner, text)
        }
        Node::Int(int) => {
            let bits = u32::from(int.bits);
            let max = u128::MAX >> (128 - bits.clamp(1, 128));
            let (min, max) =
                if int.signed { (-((max / 2) as i128) - 1, max / 2) } else { (0, max) };
            let fits = match text.strip_prefix('-') {
                Some(_) => text.parse::<i128>().is_ok_and(|number| number >= min),
                None => text.parse::<u128>().is_ok_and(|number| number <= max),
            };
            (!fits)
                .then(|| format!("expected an integer from {min} to {max}, found {}", quoted(text)))
        }
        Node::F32 | Node::F64 => {
            let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
            (!is_number).then(|| format!("expected a number, found {}", quoted(text)))
        }
        Node::Enum(of) => {
            let names = || of.variants.iter().map(|it| &*it.name).collect::<Vec<_>>().join(", ");
            (!of.variants.iter().any(|variant| variant.is_named(text)))
                .then(|| format!("expected one of {}, found {}", names(), quoted(text)))
        }
        Node::Bool => (!matches!(text, "true" | "false"))
            .then(|| format!("expected true or false, found {}", quoted(text))),
        _ => None,
    }
}
