//! Finds the types that contain themselves inline, which need indirection: a `Box` in Rust, a
//! pointer in Go.

use super::layout::{Declaration, Layout, Type};

/// The strongly connected components of the declarations.
pub(super) struct Cycles {
    group: Vec<usize>,
    is_recursive: Vec<bool>,
}

impl Cycles {
    /// Finds the components by Kosaraju's algorithm, with explicit stacks: types may form a long
    /// chain.
    pub(super) fn new(layout: &Layout) -> Cycles {
        let parts: Vec<Vec<usize>> = layout.declarations.iter().map(contained_in).collect();
        let mut holders = vec![Vec::new(); parts.len()];
        for (index, contained) in parts.iter().enumerate() {
            contained.iter().for_each(|part| holders[*part].push(index));
        }
        let mut group = vec![usize::MAX; parts.len()];
        let mut groups = 0;
        for root in postorder(&parts).into_iter().rev() {
            let mut pending = vec![root];
            while let Some(index) = pending.pop() {
                if group[index] == usize::MAX {
                    group[index] = groups;
                    pending.extend(&holders[index]);
                }
            }
            groups += 1;
        }
        let mut size = vec![0; groups];
        group.iter().for_each(|number| size[*number] += 1);
        let alone = |index: usize| size[group[index]] == 1 && !parts[index].contains(&index);
        let is_recursive = (0..parts.len()).map(|index| !alone(index)).collect();
        Cycles { group, is_recursive }
    }

    /// Returns whether a field of `holder` with the type `content` needs indirection.
    pub(super) fn needs_box(&self, holder: usize, content: usize) -> bool {
        self.group[holder] == self.group[content] && self.is_recursive[content]
    }
}

/// Returns the declarations in postorder of a depth-first search.
fn postorder(parts: &[Vec<usize>]) -> Vec<usize> {
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

/// Returns the declarations whose values are stored inline in this one.
fn contained_in(declaration: &Declaration) -> Vec<usize> {
    let mut contained = Vec::new();
    declaration.kind.parts().into_iter().for_each(|ty| add_inline(ty, &mut contained));
    contained
}

fn add_inline(ty: &Type, contained: &mut Vec<usize>) {
    match ty {
        Type::Named(index) => contained.push(*index),
        // Arrays with a fixed length are stored inline.
        Type::Option(inner) | Type::Array(inner, Some(_)) => add_inline(inner, contained),
        Type::Tuple(types) | Type::Union(types) => {
            types.iter().for_each(|ty| add_inline(ty, contained))
        }
        _ => {}
    }
}
