//! Writes groups: messages between two tags, in proto2 and by a feature of editions.
//!
//! The writer gives every message a length, as messages of proto3 have. For schemas with groups, a
//! second pass over the finished message replaces the length of each group by a tag at its end.

use crate::protobuf::plan::{FieldKind, Message, Plan};
use crate::protobuf::wire::{
    END_GROUP, I32, I64, LEN, START_GROUP, VARINT, VARINT_BYTES_MAX, put_varint, split_varint,
};

/// Appends a finished message to `out`, with each of its groups between two tags. The recursion is
/// as deep as the value, whose depth is bounded.
pub(super) fn delimit(plan: &Plan, message: usize, bytes: &[u8], out: &mut Vec<u8>) {
    let message = &plan.messages[message];
    let mut rest = bytes;
    while !rest.is_empty() {
        let Some(part) = next_field(rest) else {
            // The writer's own output always parses.
            out.extend_from_slice(rest);
            return;
        };
        let inner = message_of(plan, message, part.number);
        match (part.wire, inner) {
            (START_GROUP, Some(inner)) => {
                put(out, u64::from(part.number) << 3 | u64::from(START_GROUP));
                delimit(plan, inner, part.content, out);
                put(out, u64::from(part.number) << 3 | u64::from(END_GROUP));
            }
            (LEN, Some(inner)) => {
                put(out, u64::from(part.number) << 3 | u64::from(LEN));
                let mut content = Vec::with_capacity(part.content.len());
                delimit(plan, inner, part.content, &mut content);
                put(out, content.len() as u64);
                out.extend_from_slice(&content);
            }
            _ => out.extend_from_slice(&rest[..rest.len() - part.after.len()]),
        }
        rest = part.after;
    }
}

/// Returns the index of the message in a field, or in the items of a field.
fn message_of(plan: &Plan, message: &Message, number: u32) -> Option<usize> {
    let index = message.numbered(number, 0)?;
    let item = message.fields[index].item();
    let target = item.target as usize;
    (item.kind == FieldKind::Message && target < plan.messages.len()).then_some(target)
}

/// A field as the writer wrote it: a group has a length, too.
struct Part<'b> {
    number: u32,
    wire: u8,
    content: &'b [u8],
    after: &'b [u8],
}

fn next_field(bytes: &[u8]) -> Option<Part<'_>> {
    let (tag, rest) = split_varint(bytes)?;
    let wire = (tag & 7) as u8;
    let (content, after) = match wire {
        VARINT => (&[][..], split_varint(rest)?.1),
        I64 => rest.split_at_checked(8)?,
        I32 => rest.split_at_checked(4)?,
        _ => {
            let (len, rest) = split_varint(rest)?;
            rest.split_at_checked(usize::try_from(len).ok()?)?
        }
    };
    Some(Part { number: u32::try_from(tag >> 3).ok()?, wire, content, after })
}

fn put(out: &mut Vec<u8>, value: u64) {
    let mut bytes = [0; VARINT_BYTES_MAX];
    let len = put_varint(&mut bytes, value);
    out.extend_from_slice(&bytes[..len]);
}
