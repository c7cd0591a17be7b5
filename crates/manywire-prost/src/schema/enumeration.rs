use prost_types::EnumDescriptorProto;

use super::field::{is_identifier, quoted};
use super::file::Writer;
use super::{Result, invalid};

impl Writer<'_> {
    pub(super) fn enumeration(
        &mut self,
        one: &EnumDescriptorProto,
        scope: &str,
        path: &[i32],
        indent: usize,
    ) -> Result<()> {
        let name = one.name();
        if !is_identifier(name) {
            return invalid(scope, format_args!("{name:?} is no name of an enum"));
        }
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
            if !is_identifier(value.name()) {
                return invalid(name, format_args!("{:?} is no name of a value", value.name()));
            }
            let is_deprecated = value.options.as_ref().is_some_and(|options| options.deprecated());
            let deprecated = if is_deprecated { " [deprecated = true]" } else { "" };
            self.comments.write(&[path, &[2, index]].concat(), indent + 1, &mut self.out);
            let (name, number) = (value.name(), value.number());
            self.line(indent + 1, format_args!("{name} = {number}{deprecated};"));
        }
        self.line(indent, format_args!("}}"));
        Ok(())
    }

    /// The numbers and names that are not to be taken again.
    pub(super) fn reserved(
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

/// A range of numbers, both ends within.
pub(super) fn numbers(start: i32, end: i32, max: i32) -> String {
    match (start, end) {
        (start, end) if start == end => start.to_string(),
        (start, end) if end >= max => format!("{start} to max"),
        (start, end) => format!("{start} to {end}"),
    }
}
