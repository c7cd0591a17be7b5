use std::collections::HashSet;
use std::fmt;

/// The name of a type and the namespace it stands in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FullName {
    /// The name, without dots.
    pub name: String,
    /// Names joined by dots; empty for the null namespace.
    pub namespace: String,
}

impl FullName {
    /// A name in the null namespace.
    pub fn bare(name: impl Into<String>) -> Self {
        FullName { name: name.into(), namespace: String::new() }
    }
}

impl fmt::Display for FullName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.namespace.is_empty() {
            write!(f, "{}.", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

/// Whether Avro takes this for a name (specification, "Names").
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The words that a bare reference to a type could not be told apart from.
const TAKEN: &[&str] = &[
    "null", "boolean", "int", "long", "float", "double", "bytes", "string", "record", "error",
    "enum", "array", "map", "union", "fixed",
];

/// Names given out so far, each once.
#[derive(Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// Names of types: the words of the schema language itself are taken.
    pub(super) fn of_types() -> Self {
        Names(TAKEN.iter().map(|&word| word.to_owned()).collect())
    }

    /// The nearest name to this text that Avro allows and that is still free.
    pub(super) fn give(&mut self, text: &str) -> String {
        let name = nearest(text);
        let free = std::iter::once(name.clone())
            .chain((2..).map(|number: u32| format!("{name}_{number}")))
            .find(|candidate| !self.0.contains(candidate))
            .expect("numbers do not end");
        self.0.insert(free.clone());
        free
    }

    /// Whether the nearest name to this text is still free.
    pub(super) fn is_free(&self, text: &str) -> bool {
        !self.0.contains(&nearest(text))
    }
}

/// Text with what Avro does not allow in a name replaced by underscores.
fn nearest(text: &str) -> String {
    let mut name = String::with_capacity(text.len() + 1);
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.push('_');
    }
    name.extend(text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }));
    name
}

/// What to keep of the text beside the name it was given: nothing where they are the same.
pub(super) fn original(text: &str, name: &str) -> Option<String> {
    (text != name).then(|| text.to_owned())
}
