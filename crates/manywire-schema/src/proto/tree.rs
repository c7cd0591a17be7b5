//! The syntax tree of a `.proto` before its names are resolved, from its text or from a descriptor
//! set.

use manywire_shape::proto::Reserved;

/// The maximum nesting depth of messages; `protoc` allows 31.
pub(super) const DEPTH_MAX: usize = 64;

/// The syntax version, which decides the features that a file begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Syntax {
    /// The syntax of a file that does not name one.
    #[default]
    Proto2,
    Proto3,
    Edition,
}

/// The properties of fields and enums that are options in editions, and fixed in proto2 and proto3
/// (Protocol Buffers, "Feature Settings for Editions").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Features {
    pub(super) presence: FieldPresence,
    /// True if an enum has only the numbers that it declares.
    pub(super) closed: bool,
    /// True if repeated numbers are written one by one.
    pub(super) expanded: bool,
    /// True if messages are written between two tags, as groups are.
    pub(super) delimited: bool,
    /// True if several fields may have one name in JSON, unless options give it to them.
    pub(super) legacy_json: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FieldPresence {
    #[default]
    Explicit,
    Implicit,
    Required,
}

impl Features {
    fn of(syntax: Syntax) -> Self {
        let features = Features::default();
        match syntax {
            Syntax::Proto2 => {
                Features { closed: true, expanded: true, legacy_json: true, ..features }
            }
            Syntax::Proto3 => Features { presence: FieldPresence::Implicit, ..features },
            Syntax::Edition => features,
        }
    }
}

/// The features that a declaration sets for itself and for everything in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FeatureOverrides {
    pub(super) presence: Option<FieldPresence>,
    pub(super) closed: Option<bool>,
    pub(super) expanded: Option<bool>,
    pub(super) delimited: Option<bool>,
    pub(super) legacy_json: Option<bool>,
}

impl FeatureOverrides {
    /// Sets the features that an option of an edition names, if it names any. `members` are the names
    /// and values in a message in text format, such as `{ enum_type: CLOSED }`. Features of one language,
    /// such as `features.(pb.go).api_level`, have no effect on the encoding.
    ///
    /// # Errors
    ///
    /// Fails for a feature or a value that editions do not have, with a message.
    pub(super) fn set(
        &mut self,
        option: &str,
        value: &str,
        members: &[&str],
    ) -> Result<(), String> {
        if let Some(feature) = option.strip_prefix("features.") {
            return match feature.starts_with('(') {
                true => Ok(()),
                false => self.set_feature(feature, value),
            };
        }
        if option == "features" {
            if !value.starts_with('{') {
                return Err("expected features in braces".to_owned());
            }
            for pair in members.chunks(2) {
                match pair {
                    [feature, value] => self.set_feature(feature, value)?,
                    _ => return Err("expected features with a value each".to_owned()),
                }
            }
        }
        Ok(())
    }

    fn set_feature(&mut self, feature: &str, value: &str) -> Result<(), String> {
        match (feature, value) {
            ("field_presence", "EXPLICIT") => self.presence = Some(FieldPresence::Explicit),
            ("field_presence", "IMPLICIT") => self.presence = Some(FieldPresence::Implicit),
            ("field_presence", "LEGACY_REQUIRED") => self.presence = Some(FieldPresence::Required),
            ("enum_type", "OPEN" | "CLOSED") => self.closed = Some(value == "CLOSED"),
            ("repeated_field_encoding", "PACKED" | "EXPANDED") => {
                self.expanded = Some(value == "EXPANDED");
            }
            ("message_encoding", "LENGTH_PREFIXED" | "DELIMITED") => {
                self.delimited = Some(value == "DELIMITED");
            }
            ("json_format", "ALLOW" | "LEGACY_BEST_EFFORT") => {
                self.legacy_json = Some(value == "LEGACY_BEST_EFFORT");
            }
            ("utf8_validation" | "enforce_naming_style" | "default_symbol_visibility", _) => {}
            _ => return Err(format!("unknown feature {feature} = {value}")),
        }
        Ok(())
    }

    fn over(&self, features: Features) -> Features {
        Features {
            presence: self.presence.unwrap_or(features.presence),
            closed: self.closed.unwrap_or(features.closed),
            expanded: self.expanded.unwrap_or(features.expanded),
            delimited: self.delimited.unwrap_or(features.delimited),
            legacy_json: self.legacy_json.unwrap_or(features.legacy_json),
        }
    }
}

