//! Names as a language writes them: its case, its keywords, and no name twice in one scope.

use std::collections::HashSet;

use manywire_shape::names::{unique, words};

/// How the words of a name are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// `HotelCode`
    Pascal,
    /// `HotelID`: as Go writes its initialisms.
    Go,
    /// `hotelCode`
    Camel,
    /// `hotel_code`
    Snake,
    /// `HOTEL_CODE`
    Upper,
}

/// What a language asks of its names.
#[derive(Debug)]
pub(super) struct Rules {
    /// Types.
    pub(super) types: Case,
    /// Fields.
    pub(super) fields: Case,
    /// Variants and symbols.
    pub(super) variants: Case,
    /// Words that are no name at all.
    pub(super) keywords: &'static [&'static str],
    /// Types that the written code itself uses, and a type of the user's must not hide.
    pub(super) used_types: &'static [&'static str],
    /// Names that a field cannot have for a reason other than the grammar.
    pub(super) used_fields: &'static [&'static str],
    /// Longest tuple that the language has without a declaration.
    pub(super) tuple_max: usize,
    /// True if one of several types needs a declaration.
    pub(super) declares_unions: bool,
    /// True if a type without fields may contain itself.
    pub(super) recursive_aliases: bool,
}

/// Words that Go writes in capitals throughout (the list of its linter).
const INITIALISMS: [&str; 38] = [
    "acl", "api", "ascii", "cpu", "css", "dns", "eof", "guid", "html", "http", "https", "id", "ip",
    "json", "lhs", "qps", "ram", "rhs", "rpc", "sla", "smtp", "sql", "ssh", "tcp", "tls", "ttl",
    "udp", "ui", "uid", "uri", "url", "utf8", "uuid", "vm", "xml", "xmpp", "xsrf", "xss",
];

impl Case {
    /// A name in this case; it may be a keyword still. What has no ASCII word is called `fallback`.
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
                Case::Camel if at == 0 => text.push_str(&lowered(word)),
                Case::Go if INITIALISMS.contains(&word.to_ascii_lowercase().as_str()) => {
                    text.push_str(&word.to_ascii_uppercase());
                }
                Case::Pascal | Case::Camel | Case::Go => {
                    let (first, rest) = word.split_at(1);
                    text.push_str(&first.to_ascii_uppercase());
                    text.push_str(rest);
                }
            }
        }
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            let letter = if matches!(self, Case::Snake | Case::Camel) { 'n' } else { 'N' };
            text.insert(0, letter);
        }
        text
    }
}

/// The first word of a camel-case name: `ID` is `id`, `hotelCode` stays.
fn lowered(word: &str) -> String {
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
    /// The scope of a file's types.
    pub(super) fn of_types(rules: &Rules) -> Scope {
        Scope(rules.used_types.iter().map(|name| (*name).to_owned()).collect())
    }

    /// A type's name.
    pub(super) fn type_name(&mut self, rules: &Rules, name: &str) -> String {
        self.give(rules, rules.types.apply(name, "Type"), "")
    }

    /// A field's name.
    pub(super) fn field(&mut self, rules: &Rules, name: &str) -> String {
        let mut text = rules.fields.apply(name, "field");
        if rules.used_fields.contains(&text.as_str()) {
            text.push('_');
        }
        let separator = if rules.fields == Case::Snake { "_" } else { "" };
        self.give(rules, text, separator)
    }

    /// A variant's name.
    pub(super) fn variant(&mut self, rules: &Rules, name: &str) -> String {
        let separator = if rules.variants == Case::Upper { "_" } else { "" };
        self.give(rules, rules.variants.apply(name, "Empty"), separator)
    }

    fn give(&mut self, rules: &Rules, mut text: String, separator: &str) -> String {
        if rules.keywords.contains(&text.as_str()) {
            text.push('_');
        }
        let separator = if text.ends_with('_') { "" } else { separator };
        unique(text, &mut self.0, separator)
    }
}
