//! Names of a language, made from names that know no rules.

use std::collections::HashSet;

/// The ASCII words of a name: split where lower case meets upper case, and at everything that is
/// neither an ASCII letter nor a digit. None of a name without any.
///
/// ```
/// assert_eq!(manywire_shape::names::words("hotelCode_2"), ["hotel", "Code", "2"]);
/// ```
pub fn words(name: &str) -> Vec<&str> {
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

/// This name, or with the first number behind it that nobody has taken.
pub fn unique(name: String, taken: &mut HashSet<String>, separator: &str) -> String {
    let mut free = name.clone();
    let mut count = 2;
    while !taken.insert(free.clone()) {
        free = format!("{name}{separator}{count}");
        count += 1;
    }
    free
}
