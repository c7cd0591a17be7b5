//! Names that a `.proto` accepts, from names that know no rules.

use std::collections::HashSet;

/// `lower_snake_case`: how fields and oneofs are written.
pub(super) fn snake(name: &str) -> String {
    let words = words(name).join("_").to_lowercase();
    match words.chars().next() {
        None => "field".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{words}"),
        Some(_) => words,
    }
}

/// `CamelCase`: how messages and enums are written.
pub(super) fn camel(name: &str) -> String {
    let mut text = String::new();
    for word in words(name) {
        let (first, rest) = word.split_at(1);
        text.push_str(&first.to_uppercase());
        text.push_str(rest);
    }
    match text.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => text,
        _ => format!("Type{text}"),
    }
}

/// The ASCII words of a name: split where lower case meets upper case and at everything that is
/// neither letter nor digit.
fn words(name: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in name.char_indices() {
        if !c.is_ascii_alphanumeric() {
            words.extend((start < at).then(|| &name[start..at]));
            start = at + c.len_utf8();
        } else if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit())
        {
            words.extend((start < at).then(|| &name[start..at]));
            start = at;
        }
        before = c;
    }
    words.extend((start < name.len()).then(|| &name[start..]));
    words
}

/// The name that proto3's JSON mapping gives a field unless it says otherwise: underscores go, and
/// the letter after one is a capital.
pub(super) fn json_name(proto_name: &str) -> String {
    let mut text = String::new();
    let mut capital = false;
    for c in proto_name.chars() {
        match c {
            '_' => capital = true,
            c if capital => {
                text.push(c.to_ascii_uppercase());
                capital = false;
            }
            c => text.push(c),
        }
    }
    text
}

/// This name, or with the first number behind it that nobody has taken.
pub(super) fn unique(name: String, taken: &mut HashSet<String>, separator: &str) -> String {
    let mut free = name.clone();
    let mut count = 2;
    while !taken.insert(free.clone()) {
        free = format!("{name}{separator}{count}");
        count += 1;
    }
    free
}
