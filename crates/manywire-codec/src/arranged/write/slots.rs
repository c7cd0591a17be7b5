//! The entries of a record, and where its fields are among them.

use manywire_shape::{Field, Record, Value};

/// The entries of a value that is a map.
pub(super) type Entries<'v> = &'v [(Value<'v>, Value<'v>)];

/// How the entries of a record stand to the fields of its shape.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Every entry is a field and they stand in the order of the fields, as they do in nearly
    /// every document: no name comes up twice, and nothing has to be searched or compared again.
    Known {
        /// One bit for each field that is there.
        present: u128,
    },
    /// The same of a record with more fields than bits.
    Same,
    /// Anything else: each field is searched.
    Free,
}

/// The entries of a record.
#[derive(Clone, Copy)]
pub(super) struct Slots<'v> {
    entries: Entries<'v>,
    // The name of an entry that is no field.
    tag: Option<&'v str>,
}

impl<'v> Slots<'v> {
    pub(super) fn new(entries: Entries<'v>) -> Self {
        Slots { entries, tag: None }
    }

    /// The fields below a tag.
    pub(super) fn below(self, tag: &'v str) -> Self {
        match self.entries {
            [(Value::Str(first), _), fields @ ..] if *first == tag => Slots::new(fields),
            entries => Slots { entries, tag: Some(tag) },
        }
    }

    /// How the entries stand to the fields.
    pub(super) fn order(&self, record: &Record) -> Order {
        let (mut next, mut present) = (0, 0);
        for (index, field) in record.fields.iter().enumerate() {
            let here = self.next(&mut next, field).is_some();
            present |= u128::from(here).checked_shl(index as u32).unwrap_or(0);
        }
        match next == self.entries.len() {
            true if record.fields.len() <= 128 => Order::Known { present },
            true => Order::Same,
            false => Order::Free,
        }
    }

    /// The next entry, whatever it is.
    #[inline]
    pub(super) fn following(&self, next: &mut usize) -> Option<&'v Value<'v>> {
        let (_, value) = self.entries.get(*next)?;
        *next += 1;
        Some(value)
    }

    /// The next entry, if it is this field.
    #[inline]
    pub(super) fn next(&self, next: &mut usize, field: &Field) -> Option<&'v Value<'v>> {
        match self.entries.get(*next) {
            Some((Value::Str(key), value)) if *key == field.name => {
                *next += 1;
                Some(value)
            }
            _ => None,
        }
    }

    /// The last entry of a name, as JSON readers take it.
    pub(super) fn find(&self, name: &str) -> Option<&'v Value<'v>> {
        let named = |key: &Value<'_>| matches!(key, Value::Str(text) if *text == name);
        self.entries.iter().rev().find(|(key, _)| named(key)).map(|(_, value)| value)
    }

    /// A key that is no field of the record.
    pub(super) fn unknown(&self, record: &Record) -> Option<&'v Value<'v>> {
        let known = |key: &Value<'_>| match key {
            Value::Str(name) => {
                self.tag == Some(*name) || record.fields.iter().any(|field| field.name == *name)
            }
            _ => false,
        };
        self.entries.iter().map(|(key, _)| key).find(|key| !known(key))
    }
}
