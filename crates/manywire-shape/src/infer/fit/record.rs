use super::Result;
use super::check::Fit;
use super::faults::{Faults, Gathered};
use crate::{Field, Presence, Record, Value};

/// Which fields of a record were met.
enum Met {
    /// A bit for each field of the first 64: no record that people write has more.
    Few(u64),
    Many(Vec<bool>),
}

impl Met {
    fn new(fields: usize) -> Self {
        if fields <= 64 { Met::Few(0) } else { Met::Many(vec![false; fields]) }
    }

    #[inline]
    fn mark(&mut self, at: usize) {
        match self {
            Met::Few(bits) => *bits |= 1 << at,
            Met::Many(flags) => flags[at] = true,
        }
    }

    fn has(&self, at: usize) -> bool {
        match self {
            Met::Few(bits) => bits & (1 << at) != 0,
            Met::Many(flags) => flags[at],
        }
    }
}

impl Fit<'_> {
    pub(super) fn record(
        self,
        record: &Record,
        entries: &[(Value<'_>, Value<'_>)],
        depth: usize,
    ) -> Result<()> {
        self.tagged_record(record, entries, None, depth)
    }

    /// Tries a record whose map holds one entry more: the tag of the variant it is.
    pub(super) fn tagged_record(
        self,
        record: &Record,
        entries: &[(Value<'_>, Value<'_>)],
        tag: Option<&str>,
        depth: usize,
    ) -> Result<()> {
        let fields = &record.fields;
        let mut met = Met::new(fields.len());
        let mut next = 0;
        let mut gathered = Gathered::default();
        for (key, value) in entries {
            let name = match key {
                Value::Str(name) => *name,
                _ => {
                    let found = super::expected::found(key);
                    gathered.add(self, Faults::new("a key that is text", found))?;
                    continue;
                }
            };
            let node = if let Some(at) = find(fields, next, name) {
                met.mark(at);
                next = at + 1;
                fields[at].node
            } else if tag == Some(name) {
                continue;
            } else if let Some(rest) = record.rest {
                rest
            } else {
                gathered.add(self, unknown(record, name))?;
                continue;
            };
            if let Err(faults) = self.node(node, value, depth + 1) {
                gathered.add(self, faults.under_key(name))?;
            }
        }
        for (at, field) in fields.iter().enumerate() {
            if field.presence == Presence::Required && !met.has(at) {
                gathered.add(self, absent(&field.name))?;
            }
        }
        gathered.end()
    }
}

/// The field of this name, looked for from where it is expected: entries mostly come in order.
#[inline]
fn find(fields: &[Field], next: usize, name: &str) -> Option<usize> {
    if let Some(field) = fields.get(next)
        && field.name == name
    {
        return Some(next);
    }
    let (before, after) = fields.split_at(next);
    let position = |fields: &[Field]| fields.iter().position(|field| field.name == name);
    let found = position(after).map(|at| next + at).or_else(|| position(before));
    found.or_else(|| by_alias(fields, name))
}

#[cold]
fn by_alias(fields: &[Field], name: &str) -> Option<usize> {
    fields.iter().position(|field| field.aliases.iter().any(|alias| alias == name))
}

#[cold]
fn unknown(record: &Record, name: &str) -> Box<Faults> {
    Faults::new(format!("a field of {}", record.name), format!("the key {name:?}"))
}

#[cold]
pub(super) fn absent(name: &str) -> Box<Faults> {
    Faults::new(format!("the field {name:?}"), "none")
}
