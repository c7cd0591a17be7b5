//! Writes the `.proto` text of one file descriptor: messages, fields, enums, services and comments.

use std::collections::HashMap;
use std::fmt::Write as _;

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileOptions,
    ServiceDescriptorProto,
};

use super::names::{TypeNames, join};
use super::{Result, invalid};

/// Writes a file as text.
pub(super) fn file_text(file: &FileDescriptorProto, names: &TypeNames) -> Result<String> {
    let syntax = match file.syntax() {
        "" => "proto2",
        known @ ("proto2" | "proto3") => known,
        other => {
            return invalid("syntax", format_args!("expected proto2 or proto3, found {other}"));
        }
    };
    let mut writer = Writer {
        names,
        comments: Comments::of(file),
        package: file.package(),
        is_proto3: syntax == "proto3",
        out: String::new(),
    };
    // The paths of locations consist of the field numbers of descriptors: 12 is `syntax`.
    writer.comments.write(&[12], 0, &mut writer.out);
    writer.line(0, format_args!("syntax = \"{syntax}\";"));
    if !file.package().is_empty() {
        if !file.package().split('.').all(is_identifier) {
            return invalid("package", format_args!("{:?} is not a valid name", file.package()));
        }
        writer.blank();
        writer.comments.write(&[2], 0, &mut writer.out);
        writer.line(0, format_args!("package {};", file.package()));
    }
    if !file.dependency.is_empty() {
        writer.blank();
    }
    for (index, name) in file.dependency.iter().enumerate() {
        let is_public = file.public_dependency.iter().any(|it| usize::try_from(*it) == Ok(index));
        let public = if is_public { "public " } else { "" };
        writer.line(0, format_args!("import {public}{};", quoted(name)));
    }
    if let Some(options) = &file.options {
        writer.file_options(options);
    }
    for (index, message) in (0..).zip(&file.message_type) {
        writer.message(message, file.package(), &[4, index], 0)?;
    }
    for (index, one) in (0..).zip(&file.enum_type) {
        writer.enumeration(one, file.package(), &[5, index], 0)?;
    }
    writer.extensions(&file.extension, file.package(), 0)?;
    for (index, service) in (0..).zip(&file.service) {
        writer.service(service, &[6, index])?;
    }
    Ok(writer.out)
}

struct Writer<'f> {
    names: &'f TypeNames,
    comments: Comments<'f>,
    package: &'f str,
    is_proto3: bool,
    out: String,
}

impl Writer<'_> {
    fn line(&mut self, indent: usize, text: std::fmt::Arguments<'_>) {
        for _ in 0..indent {
            self.out.push_str("  ");
        }
        // Writing to a string does not fail.
        let _ = writeln!(self.out, "{text}");
    }

    fn blank(&mut self) {
        self.out.push('\n');
    }

    /// Writes the options that affect generated code in other languages.
    fn file_options(&mut self, options: &FileOptions) {
        let texts = [
            ("java_package", &options.java_package),
            ("java_outer_classname", &options.java_outer_classname),
            ("go_package", &options.go_package),
            ("objc_class_prefix", &options.objc_class_prefix),
            ("csharp_namespace", &options.csharp_namespace),
            ("swift_prefix", &options.swift_prefix),
            ("php_class_prefix", &options.php_class_prefix),
            ("php_namespace", &options.php_namespace),
            ("php_metadata_namespace", &options.php_metadata_namespace),
            ("ruby_package", &options.ruby_package),
        ];
        let texts = texts.iter().filter_map(|(name, value)| Some((name, quoted(value.as_ref()?))));
        let flags = [
            ("java_multiple_files", options.java_multiple_files),
            ("deprecated", options.deprecated),
        ];
        let flags = flags.iter().filter_map(|(name, value)| Some((name, (*value)?.to_string())));
        for (index, (name, value)) in texts.chain(flags).enumerate() {
            if index == 0 {
                self.blank();
            }
            self.line(0, format_args!("option {name} = {value};"));
        }
    }
}

/// The largest field number.
const FIELD_NUMBER_MAX: i32 = (1 << 29) - 1;

