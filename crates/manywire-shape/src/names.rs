//! Converts names between conventions, makes names unique, and compares them: for the writers of
//! schemas and source code, and for suggestions.

use std::collections::HashSet;

/// Returns the ASCII words of a name. The name is split where a lower-case letter or digit meets an
/// upper-case letter, and at every character that is neither an ASCII letter nor a digit. A name
/// without letters and digits has no words.
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

/// Returns the [`words`] of a name joined in PascalCase. The text is empty if the name has no
/// words, and may begin with a digit.
///
/// ```
/// assert_eq!(manywire_shape::names::pascal("hotelCode_2"), "HotelCode2");
/// ```
pub fn pascal(name: &str) -> String {
    words(name).into_iter().map(capitalized).collect()
}

/// Returns a text with its first letter in upper case, if it begins with a lower-case ASCII letter.
pub fn capitalized(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// Adds `name` to `taken` and returns it. A taken name gets `separator` and the first free number,
/// from 2, appended.
pub fn unique(name: String, taken: &mut HashSet<String>, separator: &str) -> String {
    unique_by(name, separator, |free| taken.insert(free.to_owned()))
}

/// Returns `name`, or `name` with `separator` and a number appended: the first of these, counted
/// from 2, for which `take` returns true.
pub fn unique_by(name: String, separator: &str, mut take: impl FnMut(&str) -> bool) -> String {
    let mut free = name.clone();
    let mut count = 2;
    while !take(&free) {
        free = format!("{name}{separator}{count}");
        count += 1;
    }
    free
}

/// The maximum number of characters of a text that [`distance`] compares.
pub const COMPARED_MAX: usize = 100;

/// Returns the number of characters to insert, remove or replace to get from one text to the other
/// (Levenshtein), to suggest names for a misspelt one. Compares the first [`COMPARED_MAX`]
/// characters.
pub fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().take(COMPARED_MAX).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, from) in left.chars().take(COMPARED_MAX).enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, to) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}
