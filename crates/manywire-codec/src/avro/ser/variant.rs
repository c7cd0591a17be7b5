//! Variants, where the schema has them and where it has a map of one entry.

use super::{Place, mismatch};
use crate::avro::plan::{Kind, Op};
use crate::core::error::Result;

impl<'w, 'p> Place<'w, 'p> {
    /// The branch of a variant, where the schema has variants here: its index, and the place of
    /// what it carries. The number serde counts variants by is mostly that of the branch.
    #[inline]
    fn variant(&self, name: &str, number: u32) -> Option<(u32, Op)> {
        let Op::Union(index) = self.op else { return None };
        let union = self.plan.union(index);
        let branch = match union.branches.get(number as usize) {
            Some(&Op::Variant(variant)) if *self.plan.variant(variant).name == *name => number,
            _ => union.variants.find(name)?,
        };
        match union.branches[branch as usize] {
            Op::Variant(variant) => Some((branch, self.plan.variant(variant).content)),
            _ => None,
        }
    }

    /// The place of what a variant carries, and whether a map of one entry is open around it.
    #[inline]
    pub(super) fn into_variant(
        self,
        name: &'static str,
        number: u32,
    ) -> Result<(Place<'w, 'p>, bool)> {
        let Some((branch, content)) = self.variant(name, number) else {
            return self.into_entry(name);
        };
        self.writer.index(branch);
        Ok((Place { op: content, ..self }, false))
    }

    /// Looks for a variant behind other unions, or opens a map of one entry, which is what a
    /// variant is where nothing is known.
    #[inline(never)]
    fn into_entry(self, name: &str) -> Result<(Place<'w, 'p>, bool)> {
        let Place { writer, plan, mut op } = self;
        loop {
            op = match op {
                Op::Map(slot) => {
                    writer.len(1);
                    writer.sized(name.as_bytes());
                    return Ok((Place { writer, plan, op: plan.op(slot) }, true));
                }
                Op::Maybe(_) | Op::MaybeLast(_) => writer.descend_one(plan, op),
                Op::Union(_) => {
                    let place = Place { writer: &mut *writer, plan, op };
                    match place.variant(name, 0) {
                        Some((branch, content)) => {
                            writer.index(branch);
                            return Ok((Place { writer, plan, op: content }, false));
                        }
                        None => writer.branch(plan, op, Kind::Map)?,
                    }
                }
                op => return Err(mismatch(op, &format!("variant `{name}`"))),
            }
        }
    }
}
