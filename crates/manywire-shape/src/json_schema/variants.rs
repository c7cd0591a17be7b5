use super::write::{Keywords, Writer, described, keyword, object, typed};
use crate::{Enum, Literal, Name, Node, NodeId, Tagging, Variant, VariantKind};

impl Writer<'_> {
    /// A sum type, as serde writes it.
    pub(super) fn sum(&mut self, sum: &Enum) -> Keywords {
        let names = |variant: &Variant| variant.kind == VariantKind::Unit && variant.doc.is_empty();
        if sum.tagging == Tagging::External && sum.variants.iter().all(names) {
            let mut schema = described("string", &sum.doc);
            let names = sum.variants.iter().map(|variant| Literal::text(&*variant.name));
            schema.push(keyword("enum", Literal::Array(names.collect())));
            return schema;
        }
        let variants = sum.variants.iter().map(|variant| {
            let mut schema = match &sum.tagging {
                Tagging::External => self.external(variant),
                Tagging::Internal { tag } => self.internal(variant, tag),
                Tagging::Adjacent { tag, content } => self.adjacent(variant, tag, content),
            };
            if !variant.doc.is_empty() {
                schema.retain(|(key, _)| key != "description");
                schema.insert(0, keyword("description", Literal::text(&*variant.doc)));
            }
            object(schema)
        });
        let one_of = keyword("oneOf", Literal::Array(variants.collect()));
        let mut schema = Vec::new();
        if !sum.doc.is_empty() {
            schema.push(keyword("description", Literal::text(&*sum.doc)));
        }
        schema.push(one_of);
        schema
    }

    /// `{"Variant": content}`, or the bare name.
    fn external(&mut self, variant: &Variant) -> Keywords {
        match self.content(&variant.kind) {
            None => vec![constant(&variant.name)],
            Some(content) => closed(vec![keyword(&variant.name, content)]),
        }
    }

    /// `{"tag": "Variant", …fields}`.
    fn internal(&mut self, variant: &Variant, tag: &str) -> Keywords {
        let name = object(vec![constant(&variant.name)]);
        let inner = match &variant.kind {
            VariantKind::Newtype(inner) | VariantKind::Struct(inner) => *inner,
            // Serde does not compile a tuple variant with an internal tag.
            VariantKind::Unit | VariantKind::Tuple(_) => {
                return all_required(vec![keyword(tag, name)]);
            }
        };
        let shape = self.shape;
        if let Node::Record(record) = shape.node(inner) {
            return self.record(record, Some((tag, name)));
        }
        let parts = vec![self.place(inner), object(all_required(vec![keyword(tag, name)]))];
        vec![keyword("allOf", Literal::Array(parts))]
    }

    /// `{"tag": "Variant", "content": content}`.
    fn adjacent(&mut self, variant: &Variant, tag: &str, content: &str) -> Keywords {
        let mut properties = vec![keyword(tag, object(vec![constant(&variant.name)]))];
        properties.extend(self.content(&variant.kind).map(|schema| keyword(content, schema)));
        all_required(properties)
    }

    fn content(&mut self, kind: &VariantKind) -> Option<Literal> {
        match kind {
            VariantKind::Unit => None,
            VariantKind::Newtype(inner) => Some(self.place(*inner)),
            VariantKind::Struct(inner) => Some(self.fields_of(*inner)),
            VariantKind::Tuple(parts) => {
                let mut schema = typed("array");
                schema.extend(self.tuple(parts));
                Some(object(schema))
            }
        }
    }

    /// The fields of a variant stand where the variant does: they are no type of their own.
    fn fields_of(&mut self, inner: NodeId) -> Literal {
        let shape = self.shape;
        match shape.node(inner) {
            Node::Record(record) => object(self.record(record, None)),
            _ => self.place(inner),
        }
    }
}

fn constant(name: &Name) -> (String, Literal) {
    keyword("const", Literal::text(&**name))
}

fn all_required(properties: Keywords) -> Keywords {
    let names = properties.iter().map(|(name, _)| Literal::text(name)).collect();
    let mut schema = typed("object");
    schema.push(keyword("properties", Literal::Object(properties)));
    schema.push(keyword("required", Literal::Array(names)));
    schema
}

/// An object of these properties and no others.
fn closed(properties: Keywords) -> Keywords {
    let mut schema = all_required(properties);
    schema.push(keyword("additionalProperties", Literal::Boolean(false)));
    schema
}