impl Writer<'_> {
    // Recursion is bounded by the nesting of messages, which prost limited when it decoded them.
    fn message(
        &mut self,
        message: &DescriptorProto,
        scope: &str,
        path: &[i32],
        indent: usize,
    ) -> Result<()> {
        let name = message.name();
        check_name(name, scope, "message name")?;
        let scope = &join(scope, name);
        self.blank();
        self.comments.write(path, indent, &mut self.out);
        self.line(indent, format_args!("message {name} {{"));
        if message.options.as_ref().is_some_and(|options| options.deprecated()) {
            self.line(indent + 1, format_args!("option deprecated = true;"));
        }
        self.reserved(
            message
                .reserved_range
                .iter()
                .map(|range| (range.start(), range.end().saturating_sub(1))),
            FIELD_NUMBER_MAX,
            &message.reserved_name,
            indent + 1,
        );
        for range in &message.extension_range {
            let numbers = numbers(range.start(), range.end().saturating_sub(1), FIELD_NUMBER_MAX);
            self.line(indent + 1, format_args!("extensions {numbers};"));
        }
        self.fields(message, scope, path, indent + 1)?;
        for (index, nested) in (0..).zip(&message.nested_type) {
            if !is_entry(nested) {
                self.message(nested, scope, &[path, &[3, index]].concat(), indent + 1)?;
            }
        }
        for (index, one) in (0..).zip(&message.enum_type) {
            self.enumeration(one, scope, &[path, &[4, index]].concat(), indent + 1)?;
        }
        self.extensions(&message.extension, scope, indent + 1)?;
        self.line(indent, format_args!("}}"));
        Ok(())
    }

    /// Writes the fields in their order. A oneof is written at its first field.
    fn fields(
        &mut self,
        message: &DescriptorProto,
        scope: &str,
        path: &[i32],
        indent: usize,
    ) -> Result<()> {
        let mut written = vec![false; message.oneof_decl.len()];
        for (index, field) in (0..).zip(&message.field) {
            // An optional field of proto3 has a synthetic oneof, which the source does not contain.
            let oneof = field.oneof_index.filter(|_| !field.proto3_optional());
            let Some(oneof) = oneof else {
                self.field(field, message, scope, &[path, &[2, index]].concat(), indent, false)?;
                continue;
            };
            let position = usize::try_from(oneof).ok();
            let declared = position.and_then(|position| message.oneof_decl.get(position));
            let (Some(declared), Some(is_written)) =
                (declared, position.and_then(|position| written.get_mut(position)))
            else {
                return invalid(scope, format_args!("{} is in no oneof", field.name()));
            };
            if std::mem::replace(is_written, true) {
                continue;
            }
            check_name(declared.name(), scope, "name")?;
            self.comments.write(&[path, &[8, oneof]].concat(), indent, &mut self.out);
            self.line(indent, format_args!("oneof {} {{", declared.name()));
            for (index, member) in (0..).zip(&message.field) {
                if member.oneof_index == Some(oneof) && !member.proto3_optional() {
                    let path = [path, &[2, index]].concat();
                    self.field(member, message, scope, &path, indent + 1, true)?;
                }
            }
            self.line(indent, format_args!("}}"));
        }
        Ok(())
    }

    fn field(
        &mut self,
        field: &FieldDescriptorProto,
        message: &DescriptorProto,
        scope: &str,
        path: &[i32],
        indent: usize,
        in_oneof: bool,
    ) -> Result<()> {
        let (names, package, is_proto3) = (self.names, self.package, self.is_proto3);
        let nested = &message.nested_type;
        let context = FieldContext { names, scope, package, is_proto3, nested, in_oneof };
        let text = field_text(field, &context)?;
        self.comments.write(path, indent, &mut self.out);
        self.line(indent, format_args!("{text}"));
        Ok(())
    }

    /// Writes extension fields, each in its own block.
    fn extensions(
        &mut self,
        extensions: &[FieldDescriptorProto],
        scope: &str,
        indent: usize,
    ) -> Result<()> {
        for field in extensions {
            let extended = self.names.relative(field.extendee(), scope, self.package);
            self.blank();
            self.line(indent, format_args!("extend {extended} {{"));
            let nobody = DescriptorProto::default();
            self.field(field, &nobody, scope, &[], indent + 1, false)?;
            self.line(indent, format_args!("}}"));
        }
        Ok(())
    }
}

/// The declarations that decide how a field is written.
struct FieldContext<'p> {
    names: &'p TypeNames,
    /// The full name of the field's message.
    scope: &'p str,
    package: &'p str,
    is_proto3: bool,
    /// The nested messages, including the entries of maps.
    nested: &'p [DescriptorProto],
    in_oneof: bool,
}

/// Returns a field without indentation: `repeated Room rooms = 3 [deprecated = true];`.
fn field_text(field: &FieldDescriptorProto, context: &FieldContext<'_>) -> Result<String> {
    let FieldContext { scope, nested, .. } = context;
    let (name, number) = (field.name(), field.number());
    check_name(name, scope, "field name")?;
    if !(1..=FIELD_NUMBER_MAX).contains(&number) {
        return invalid(scope, format_args!("the field {name} has the number {number}"));
    }
    let entry = match entry_of(field, nested) {
        Some(entry) => Some(map_type(entry, context)?),
        None => None,
    };
    let is_repeated = field.label() == Label::Repeated && entry.is_none();
    let label = match field.label() {
        _ if entry.is_some() || context.in_oneof => "",
        Label::Repeated => "repeated ",
        Label::Required => "required ",
        Label::Optional if !context.is_proto3 || field.proto3_optional() => "optional ",
        Label::Optional => "",
    };
    let kind = match entry {
        Some(map) => map,
        None => type_name(field, context)?,
    };
    let options = options(field, is_repeated, context)?;
    Ok(format!("{label}{kind} {name} = {number}{options};"))
}

