//! Members of a variant: which it is, and what follows its name.

use manywire_shape::Tagging;
use serde::ser::{Serialize, SerializeStructVariant};

use super::{Members, extra};
use crate::avro::plan::{Maps, Op, Plan, Variant};
use crate::avro::ser::choose::no_branch;
use crate::avro::ser::key::{not_text, with_key};
use crate::avro::ser::whole::Whole;
use crate::avro::ser::{Place, Writer};
use crate::core::error::{Error, Result};

impl<'w, 'p> Members<'w, 'p> {
    /// Takes the branch that the first member names.
    pub(super) fn decide<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        let Members::Open { writer, plan, union: index } = std::mem::replace(self, Members::Gone)
        else {
            return Err(extra(key));
        };
        let union = plan.union(index);
        let Maps::Tagged { tag } = &union.maps else {
            let (branch, variant) = named(plan, index, key)?;
            writer.index(branch);
            value
                .serialize(Place { writer, plan, op: variant.content })
                .map_err(|error| error.under_key(key))?;
            *self = Members::Content { writer, plan, name: "", content: None };
            return Ok(());
        };
        if **tag != *key {
            // The tag may still come: until then there is no telling what this member is.
            *self = Members::Whole(Whole::open(writer, plan, index)?);
            return self.member(key, value);
        }
        let found = with_key(value, |name| named(plan, index, name))
            .and_then(|found| found.ok_or_else(not_text))
            .map_err(|error| error.under_key(key))?;
        let (branch, variant) = found;
        writer.index(branch);
        *self = Members::of_variant(writer, plan, variant)?;
        Ok(())
    }

    /// The members that follow the tag of a variant.
    pub(in crate::avro::ser) fn of_variant(
        writer: &'w mut Writer,
        plan: &'p Plan,
        variant: &'p Variant,
    ) -> Result<Self> {
        Ok(match (&variant.tagging, variant.form) {
            // A unit variant's content is null, which close takes for granted.
            (Tagging::Adjacent { content, .. }, _) => {
                Members::Content { writer, plan, name: content, content: Some(variant.content) }
            }
            _ if variant.content == Op::Null => {
                Members::Content { writer, plan, name: "", content: None }
            }
            _ => Members::open(Place { writer, plan, op: variant.content }, None)?,
        })
    }
}

/// The variant of a name among the branches of a union.
fn named<'p>(plan: &'p Plan, union: u32, name: &str) -> Result<(u32, &'p Variant)> {
    let of = plan.union(union);
    let branch = of.variants.find(name);
    match branch.map(|branch| (branch, of.branches[branch as usize])) {
        Some((branch, Op::Variant(index))) => Ok((branch, plan.variant(index))),
        _ => Err(no_branch(plan, Op::Union(union), &format!("`{name}`"))),
    }
}

/// The fields of a struct variant, and the map around them where variants are keys of a map.
pub(in crate::avro::ser) struct VariantMembers<'w, 'p> {
    pub(in crate::avro::ser) members: Members<'w, 'p>,
    pub(in crate::avro::ser) name: &'static str,
    pub(in crate::avro::ser) in_map: bool,
}

impl SerializeStructVariant for VariantMembers<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        self.members.member(key, value).map_err(|error| error.under_key(self.name))
    }

    fn end(self) -> Result<()> {
        let writer = self.members.close().map_err(|error| error.under_key(self.name))?;
        if self.in_map {
            // The one entry of the map ends together with its value.
            writer.byte(0);
        }
        Ok(())
    }
}