/// A parsed file. Nested types are in the same list as others, with their full names.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) syntax: Syntax,
    pub(super) package: String,
    pub(super) imports: Vec<Import>,
    /// The messages. A nested one comes after the one around it.
    pub(super) messages: Vec<Message>,
    pub(super) enums: Vec<Enum>,
    pub(super) overrides: FeatureOverrides,
}

impl File {
    /// Puts the package in front of the names of all types.
    pub(super) fn qualify_names(&mut self) {
        let messages = self.messages.iter_mut().map(|message| &mut message.full_name);
        let enums = self.enums.iter_mut().map(|each| &mut each.full_name);
        for name in messages.chain(enums) {
            *name = join(&self.package, name);
        }
    }

    /// Sets the features of every declaration from those around it. Options may follow the fields
    /// that they apply to, so the whole file is parsed before.
    pub(super) fn resolve_features(&mut self) {
        let outermost = self.overrides.over(Features::of(self.syntax));
        for at in 0..self.messages.len() {
            let around = match self.messages[at].parent {
                Some(parent) => self.messages[parent].features,
                None => outermost,
            };
            let message = &mut self.messages[at];
            message.features = message.overrides.over(around);
            for field in &mut message.fields {
                field.features = field.overrides.over(message.features);
            }
        }
        for each in &mut self.enums {
            let around = each.parent.map_or(outermost, |parent| self.messages[parent].features);
            each.features = each.overrides.over(around);
        }
    }
}

/// An import of another file.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) path: String,
    pub(super) offset: usize,
    /// True if the files that import this file see the imported file, too.
    pub(super) public: bool,
}

#[derive(Debug, Default)]
pub(super) struct Message {
    /// The index of the file that declares the message.
    pub(super) file: usize,
    /// The name with its package and enclosing messages, joined by dots.
    pub(super) full_name: String,
    pub(super) doc: String,
    pub(super) offset: usize,
    /// The index of the message around this one.
    pub(super) parent: Option<usize>,
    pub(super) fields: Vec<Field>,
    pub(super) oneofs: Vec<Oneof>,
    /// The file that it is imported from, if it is declared in a well-known file of Google.
    pub(super) import: Option<&'static str>,
    pub(super) reserved: Reserved,
    pub(super) overrides: FeatureOverrides,
    pub(super) features: Features,
}

impl Message {
    /// Returns a message without fields.
    pub(super) fn new(full_name: String) -> Self {
        Message { full_name, ..Message::default() }
    }
}

#[derive(Debug)]
pub(super) struct Oneof {
    pub(super) name: String,
    pub(super) offset: usize,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) offset: usize,
    pub(super) number: u32,
    pub(super) label: Option<Label>,
    pub(super) ty: Type,
    pub(super) oneof: Option<usize>,
    pub(super) json_name: Option<String>,
    pub(super) packed: Option<bool>,
    /// The default value as the `.proto` writes it.
    pub(super) default: Option<String>,
    pub(super) overrides: FeatureOverrides,
    pub(super) features: Features,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Optional,
    Required,
    Repeated,
}

#[derive(Debug)]
pub(super) enum Type {
    Named(TypeName),
    Map(TypeName, TypeName),
}

/// A reference to a type by name.
#[derive(Debug)]
pub(super) struct TypeName {
    pub(super) name: String,
    pub(super) offset: usize,
}

#[derive(Debug, Default)]
pub(super) struct Enum {
    /// The index of the file that declares the enum.
    pub(super) file: usize,
    /// The index of the message around the enum.
    pub(super) parent: Option<usize>,
    pub(super) full_name: String,
    pub(super) doc: String,
    pub(super) offset: usize,
    pub(super) values: Vec<EnumValue>,
    /// True if several values may have one number.
    pub(super) allows_aliases: bool,
    /// The file that it is imported from, if it is declared in a well-known file of Google.
    pub(super) import: Option<&'static str>,
    pub(super) reserved: Reserved,
    pub(super) overrides: FeatureOverrides,
    pub(super) features: Features,
}

#[derive(Debug)]
pub(super) struct EnumValue {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) offset: usize,
    pub(super) number: i32,
}

/// Returns the name of a declaration within a package or message.
pub(super) fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}
