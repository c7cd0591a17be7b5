use manywire_shape::{Literal, Node, Presence};

use super::literal::object;
use super::schemas::Schemas;
use crate::content::Type;
use crate::input::Described;
use crate::problem::Place;

/// Header fields that OpenAPI has other words for (section 4.8.12.1): parameters of these names
/// are to be ignored.
const DESCRIBED_ELSEWHERE: [&str; 3] = ["accept", "content-type", "authorization"];

/// The parameters of an endpoint.
pub(super) fn parameters(inputs: &[Described], schemas: &Schemas) -> Vec<Literal> {
    let mut parameters = Vec::new();
    for input in inputs {
        let Described::Parameter { place, name, ty } = input else { continue };
        if name.is_empty() {
            parameters.extend(fields(ty, schemas));
        } else if *place != Place::Header || !DESCRIBED_ELSEWHERE.contains(&name.as_str()) {
            parameters.push(single(*place, name, ty, schemas));
        }
    }
    parameters
}

/// A parameter that stands for itself.
fn single(place: Place, name: &str, ty: &Type, schemas: &Schemas) -> Literal {
    let Some(node) = schemas.node(ty) else { return Literal::Null };
    let (inner, required) = match schemas.shape().node(node) {
        Node::Option(inner) => (*inner, false),
        Node::Array(_) => (node, false),
        _ => (node, true),
    };
    object([
        ("name", Literal::text(name)),
        ("in", Literal::text(place.to_string())),
        // A path without one of its segments is another path.
        ("required", Literal::Boolean(required || place == Place::Path)),
        ("schema", schemas.of_node(inner)),
    ])
}

/// The query as a record: each field is a parameter.
fn fields(ty: &Type, schemas: &Schemas) -> Vec<Literal> {
    let shape = schemas.shape();
    let Some(Node::Record(record)) = schemas.node(ty).map(|node| shape.node(node)) else {
        return Vec::new();
    };
    let field = |field: &manywire_shape::Field| {
        let (inner, may_be_absent) = match shape.node(field.node) {
            Node::Option(inner) => (*inner, true),
            Node::Array(_) => (field.node, true),
            _ => (field.node, field.presence != Presence::Required),
        };
        let mut members = vec![
            ("name", Literal::text(&*field.name)),
            ("in", Literal::text("query")),
            ("required", Literal::Boolean(!may_be_absent)),
        ];
        if !field.doc.is_empty() {
            members.push(("description", Literal::text(&*field.doc)));
        }
        members.push(("schema", schemas.of_node(inner)));
        object(members)
    };
    record.fields.iter().map(field).collect()
}
