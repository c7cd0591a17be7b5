use std::collections::HashSet;

/// The names of definitions given so far.
#[derive(Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// The name of a definition for a type: what can stand in a reference without escapes, and in
    /// OpenAPI's components (letters, digits, `.`, `_` and `-`), with a number if it is taken.
    pub(super) fn give(&mut self, name: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let name: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
        let name = if name.is_empty() { "Record".to_owned() } else { name };
        let numbered = (2..).map(|number| format!("{name}{number}"));
        let free =
            std::iter::once(name.clone()).chain(numbered).find(|name| !self.0.contains(name));
        let free = free.unwrap_or(name);
        self.0.insert(free.clone());
        free
    }
}
