//! How Java calls a type.

use std::fmt::Write;

use manywire_shape::Int;

use super::java::File;
use super::layout::{Layout, Type};

/// The root as another class calls it.
pub(super) fn qualified(layout: &Layout, root: &str, class: &str) -> String {
    let mut text = String::new();
    for word in root.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_') {
        let name = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        if layout.declarations.iter().any(|it| it.name == name) {
            let _ = write!(text, "{class}.");
        }
        text.push_str(word);
    }
    for (short, long) in [("List<", "java.util.List<"), ("Map<", "java.util.Map<")] {
        text = text.replace(short, long);
    }
    text.replace("BigInteger", "java.math.BigInteger").replace("Instant", "java.time.Instant")
}

impl File<'_> {
    /// A type; as an object where a type argument or null needs one.
    pub(super) fn ty(&self, ty: &Type, boxed: bool) -> String {
        let pick =
            |plain: &str, object: &str| if boxed { object.to_owned() } else { plain.to_owned() };
        match ty {
            Type::Bool => pick("boolean", "Boolean"),
            Type::Int(int) => integer(*int, boxed).to_owned(),
            Type::F32 => pick("float", "Float"),
            Type::F64 => pick("double", "Double"),
            Type::Char | Type::Text => "String".to_owned(),
            Type::Bytes => "byte[]".to_owned(),
            Type::Timestamp => "Instant".to_owned(),
            Type::Null | Type::Any | Type::Union(_) | Type::Tuple(_) => "Object".to_owned(),
            Type::Option(inner) => self.ty(inner, true),
            Type::Array(item, _) => format!("List<{}>", self.ty(item, true)),
            Type::Map(key, value) => {
                let key = match &**key {
                    Type::Text | Type::Char | Type::Int(_) | Type::Bool | Type::Named(_) => {
                        self.ty(key, true)
                    }
                    _ => "Object".to_owned(),
                };
                format!("Map<{key}, {}>", self.ty(value, true))
            }
            Type::Named(index) => self.layout.declaration(*index).name.clone(),
        }
    }
}

/// The narrowest type that holds the integer: Java has no unsigned ones.
fn integer(int: Int, boxed: bool) -> &'static str {
    match (int.signed, int.bits, boxed) {
        (true, 8, false) => "byte",
        (true, 8, true) => "Byte",
        (true, 16, false) | (false, 8, false) => "short",
        (true, 16, true) | (false, 8, true) => "Short",
        (true, 32, false) | (false, 16, false) => "int",
        (true, 32, true) | (false, 16, true) => "Integer",
        (true, 64, false) | (false, 32, false) => "long",
        (true, 64, true) | (false, 32, true) => "Long",
        _ => "BigInteger",
    }
}
