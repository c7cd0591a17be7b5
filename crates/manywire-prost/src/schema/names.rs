use std::collections::HashSet;

use prost_types::{DescriptorProto, FileDescriptorSet};

/// Every name that a type may be found by: messages, enums and packages, absolute and without the
/// dot in front.
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

    // As deep as the messages nest, which prost has bounded when it read them.
    fn add(&mut self, message: &DescriptorProto, scope: &str) {
        let name = join(scope, message.name());
        let of_enums = message.enum_type.iter().map(|one| join(&name, one.name()));
        self.0.extend(of_enums);
        for nested in &message.nested_type {
            self.add(nested, &name);
        }
        self.0.insert(name);
    }

    /// The shortest way to name a type from within a scope: without what the two share, down to
    /// the package, unless something nearer has the same name.
    pub(super) fn relative(&self, absolute: &str, scope: &str, package: &str) -> String {
        let Some(name) = absolute.strip_prefix('.') else { return absolute.to_owned() };
        let mut shared = scope;
        while shared.len() >= package.len() && !shared.is_empty() {
            let within = name.strip_prefix(shared).and_then(|rest| rest.strip_prefix('.'));
            if let Some(within) = within
                && self.resolve(within, scope).as_deref() == Some(name)
            {
                return within.to_owned();
            }
            shared = outside(shared);
        }
        if self.resolve(name, scope).as_deref() == Some(name) {
            return name.to_owned();
        }
        absolute.to_owned()
    }

    /// What a name means within a scope: its first part is looked for from the inside out, and the
    /// first find decides, as in C++.
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

/// The scope around a scope.
fn outside(scope: &str) -> &str {
    scope.rsplit_once('.').map_or("", |(outer, _)| outer)
}

pub(super) fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}
