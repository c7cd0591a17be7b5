use std::fmt::Write as _;

use prost_types::{FileDescriptorProto, FileOptions};

use super::comments::Comments;
use super::field::{is_identifier, quoted};
use super::names::Names;
use super::{Result, invalid};

/// A file as text.
pub(super) fn text(file: &FileDescriptorProto, names: &Names) -> Result<String> {
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
    // The paths of locations go by the numbers of the descriptor's own fields.
    writer.comments.write(&[12], 0, &mut writer.out);
    writer.line(0, format_args!("syntax = \"{syntax}\";"));
    if !file.package().is_empty() {
        if !file.package().split('.').all(is_identifier) {
            return invalid("package", format_args!("{:?} is no name", file.package()));
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

pub(super) struct Writer<'f> {
    pub(super) names: &'f Names,
    pub(super) comments: Comments<'f>,
    pub(super) package: &'f str,
    pub(super) is_proto3: bool,
    pub(super) out: String,
}

impl Writer<'_> {
    pub(super) fn line(&mut self, indent: usize, text: std::fmt::Arguments<'_>) {
        for _ in 0..indent {
            self.out.push_str("  ");
        }
        // Writing to a string does not fail.
        let _ = writeln!(self.out, "{text}");
    }

    pub(super) fn blank(&mut self) {
        self.out.push('\n');
    }

    /// The options that say what other languages make of the file.
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
