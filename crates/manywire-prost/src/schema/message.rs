use prost_types::{DescriptorProto, FieldDescriptorProto};

use super::enumeration::numbers;
use super::field::{self, Place, is_entry, is_identifier};
use super::file::Writer;
use super::names::join;
use super::{Result, invalid};

/// The largest number of a field.
const FIELD_NUMBER_MAX: i32 = (1 << 29) - 1;

impl Writer<'_> {
    // As deep as messages nest, which prost has bounded when it read them.
    pub(super) fn message(
        &mut self,
        message: &DescriptorProto,
        scope: &str,
        path: &[i32],
        indent: usize,
    ) -> Result<()> {
        let name = message.name();
        if !is_identifier(name) {
            return invalid(scope, format_args!("{name:?} is no name of a message"));
        }
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

    /// The fields in their order; a oneof stands where the first of its fields does.
    fn fields(
        &mut self,
        message: &DescriptorProto,
        scope: &str,
        path: &[i32],
        indent: usize,
    ) -> Result<()> {
        let mut written = vec![false; message.oneof_decl.len()];
        for (index, field) in (0..).zip(&message.field) {
            // An optional field of proto3 is in a oneof of its own, which nobody wrote.
            let oneof = field.oneof_index.filter(|_| !field.proto3_optional());
            let Some(oneof) = oneof else {
                self.field(field, message, scope, &[path, &[2, index]].concat(), indent, false)?;
                continue;
            };
            let place = usize::try_from(oneof).ok();
            let declared = place.and_then(|place| message.oneof_decl.get(place));
            let (Some(declared), Some(is_written)) =
                (declared, place.and_then(|place| written.get_mut(place)))
            else {
                return invalid(scope, format_args!("{} is in no oneof", field.name()));
            };
            if std::mem::replace(is_written, true) {
                continue;
            }
            if !is_identifier(declared.name()) {
                return invalid(scope, format_args!("{:?} is no name", declared.name()));
            }
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
        let place = Place { names, scope, package, is_proto3, nested, in_oneof };
        let text = field::text(field, &place)?;
        self.comments.write(path, indent, &mut self.out);
        self.line(indent, format_args!("{text}"));
        Ok(())
    }

    /// Fields of other messages, each in a block of its own.
    pub(super) fn extensions(
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
