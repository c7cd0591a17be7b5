//! The Parsing Canonical Form of a schema and its fingerprint (specification, "Parsing Canonical
//! Form for Schemas" and "Schema Fingerprints").

use std::collections::HashSet;

use super::avsc::primitive_name;
use super::{FullName, Literal, NodeId, Schema, Type};

impl Schema {
    /// The Parsing Canonical Form: two schemas with the same one encode every datum alike.
    pub fn canonical(&self) -> String {
        canonical(self, self.root(), &mut HashSet::new()).compact()
    }

    /// CRC-64-AVRO of the canonical form, the fingerprint of single-object encoding.
    pub fn fingerprint(&self) -> u64 {
        crc_64_avro(self.canonical().as_bytes())
    }
}

fn canonical(schema: &Schema, id: NodeId, written: &mut HashSet<NodeId>) -> Literal {
    let member = |key: &str, value| (key.to_owned(), value);
    let named = |name: &FullName, ty: &str| {
        vec![member("name", Literal::text(name.to_string())), member("type", Literal::text(ty))]
    };
    let ty = schema.ty(id);
    Literal::Object(match ty {
        Type::Union(branches) => {
            let branches = branches.iter().map(|&branch| canonical(schema, branch, written));
            return Literal::Array(branches.collect());
        }
        Type::Record(record) => {
            if !written.insert(id) {
                return Literal::text(record.name.to_string());
            }
            let fields = record.fields.iter().map(|field| {
                let ty = canonical(schema, field.node, written);
                Literal::Object(vec![
                    member("name", Literal::text(&field.name)),
                    member("type", ty),
                ])
            });
            let fields = Literal::Array(fields.collect());
            [named(&record.name, "record"), vec![member("fields", fields)]].concat()
        }
        Type::Enum(symbols) => {
            if !written.insert(id) {
                return Literal::text(symbols.name.to_string());
            }
            let list = symbols.symbols.iter().map(|symbol| Literal::text(&symbol.name)).collect();
            [named(&symbols.name, "enum"), vec![member("symbols", Literal::Array(list))]].concat()
        }
        Type::Fixed(fixed) => {
            if !written.insert(id) {
                return Literal::text(fixed.name.to_string());
            }
            let size = Literal::Number(fixed.size.to_string());
            [named(&fixed.name, "fixed"), vec![member("size", size)]].concat()
        }
        Type::Array(items) => vec![
            member("type", Literal::text("array")),
            member("items", canonical(schema, *items, written)),
        ],
        Type::Map(values) => vec![
            member("type", Literal::text("map")),
            member("values", canonical(schema, *values, written)),
        ],
        primitive => return Literal::text(primitive_name(primitive)),
    })
}

/// The Rabin fingerprint of 64 bits, as the specification defines it.
fn crc_64_avro(bytes: &[u8]) -> u64 {
    const EMPTY: u64 = 0xc15d_213a_a4d7_a795;
    bytes.iter().fold(EMPTY, |fingerprint, &byte| {
        let mut low = (fingerprint ^ u64::from(byte)) & 0xff;
        for _ in 0..8 {
            low = (low >> 1) ^ (EMPTY & (low & 1).wrapping_neg());
        }
        (fingerprint >> 8) ^ low
    })
}
