//! How Rust calls a type, and what it can be used for.

use manywire_shape::Int;

use super::layout::{Kind, Type};
use super::rust::File;

impl File<'_> {
    /// Whether a type can be the key of a `BTreeMap`.
    pub(super) fn is_ordered(&self, ty: &Type) -> bool {
        match ty {
            Type::Bool | Type::Int(_) | Type::Text | Type::Char => true,
            Type::Named(index) => {
                matches!(self.layout.declaration(*index).kind, Kind::Symbols(_))
            }
            _ => false,
        }
    }

    /// Whether a type has a value that stands for absence.
    pub(super) fn has_default(&self, ty: &Type) -> bool {
        match ty {
            Type::Timestamp => false,
            Type::Named(index) => matches!(&self.layout.declaration(*index).kind,
                Kind::Symbols(symbols) if !symbols.is_empty()),
            Type::Array(inner, Some(_)) => self.has_default(inner),
            Type::Tuple(types) => types.iter().all(|ty| self.has_default(ty)),
            _ => true,
        }
    }

    /// A type as it is written within a declaration, or outside of all.
    pub(super) fn ty(&self, within: Option<usize>, ty: &Type) -> String {
        match ty {
            Type::Null => "()".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Int(int) => integer(*int),
            Type::F32 => "f32".to_owned(),
            Type::F64 => "f64".to_owned(),
            Type::Char => "char".to_owned(),
            Type::Text => "String".to_owned(),
            Type::Bytes => "serde_bytes::ByteBuf".to_owned(),
            Type::Timestamp => "manywire_shape::Timestamp".to_owned(),
            Type::Any => "serde_json::Value".to_owned(),
            Type::Option(inner) => format!("Option<{}>", self.ty(within, inner)),
            Type::Array(inner, Some(len @ 0..=32)) => {
                format!("[{}; {len}]", self.ty(within, inner))
            }
            Type::Array(inner, _) => format!("Vec<{}>", self.ty(None, inner)),
            Type::Map(key, value) if self.is_ordered(key) => {
                format!("BTreeMap<{}, {}>", self.ty(None, key), self.ty(None, value))
            }
            Type::Map(key, value) => {
                format!("Entries<{}, {}>", self.ty(None, key), self.ty(None, value))
            }
            Type::Tuple(types) => {
                let all: Vec<String> = types.iter().map(|ty| self.ty(within, ty)).collect();
                format!("({}{})", all.join(", "), if all.len() == 1 { "," } else { "" })
            }
            // Always declared in this language.
            Type::Union(_) => "serde_json::Value".to_owned(),
            Type::Named(index) => {
                let name = &self.layout.declaration(*index).name;
                match within {
                    Some(holder) if self.cycles.needs_box(holder, *index) => format!("Box<{name}>"),
                    _ => name.clone(),
                }
            }
        }
    }
}

fn integer(int: Int) -> String {
    format!("{}{}", if int.signed { 'i' } else { 'u' }, int.bits)
}
