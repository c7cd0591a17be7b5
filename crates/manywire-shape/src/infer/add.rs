use super::entries::Entries;
use super::kind::Kind;
use super::place::Place;
use super::{DEPTH_MAX, Room};
use crate::Value;

impl Place {
    /// Counts a value and everything in it.
    #[inline]
    pub(super) fn add(&mut self, value: &Value<'_>, depth: usize, room: &mut Room) {
        match value {
            Value::Array(items) => self.add_array(items, depth, room),
            Value::Map(entries) => self.add_map(entries, depth, room),
            scalar => self.add_scalar(scalar, room.sample),
        }
    }

    fn add_array(&mut self, items: &[Value<'_>], depth: usize, room: &mut Room) {
        if self.counts.bump(Kind::Array) {
            self.keep_example(Kind::Array, room.sample, &Value::Array(items));
        }
        self.counts.items.count(items.len());
        if items.is_empty() {
            return;
        }
        if self.item.is_none() && depth < DEPTH_MAX && room.take() {
            self.item = Some(Box::default());
        }
        match &mut self.item {
            Some(place) => {
                for item in items {
                    place.add(item, depth + 1, room);
                }
            }
            None => self.counts.unknown = true,
        }
    }

    fn add_map(&mut self, entries: &[(Value<'_>, Value<'_>)], depth: usize, room: &mut Room) {
        if self.counts.bump(Kind::Map) {
            self.keep_example(Kind::Map, room.sample, &Value::Map(entries));
        }
        let ordinal = self.counts.of(Kind::Map);
        if self.entries.is_none() && depth < DEPTH_MAX && room.take() {
            self.entries = Some(Box::default());
        }
        match &mut self.entries {
            Some(known) => known.add(entries, ordinal, depth + 1, room),
            None => self.counts.unknown = true,
        }
    }
}

impl Entries {
    /// Counts the entries of the object with this ordinal.
    fn add(
        &mut self,
        entries: &[(Value<'_>, Value<'_>)],
        ordinal: u64,
        depth: usize,
        room: &mut Room,
    ) {
        self.widest = self.widest.max(entries.len());
        let mut cursor = self.object(ordinal);
        for (key, value) in entries {
            if let Value::Str(text) = key
                && let Some(place) = self.place(&mut cursor, text, room)
            {
                place.add(value, depth, room);
            } else {
                self.add_to_map(key, value, depth, room);
            }
        }
    }

    /// Counts an entry whose key is no field's name.
    #[inline(never)]
    fn add_to_map(&mut self, key: &Value<'_>, value: &Value<'_>, depth: usize, room: &mut Room) {
        let open = match &mut self.open {
            Some(open) => open,
            None => self.open(room),
        };
        open.non_text |= !matches!(key, Value::Str(_));
        open.keys.add(key, depth, room);
        open.values.add(value, depth, room);
    }
}
