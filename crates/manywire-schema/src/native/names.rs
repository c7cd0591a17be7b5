//! Names in the conventions of a language: case, keywords, and uniqueness within a scope.

use std::collections::HashSet;

use manywire_shape::names::{capitalized, unique, words};

/// The case of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// `HotelCode`
    Pascal,
    /// `HotelID`: with Go's initialisms in capitals.
    Go,
    /// `hotelCode`
    Camel,
    /// `hotel_code`
    Snake,
    /// `HOTEL_CODE`
    Upper,
}

/// The rules of a language for names.
#[derive(Debug)]
pub(super) struct Rules {
    /// The case of types.
    pub(super) types: Case,
    /// The case of fields.
    pub(super) fields: Case,
    /// The case of variants and symbols.
    pub(super) variants: Case,
    /// Words that are not valid names, separated by spaces.
    pub(super) keywords: &'static str,
    /// Types that the generated code uses, which no declared type may shadow, separated by spaces.
    pub(super) used_types: &'static str,
    /// Names that a field cannot have for other reasons, separated by spaces.
    pub(super) used_fields: &'static str,
    /// The length of the longest tuple that needs no declaration.
    pub(super) tuple_max: usize,
    /// True if a union needs a declaration.
    pub(super) declares_unions: bool,
    /// True if an alias may contain itself.
    pub(super) recursive_aliases: bool,
}

/// The words that Go writes in capitals (the list of its linter).
const INITIALISMS: [&str; 38] = [
    "acl", "api", "ascii", "cpu", "css", "dns", "eof", "guid", "html", "http", "https", "id", "ip",
    "json", "lhs", "qps", "ram", "rhs", "rpc", "sla", "smtp", "sql", "ssh", "tcp", "tls", "ttl",
    "udp", "ui", "uid", "uri", "url", "utf8", "uuid", "vm", "xml", "xmpp", "xsrf", "xss",
];

impl Case {
    /// Converts a name to this case; the result may be a keyword. A name without ASCII words
    /// becomes `fallback`.
    fn apply(self, name: &str, fallback: &str) -> String {
        let mut parts = words(name);
        if parts.is_empty() {
            parts = vec![fallback];
        }
        let mut text = String::new();
        for (at, word) in parts.iter().enumerate() {
            match self {
                Case::Snake | Case::Upper if at > 0 => text.push('_'),
                _ => {}
            }
            match self {
                Case::Snake => text.push_str(&word.to_ascii_lowercase()),
                Case::Upper => text.push_str(&word.to_ascii_uppercase()),
                Case::Camel if at == 0 => text.push_str(&lower_first_word(word)),
                Case::Go if INITIALISMS.contains(&word.to_ascii_lowercase().as_str()) => {
                    text.push_str(&word.to_ascii_uppercase());
                }
                Case::Pascal | Case::Camel | Case::Go => text.push_str(&capitalized(word)),
            }
        }
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            let letter = if matches!(self, Case::Snake | Case::Camel) { 'n' } else { 'N' };
            text.insert(0, letter);
        }
        text
    }
}

/// Converts the first word of a camel-case name: `ID` becomes `id`, `hotelCode` stays.
fn lower_first_word(word: &str) -> String {
    if word.chars().all(|c| !c.is_ascii_lowercase()) {
        return word.to_ascii_lowercase();
    }
    let (first, rest) = word.split_at(1);
    first.to_ascii_lowercase() + rest
}

/// The names of one scope.
#[derive(Debug, Default)]
pub(super) struct Scope(HashSet<String>);

impl Scope {
    /// Returns the scope of a file's types.
    pub(super) fn of_types(rules: &Rules) -> Scope {
        Scope(rules.used_types.split_whitespace().map(str::to_owned).collect())
    }

    /// Returns an unused name for a type.
    pub(super) fn type_name(&mut self, rules: &Rules, name: &str) -> String {
        self.add(rules, rules.types.apply(name, "Type"), "")
    }

    /// Returns an unused name for a field.
    pub(super) fn field(&mut self, rules: &Rules, name: &str) -> String {
        let mut text = rules.fields.apply(name, "field");
        if is_listed(&text, rules.used_fields) {
            text.push('_');
        }
        let separator = if rules.fields == Case::Snake { "_" } else { "" };
        self.add(rules, text, separator)
    }

    /// Returns an unused name for a variant.
    pub(super) fn variant(&mut self, rules: &Rules, name: &str) -> String {
        let separator = if rules.variants == Case::Upper { "_" } else { "" };
        self.add(rules, rules.variants.apply(name, "Empty"), separator)
    }

    fn add(&mut self, rules: &Rules, mut text: String, separator: &str) -> String {
        if is_listed(&text, rules.keywords) {
            text.push('_');
        }
        let separator = if text.ends_with('_') { "" } else { separator };
        unique(text, &mut self.0, separator)
    }
}

/// Returns whether a name is one of the words in a text.
fn is_listed(name: &str, words: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}