/// Returns the entry message of a map field, which is declared beside the field.
fn entry_of<'n>(
    field: &FieldDescriptorProto,
    nested: &'n [DescriptorProto],
) -> Option<&'n DescriptorProto> {
    if field.r#type() != Type::Message || field.label() != Label::Repeated {
        return None;
    }
    let name = field.type_name().rsplit('.').next()?;
    nested.iter().find(|message| message.name() == name && is_entry(message))
}

/// Returns whether a message is the entry of a map, which is not written.
fn is_entry(message: &DescriptorProto) -> bool {
    message.options.as_ref().is_some_and(|options| options.map_entry())
}

fn map_type(entry: &DescriptorProto, context: &FieldContext<'_>) -> Result<String> {
    let part = |number| entry.field.iter().find(|field| field.number() == number);
    match (part(1), part(2)) {
        (Some(key), Some(value)) => {
            Ok(format!("map<{}, {}>", type_name(key, context)?, type_name(value, context)?))
        }
        _ => invalid(context.scope, format_args!("{} is not a map entry", entry.name())),
    }
}

fn type_name(field: &FieldDescriptorProto, context: &FieldContext<'_>) -> Result<String> {
    // A field without a type refers to a message or enum by `type_name`.
    let scalar = match field.r#type.map(Type::try_from) {
        Some(Err(unknown)) => {
            return invalid(context.scope, format_args!("{}: {unknown}", field.name()));
        }
        Some(Ok(Type::Group)) => {
            let reason = format_args!("{} is a group: make it a message", field.name());
            return invalid(context.scope, reason);
        }
        Some(Ok(kind)) => scalar(kind),
        None => None,
    };
    match scalar {
        Some(scalar) => Ok(scalar.to_owned()),
        None if field.type_name().split('.').skip(1).all(is_identifier)
            && field.type_name().len() > 1 =>
        {
            Ok(context.names.relative(field.type_name(), context.scope, context.package))
        }
        None => {
            let reason = format_args!("{} is of the type {:?}", field.name(), field.type_name());
            invalid(context.scope, reason)
        }
    }
}

fn scalar(kind: Type) -> Option<&'static str> {
    Some(match kind {
        Type::Double => "double",
        Type::Float => "float",
        Type::Int64 => "int64",
        Type::Uint64 => "uint64",
        Type::Int32 => "int32",
        Type::Fixed64 => "fixed64",
        Type::Fixed32 => "fixed32",
        Type::Bool => "bool",
        Type::String => "string",
        Type::Bytes => "bytes",
        Type::Uint32 => "uint32",
        Type::Sfixed32 => "sfixed32",
        Type::Sfixed64 => "sfixed64",
        Type::Sint32 => "sint32",
        Type::Sint64 => "sint64",
        Type::Message | Type::Enum | Type::Group => return None,
    })
}

fn options(
    field: &FieldDescriptorProto,
    is_repeated: bool,
    context: &FieldContext<'_>,
) -> Result<String> {
    let mut options = Vec::new();
    if let Some(value) = &field.default_value {
        // Strings and bytes are quoted; bytes are already escaped.
        options.push(match field.r#type() {
            Type::String => format!("default = {}", quoted(value)),
            Type::Bytes => format!("default = \"{value}\""),
            _ if is_plain(value) => format!("default = {value}"),
            _ => {
                let reason = format_args!("the default of {} is {value:?}", field.name());
                return invalid(context.scope, reason);
            }
        });
    }
    if let Some(name) = &field.json_name
        && *name != json_name(field.name())
    {
        options.push(format!("json_name = {}", quoted(name)));
    }
    if let Some(set) = &field.options {
        if let Some(packed) = set.packed.filter(|_| is_repeated) {
            options.push(format!("packed = {packed}"));
        }
        if set.deprecated() {
            options.push("deprecated = true".to_owned());
        }
    }
    Ok(if options.is_empty() { String::new() } else { format!(" [{}]", options.join(", ")) })
}

/// Returns the default JSON name of a field: without underscores, in camel case.
fn json_name(name: &str) -> String {
    let mut json = String::with_capacity(name.len());
    let mut is_next_large = false;
    for character in name.chars() {
        match character {
            '_' => is_next_large = true,
            character if is_next_large => {
                json.push(character.to_ascii_uppercase());
                is_next_large = false;
            }
            character => json.push(character),
        }
    }
    json
}

