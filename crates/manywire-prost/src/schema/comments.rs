use std::collections::HashMap;

use prost_types::FileDescriptorProto;

/// What stands in front of each declaration, by its path in the descriptor.
pub(super) struct Comments<'f>(HashMap<&'f [i32], &'f str>);

impl<'f> Comments<'f> {
    pub(super) fn of(file: &'f FileDescriptorProto) -> Self {
        let locations = file.source_code_info.iter().flat_map(|info| &info.location);
        let leading = locations
            .filter_map(|location| Some((&*location.path, location.leading_comments.as_deref()?)));
        Comments(leading.collect())
    }

    /// Writes the comment of a declaration, if it has one.
    pub(super) fn write(&self, path: &[i32], indent: usize, out: &mut String) {
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
