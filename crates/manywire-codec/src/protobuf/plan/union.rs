//! Messages that stand for one value of several, and add no level to it: which branch takes what,
//! and that none holds nothing but itself.

use manywire_shape::proto::{self, Schema};

use super::compile::invalid;
use super::field::compile_field;
use super::{Branches, Field, Form, Kind, Plan};
use crate::Result;

impl Plan {
    /// Wrappers and unions add no level to the value, so they do not count as depth; that is only
    /// safe while none holds itself with no level between.
    pub(super) fn check_wrappers(&self) -> Result<()> {
        let count = self.messages.len();
        let mut settled = vec![false; count];
        for start in 0..count {
            let mut open = vec![(start, 0)];
            let mut within = vec![false; count];
            while let Some((index, at)) = open.pop() {
                let message = &self.messages[index];
                let transparent = matches!(message.form, Form::Wrapper | Form::Union(_));
                if settled[index] || !transparent || at == message.fields.len() {
                    settled[index] = true;
                    within[index] = false;
                    continue;
                }
                within[index] = true;
                open.push((index, at + 1));
                let field = &message.fields[at];
                if field.kind == Kind::Message {
                    let next = field.target as usize;
                    if within[next] {
                        return Err(invalid("a message wraps nothing but itself")
                            .under_key(&self.messages[next].name));
                    }
                    open.push((next, 0));
                }
            }
        }
        Ok(())
    }
}

/// Which branch of a union takes what: the first of its kind.
pub(super) fn branches(schema: &Schema, fields: &[Field]) -> Branches {
    let mut found = Branches::default();
    for (index, field) in (0_u16..).zip(fields) {
        let mut kind = field.kind;
        let mut target = field.target as usize;
        // A wrapper stands for what is in it; one that holds itself is refused later.
        let mut steps = 0..schema.messages.len();
        while kind == Kind::Message
            && steps.next().is_some()
            && let Some(message) = schema.messages.get(target)
            && message.form == proto::Form::Wrapper
            && let Some(inner) = message.fields.first()
            && let Ok(inner) = compile_field(schema, inner)
        {
            kind = inner.kind;
            target = inner.target as usize;
        }
        let slot = match kind {
            Kind::Bool => &mut found.bool,
            Kind::Int32 | Kind::Int64 | Kind::Sint32 | Kind::Sint64 => &mut found.signed,
            Kind::Sfixed32 | Kind::Sfixed64 => &mut found.signed,
            Kind::Uint32 | Kind::Uint64 | Kind::Fixed32 | Kind::Fixed64 => &mut found.unsigned,
            Kind::Float => &mut found.float,
            Kind::Double => &mut found.double,
            Kind::String | Kind::Enum => &mut found.text,
            Kind::Bytes => &mut found.bytes,
            Kind::BigInt => &mut found.big,
            Kind::Number => &mut found.number,
            Kind::Repeated | Kind::Packed => &mut found.array,
            Kind::Map => &mut found.map,
            Kind::Message => match schema.messages.get(target).map(|message| &message.form) {
                Some(proto::Form::Record { .. }) => &mut found.map,
                Some(proto::Form::Tuple) => &mut found.array,
                Some(proto::Form::Variants(_)) => &mut found.variants,
                Some(proto::Form::Null) => &mut found.null,
                Some(proto::Form::Timestamp) => &mut found.timestamp,
                _ => continue,
            },
        };
        slot.get_or_insert(index);
    }
    found
}
