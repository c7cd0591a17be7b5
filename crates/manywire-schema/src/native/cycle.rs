//! Which types hold themselves within their own bytes: what Rust puts into a `Box`.

use super::layout::{Content, Declaration, Kind, Layout, Type};

/// The declarations, each with the number of the group that it reaches and that reaches it.
pub(super) struct Cycles {
    group: Vec<usize>,
    in_itself: Vec<bool>,
}

impl Cycles {
    /// Groups by Kosaraju's algorithm, with stacks of its own: types may form a long chain.
    pub(super) fn new(layout: &Layout) -> Cycles {
        let parts: Vec<Vec<usize>> = layout.declarations.iter().map(held).collect();
        let mut holders = vec![Vec::new(); parts.len()];
        for (index, held) in parts.iter().enumerate() {
            held.iter().for_each(|part| holders[*part].push(index));
        }
        let mut group = vec![usize::MAX; parts.len()];
        let mut groups = 0;
        for root in finished(&parts).into_iter().rev() {
            let mut waiting = vec![root];
            while let Some(index) = waiting.pop() {
                if group[index] == usize::MAX {
                    group[index] = groups;
                    waiting.extend(&holders[index]);
                }
            }
            groups += 1;
        }
        let mut size = vec![0; groups];
        group.iter().for_each(|number| size[*number] += 1);
        let alone = |index: usize| size[group[index]] == 1 && !parts[index].contains(&index);
        let in_itself = (0..parts.len()).map(|index| !alone(index)).collect();
        Cycles { group, in_itself }
    }

    /// True if a place of one declaration that holds another needs a level between.
    pub(super) fn needs_box(&self, holder: usize, held: usize) -> bool {
        self.group[holder] == self.group[held] && self.in_itself[held]
    }
}

/// The declarations in the order in which all they hold has been seen.
fn finished(parts: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; parts.len()];
    let mut order = Vec::new();
    for root in 0..parts.len() {
        let mut path = vec![(root, 0)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some((index, next)) = path.last_mut() {
            match parts[*index].get(*next) {
                Some(part) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[*part], true) {
                        path.push((*part, 0));
                    }
                }
                None => {
                    order.push(*index);
                    path.pop();
                }
            }
        }
    }
    order
}

/// The declarations whose values stand within the bytes of this one's.
fn held(declaration: &Declaration) -> Vec<usize> {
    let mut held = Vec::new();
    match &declaration.kind {
        Kind::Record(members) => members.fields.iter().for_each(|it| within(&it.ty, &mut held)),
        Kind::Symbols(_) => {}
        Kind::Sum(_, alternatives) => {
            for alternative in alternatives {
                match &alternative.content {
                    Content::Nothing => {}
                    Content::One(ty) => within(ty, &mut held),
                    Content::Several(types) => types.iter().for_each(|ty| within(ty, &mut held)),
                }
            }
        }
        Kind::Union(branches) => branches.iter().for_each(|(_, ty)| within(ty, &mut held)),
        Kind::Tuple(types) => types.iter().for_each(|ty| within(ty, &mut held)),
        Kind::Alias(ty) => within(ty, &mut held),
    }
    held
}

fn within(ty: &Type, held: &mut Vec<usize>) {
    match ty {
        Type::Named(index) => held.push(*index),
        // A fixed array of up to 32 items stands in place, and is written as one.
        Type::Option(inner) | Type::Array(inner, Some(_)) => within(inner, held),
        Type::Tuple(types) | Type::Union(types) => types.iter().for_each(|ty| within(ty, held)),
        _ => {}
    }
}
