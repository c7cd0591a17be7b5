//! The names of types in a set of descriptors, and their shortest forms within a scope.

use std::collections::HashSet;

use prost_types::{DescriptorProto, FileDescriptorSet};

/// All names by which a type may be referred to: messages, enums and packages, absolute and without
/// the leading dot.
pub(super) struct TypeNames(HashSet<String>);

impl TypeNames {
    pub(super) fn of(set: &FileDescriptorSet) -> Self {
        let mut names = TypeNames(HashSet::new());
        for file in &set.file {
            let mut package = file.package();
            names.0.insert(package.to_owned());
            while let Some((outer, _)) = package.rsplit_once('.') {
                names.0.insert(outer.to_owned());
                package = outer;
            }
            let of_enums = file.enum_type.iter().map(|one| join(file.package(), one.name()));
            names.0.extend(of_enums);
            for message in &file.message_type {
                names.add(message, file.package());
            }
        }
        names
    }

    // Recursion is bounded by the nesting of messages, which prost limited when it decoded them.
    fn add(&mut self, message: &DescriptorProto, scope: &str) {
        let name = join(scope, message.name());
        let of_enums = message.enum_type.iter().map(|one| join(&name, one.name()));
        self.0.extend(of_enums);
        for nested in &message.nested_type {
            self.add(nested, &name);
        }
        self.0.insert(name);
    }

    /// Returns the shortest name that resolves to a type within a scope: without a prefix that the
    /// type shares with the scope and that contains the package, or else the full name. The full
    /// name begins with a dot if it would not resolve to the type otherwise, also because it begins
    /// with the name of a scalar type or with a keyword.
    pub(super) fn relative(&self, absolute: &str, scope: &str, package: &str) -> String {
        let Some(name) = absolute.strip_prefix('.') else { return absolute.to_owned() };
        let mut shared = scope;
        while shared.len() >= package.len() && !shared.is_empty() {
            let within = name.strip_prefix(shared).and_then(|rest| rest.strip_prefix('.'));
            if let Some(within) = within
                && !begins_with_word(within)
                && self.resolve(within, scope).as_deref() == Some(name)
            {
                return within.to_owned();
            }
            shared = outside(shared);
        }
        if !begins_with_word(name) && self.resolve(name, scope).as_deref() == Some(name) {
            return name.to_owned();
        }
        absolute.to_owned()
    }

    /// Resolves a name within a scope. The first part is looked up from the innermost scope
    /// outwards, and the first match decides, as in C++.
    fn resolve(&self, name: &str, scope: &str) -> Option<String> {
        let first = name.split('.').next()?;
        let mut scope = scope;
        loop {
            if self.0.contains(&join(scope, first)) {
                return Some(join(scope, name));
            }
            if scope.is_empty() {
                return None;
            }
            scope = outside(scope);
        }
    }
}

/// The scalar types, and the keywords that may begin a field or another statement of a message.
const WORDS: [&str; 29] = [
    "bool",
    "bytes",
    "double",
    "enum",
    "export",
    "extend",
    "extensions",
    "fixed32",
    "fixed64",
    "float",
    "group",
    "int32",
    "int64",
    "local",
    "map",
    "message",
    "oneof",
    "option",
    "optional",
    "repeated",
    "required",
    "reserved",
    "sfixed32",
    "sfixed64",
    "sint32",
    "sint64",
    "string",
    "uint32",
    "uint64",
];

fn begins_with_word(name: &str) -> bool {
    name.split('.').next().is_some_and(|first| WORDS.contains(&first))
}

/// Returns the enclosing scope.
fn outside(scope: &str) -> &str {
    scope.rsplit_once('.').map_or("", |(outer, _)| outer)
}

pub(super) fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}