/// Returns a string literal of the `.proto` language.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            control if control.is_ascii_control() => {
                quoted.push_str(&format!("\\{:03o}", u32::from(control)));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Checks that a name is an identifier of the `.proto` language.
///
/// # Errors
/// Fails for any other name. The error begins with `place`, and calls the name a `what`.
fn check_name(name: &str, place: &str, what: &str) -> Result<()> {
    match is_identifier(name) {
        true => Ok(()),
        false => invalid(place, format_args!("{name:?} is not a valid {what}")),
    }
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns whether a default is valid without quotes: a number, a name, `true`, `inf`.
fn is_plain(value: &str) -> bool {
    !value.is_empty()
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-.".contains(&byte))
}

impl Writer<'_> {
    fn enumeration(
        &mut self,
        one: &EnumDescriptorProto,
        scope: &str,
        path: &[i32],
        indent: usize,
    ) -> Result<()> {
        let name = one.name();
        check_name(name, scope, "enum name")?;
        self.blank();
        self.comments.write(path, indent, &mut self.out);
        self.line(indent, format_args!("enum {name} {{"));
        if let Some(options) = &one.options {
            if options.allow_alias() {
                self.line(indent + 1, format_args!("option allow_alias = true;"));
            }
            if options.deprecated() {
                self.line(indent + 1, format_args!("option deprecated = true;"));
            }
        }
        self.reserved(
            one.reserved_range.iter().map(|range| (range.start(), range.end())),
            i32::MAX,
            &one.reserved_name,
            indent + 1,
        );
        for (index, value) in (0..).zip(&one.value) {
            check_name(value.name(), name, "enum value name")?;
            let is_deprecated = value.options.as_ref().is_some_and(|options| options.deprecated());
            let deprecated = if is_deprecated { " [deprecated = true]" } else { "" };
            self.comments.write(&[path, &[2, index]].concat(), indent + 1, &mut self.out);
            let (name, number) = (value.name(), value.number());
            self.line(indent + 1, format_args!("{name} = {number}{deprecated};"));
        }
        self.line(indent, format_args!("}}"));
        Ok(())
    }

    /// Writes the reserved numbers and names.
    fn reserved(
        &mut self,
        ranges: impl Iterator<Item = (i32, i32)>,
        max: i32,
        names: &[String],
        indent: usize,
    ) {
        let ranges: Vec<String> = ranges.map(|(start, end)| numbers(start, end, max)).collect();
        if !ranges.is_empty() {
            self.line(indent, format_args!("reserved {};", ranges.join(", ")));
        }
        let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        if !names.is_empty() {
            self.line(indent, format_args!("reserved {};", names.join(", ")));
        }
    }
}

/// Returns an inclusive range of numbers.
fn numbers(start: i32, end: i32, max: i32) -> String {
    match (start, end) {
        (start, end) if start == end => start.to_string(),
        (start, end) if end >= max => format!("{start} to max"),
        (start, end) => format!("{start} to {end}"),
    }
}

impl Writer<'_> {
    fn service(&mut self, service: &ServiceDescriptorProto, path: &[i32]) -> Result<()> {
        let name = service.name();
        check_name(name, "service", "name")?;
        let scope = &join(self.package, name);
        self.blank();
        self.comments.write(path, 0, &mut self.out);
        self.line(0, format_args!("service {name} {{"));
        for (index, method) in (0..).zip(&service.method) {
            check_name(method.name(), scope, "name")?;
            let side = |is_stream: bool, name: &str| {
                let stream = if is_stream { "stream " } else { "" };
                format!("({stream}{})", self.names.relative(name, scope, self.package))
            };
            let taken = side(method.client_streaming(), method.input_type());
            let given = side(method.server_streaming(), method.output_type());
            self.comments.write(&[path, &[2, index]].concat(), 1, &mut self.out);
            self.line(1, format_args!("rpc {}{taken} returns {given};", method.name()));
        }
        self.line(0, format_args!("}}"));
        Ok(())
    }
}

/// The leading comments of declarations, by their path in the descriptor.
struct Comments<'f>(HashMap<&'f [i32], &'f str>);

impl<'f> Comments<'f> {
    fn of(file: &'f FileDescriptorProto) -> Self {
        let locations = file.source_code_info.iter().flat_map(|info| &info.location);
        let leading = locations
            .filter_map(|location| Some((&*location.path, location.leading_comments.as_deref()?)));
        Comments(leading.collect())
    }

    /// Writes the comment of a declaration, if it has one.
    fn write(&self, path: &[i32], indent: usize, out: &mut String) {
        for line in self.0.get(path).into_iter().flat_map(|text| text.lines()) {
            let line = line.trim_end();
            out.push_str(&"  ".repeat(indent));
            out.push_str("//");
            if !line.is_empty() && !line.starts_with(' ') {
                out.push(' ');
            }
            out.push_str(line);
            out.push('\n');
        }
    }
}
