//! By what a union recognises the branch that a value belongs to.

use manywire_shape::Tagging;

use super::plan::{Kind, Maps, Names, Op, Plan};

/// By what a union recognises the branch that a value belongs to.
pub(super) fn tell_apart(
    plan: &Plan,
    branches: &[Op],
) -> ([Option<u32>; Kind::COUNT], Names, Maps) {
    let mut kinds = [None; Kind::COUNT];
    let mut names = Vec::new();
    let mut taggings: Vec<&Tagging> = Vec::new();
    let (mut maps, mut entries) = (Vec::new(), None);
    for (&branch, index) in branches.iter().zip(0..) {
        let taken = kinds_of(plan, branch, &mut Vec::new());
        for (kind, slot) in kinds.iter_mut().enumerate() {
            if taken & (1 << kind) != 0 && slot.is_none() {
                *slot = Some(index);
            }
        }
        match branch {
            Op::Variant(variant) => {
                let variant = plan.variant(variant);
                names.push((variant.name.clone(), index));
                if !taggings.contains(&&variant.tagging) {
                    taggings.push(&variant.tagging);
                }
            }
            Op::Entries(_) => entries = Some(index),
            _ if taken & (1 << Kind::Map as u8) != 0 => maps.push(branch),
            _ => {}
        }
    }
    let maps = match (&maps[..], entries, &taggings[..]) {
        ([], _, [Tagging::External]) => Maps::External,
        ([], None, [Tagging::Internal { tag } | Tagging::Adjacent { tag, .. }]) => {
            Maps::Tagged { tag: (**tag).into() }
        }
        ([Op::Map(_)], Some(entries), []) => Maps::Keys { entries },
        ([] | [_], None, []) | ([], Some(_), []) => Maps::Plain,
        _ => Maps::Whole,
    };
    // A map goes before entries, which take any key.
    if let Maps::Keys { .. } = maps {
        let map = branches.iter().position(|branch| matches!(branch, Op::Map(_)));
        kinds[Kind::Map as usize] = map.map(|index| index as u32);
    }
    (kinds, Names::new(names), maps)
}

/// The kinds of values that can be written at a place, as bits.
fn kinds_of(plan: &Plan, op: Op, above: &mut Vec<u32>) -> u16 {
    let bit = |kind: Kind| 1u16 << kind as u8;
    match op {
        Op::Null => bit(Kind::Null),
        Op::Boolean => bit(Kind::Boolean),
        Op::Int | Op::Long => bit(Kind::Integer),
        Op::Integer => bit(Kind::Integer) | bit(Kind::Number),
        Op::Float | Op::Double => bit(Kind::Float),
        Op::String => bit(Kind::Text),
        // Symbols are text that must be looked up: only variants of text that match are taken.
        Op::Enum(_) => bit(Kind::Text),
        Op::Bytes | Op::Fixed(_) => bit(Kind::Bytes),
        Op::Array(_) | Op::Empties(_) | Op::Tuple(_) => bit(Kind::Seq),
        Op::Map(_) | Op::Entries(_) | Op::Record(_) => bit(Kind::Map),
        Op::Timestamp => bit(Kind::Timestamp),
        Op::Number => bit(Kind::Number),
        Op::Extension(_) => bit(Kind::Extension),
        Op::Maybe(slot) | Op::MaybeLast(slot) => {
            if above.contains(&slot) {
                return 0;
            }
            above.push(slot);
            bit(Kind::Null) | kinds_of(plan, plan.op(slot), above)
        }
        Op::Union(index) => {
            let key = u32::MAX - index;
            if above.contains(&key) {
                return 0;
            }
            above.push(key);
            let branches = &plan.union(index).branches;
            branches.iter().fold(0, |kinds, &branch| kinds | kinds_of(plan, branch, above))
        }
        // A variant is text or a map by its tagging.
        Op::Variant(index) => match plan.variant(index).tagging {
            Tagging::External => 0,
            Tagging::Internal { .. } | Tagging::Adjacent { .. } => bit(Kind::Map),
        },
    }
}
