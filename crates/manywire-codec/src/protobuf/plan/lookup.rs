//! Finding the field of a number or name, and the value of an enum, where most often they come in
//! the order of the tables.

use std::sync::atomic::Ordering::Relaxed;

use super::{Enum, Field, Form, Message};

impl Message {
    /// The index of the field with this number, which is most often the next.
    #[inline]
    pub(in crate::protobuf) fn numbered(&self, number: u32, next: usize) -> Option<usize> {
        if self.fields.get(next).is_some_and(|field| field.number == number) {
            return Some(next);
        }
        match self.by_number.get(number as usize) {
            Some(&u16::MAX) => None,
            Some(&index) => Some(usize::from(index)),
            None => self.greatly_numbered(number),
        }
    }

    fn greatly_numbered(&self, number: u32) -> Option<usize> {
        let found = self.by_great_number.binary_search_by_key(&number, |entry| entry.0).ok()?;
        Some(usize::from(self.by_great_number[found].1))
    }

    /// The index of the field with this name, which is most often the next.
    #[inline]
    pub(in crate::protobuf) fn named(&self, name: &str, next: usize) -> Option<usize> {
        match self.fields.get(next) {
            Some(field) if is_same(&field.name, name) && next < self.named => Some(next),
            _ => self.named_elsewhere(name),
        }
    }

    #[inline(never)]
    pub(in crate::protobuf) fn named_elsewhere(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).map(|&index| usize::from(index))
    }

    /// Whether a type has just these fields in this order, so that its values can be read without
    /// their names.
    #[inline]
    pub(in crate::protobuf) fn is_positional(&self, names: &'static [&'static str]) -> bool {
        self.is_total
            && names.len() == self.fields.len()
            && (self.static_names.load(Relaxed) == names.as_ptr() as usize
                || self.learn_names(names))
    }

    /// As [`Field::learn`], for all the names of a type.
    #[inline(never)]
    fn learn_names(&self, names: &'static [&'static str]) -> bool {
        let same = self.fields.iter().map(|field| &*field.name).eq(names.iter().copied());
        // An empty list lies nowhere: its address may be that of another.
        if same && !names.is_empty() {
            let address = names.as_ptr() as usize;
            let _ = self.static_names.compare_exchange(0, address, Relaxed, Relaxed);
        }
        same
    }

    /// The fields that have names in the value.
    #[inline]
    pub(in crate::protobuf) fn named_fields(&self) -> &[Field] {
        &self.fields[..self.named]
    }

    /// The index of the map field for entries that are no named field.
    #[inline]
    pub(in crate::protobuf) fn rest(&self) -> Option<usize> {
        match self.form {
            Form::Record { rest } => rest,
            _ => None,
        }
    }
}

impl Enum {
    /// The number of a value, which is most often at this index.
    #[inline]
    pub(in crate::protobuf) fn number_of(&self, name: &str, index: usize) -> Option<i32> {
        match self.values.get(index) {
            Some((known, number)) if **known == *name => Some(*number),
            _ => self.by_name.get(name).map(|&index| self.values[usize::from(index)].1),
        }
    }

    /// The name of a number.
    #[inline]
    pub(in crate::protobuf) fn name_of(&self, number: i32) -> Option<&str> {
        // Numbers most often count up from 1, or from 0.
        let guess = usize::try_from(number).unwrap_or(0);
        [guess.wrapping_sub(1), guess]
            .into_iter()
            .filter_map(|index| self.values.get(index))
            .chain(&self.values)
            .find(|value| value.1 == number)
            .map(|value| &*value.0)
    }
}

impl Field {
    /// Whether a static name is known to be that of this field.
    #[inline]
    pub(in crate::protobuf) fn is_known_as(&self, name: &'static str) -> bool {
        // What lies at a static address stays the same. The length is part of it: a name may be
        // the beginning of another, at the same address.
        self.static_name.load(Relaxed) == name.as_ptr() as usize && name.len() == self.name.len()
    }

    /// Whether a static name is that of this field; if so it is known from now on. The first to
    /// come stays: names that lie in several places must not push each other out, from several
    /// threads.
    pub(in crate::protobuf) fn learn(&self, name: &'static str) -> bool {
        let same = *self.name == *name;
        if same {
            let address = name.as_ptr() as usize;
            let _ = self.static_name.compare_exchange(0, address, Relaxed, Relaxed);
        }
        same
    }

    /// The bytes after the field's tag, if they begin with it, written as we would write it.
    #[inline]
    pub(in crate::protobuf) fn strip_tag<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        match (self.tag_len, bytes) {
            (1, [first, rest @ ..]) if *first == self.tag[0] => Some(rest),
            (2, [first, second, rest @ ..]) if [*first, *second] == self.tag[..2] => Some(rest),
            _ => None,
        }
    }

    /// What an item or entry is.
    #[inline]
    pub(in crate::protobuf) fn item(&self) -> &Field {
        // Every repeated field has one; a field that is not repeated is its own item.
        self.item.as_deref().unwrap_or(self)
    }
}

/// Whether two names are the same. Names are short: comparing their ends as numbers takes fewer
/// instructions than calling memcmp does.
#[inline]
fn is_same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    match left.len() {
        8..=16 => {
            left.first_chunk::<8>() == right.first_chunk::<8>()
                && left.last_chunk::<8>() == right.last_chunk::<8>()
        }
        4..=7 => {
            left.first_chunk::<4>() == right.first_chunk::<4>()
                && left.last_chunk::<4>() == right.last_chunk::<4>()
        }
        2..=3 => {
            left.first_chunk::<2>() == right.first_chunk::<2>()
                && left.last_chunk::<2>() == right.last_chunk::<2>()
        }
        _ => left == right,
    }
}
