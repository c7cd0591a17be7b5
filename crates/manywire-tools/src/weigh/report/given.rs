use std::collections::BTreeSet;

use super::number;

/// How much was given, and in what form where payloads are not kept in it: `705 bytes as given`, or
/// `320 bytes of avro as given`. Of each payload its bytes, and the form that it was made from.
pub fn given<'r>(payloads: impl Iterator<Item = (u64, Option<&'r str>)>) -> String {
    let (mut bytes, mut forms) = (0, BTreeSet::new());
    for (given, made_from) in payloads {
        bytes += given;
        forms.extend(made_from);
    }
    let of = if forms.is_empty() { "" } else { " of " };
    let forms: Vec<&str> = forms.into_iter().collect();
    format!("{} bytes{of}{} as given", number::count(bytes), forms.join(", "))
}
