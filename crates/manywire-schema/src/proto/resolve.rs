//! Names of types, looked up as the language scopes them.

use std::collections::{HashMap, HashSet};

use super::ast::{File, Type, TypeName};
use super::parse::join;
use super::{Fault, Result};

/// A type that the file declares, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Message(usize),
    Enum(usize),
}

/// The types of a file by their full names.
pub(super) struct Types<'f> {
    pub(super) file: &'f File,
    names: HashMap<&'f str, Declared>,
}

impl<'f> Types<'f> {
    pub(super) fn new(file: &'f File) -> Result<Self> {
        let messages = file.messages.iter().enumerate().map(|(index, message)| {
            (message.full_name.as_str(), message.offset, Declared::Message(index))
        });
        let enums = file
            .enums
            .iter()
            .enumerate()
            .map(|(index, each)| (each.full_name.as_str(), each.offset, Declared::Enum(index)));
        let mut names = HashMap::new();
        for (name, offset, declared) in messages.chain(enums) {
            if names.insert(name, declared).is_some() {
                return Err(Fault::new(offset, format_args!("the name {name} is given twice")));
            }
        }
        Ok(Types { file, names })
    }

    /// The type called so within a scope: the innermost scope that has one decides.
    pub(super) fn find(&self, name: &TypeName, scope: &str) -> Result<Declared> {
        if let Some(absolute) = name.name.strip_prefix('.') {
            let found = self.names.get(absolute).copied();
            return found.ok_or_else(|| self.unknown(name));
        }
        let mut scope = scope;
        loop {
            if let Some(found) = self.names.get(join(scope, &name.name).as_str()) {
                return Ok(*found);
            }
            if scope.is_empty() {
                return Err(self.unknown(name));
            }
            scope = scope.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }

    #[cold]
    fn unknown(&self, name: &TypeName) -> Box<Fault> {
        let unread = |import: &&String| !import.starts_with("google/protobuf/");
        let hint = match self.file.imports.iter().find(unread) {
            Some(import) => format!("; imports such as {import:?} are not followed"),
            None => String::new(),
        };
        Fault::new(name.offset, format_args!("there is no type {}{hint}", name.name))
    }

    /// The message of the whole value: the one of this name, or the only one that no other uses.
    pub(super) fn root(&self, name: Option<&str>) -> Result<usize> {
        let own = || {
            let messages = self.file.messages.iter().enumerate();
            messages.filter(|(_, message)| message.import.is_none())
        };
        if let Some(name) = name {
            let suffix = format!(".{name}");
            let called = |full_name: &str| full_name == name || full_name.ends_with(&suffix);
            let found: Vec<usize> =
                own().filter(|(_, message)| called(&message.full_name)).map(|it| it.0).collect();
            return match found[..] {
                [only] => Ok(only),
                [] => Err(Fault::new(0, format_args!("there is no message {name}"))),
                _ => Err(Fault::new(0, format_args!("there are several messages {name}"))),
            };
        }
        let mut used = HashSet::new();
        for (index, message) in own() {
            for field in &message.fields {
                let (Type::Named(ty) | Type::Map(_, ty)) = &field.ty;
                match self.find(ty, &message.full_name) {
                    Ok(Declared::Message(other)) if other != index => _ = used.insert(other),
                    _ => {}
                }
            }
        }
        let outermost: Vec<usize> =
            own().filter(|(_, message)| message.outermost).map(|(index, _)| index).collect();
        let free: Vec<usize> =
            outermost.iter().copied().filter(|index| !used.contains(index)).collect();
        match (&outermost[..], &free[..]) {
            ([only], _) | (_, [only]) => Ok(*only),
            ([], _) => Err(Fault::new(0, "expected a message, found none")),
            _ => {
                let candidates = if free.is_empty() { &outermost } else { &free };
                let names: Vec<&str> = candidates
                    .iter()
                    .map(|index| self.file.messages[*index].full_name.as_str())
                    .collect();
                let names = names.join(", ");
                let message = format_args!("expected the name of the root message: one of {names}");
                Err(Fault::new(0, message))
            }
        }
    }
}
