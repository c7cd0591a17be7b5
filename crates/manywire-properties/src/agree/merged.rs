//! A message put together, held against the value that the codec read.

use manywire_shape::Value;
use manywire_shape::proto::{Absent, Field, Kind, Schema};

use super::merge::{Message, Place, entry_of, zero};

impl Message<'_> {
    /// The first place where the value is something else, and what stands there in each.
    pub(super) fn difference(&self, value: &Value<'_>, schema: &Schema) -> Option<String> {
        let Value::Map(entries) = value else { return Some(format!(": {value:?} and a message")) };
        let fields = &schema.messages[self.index].fields;
        let mut known = 0;
        for (index, field) in fields.iter().enumerate() {
            let name = Value::Str(&field.name);
            let mut named = entries.iter().filter(|(key, _)| *key == name);
            let (found, twice) = (named.next().map(|entry| &entry.1), named.next());
            if twice.is_some() {
                return Some(format!(".{}: there twice", field.name));
            }
            known += usize::from(found.is_some());
            let differs = match (self.fields.get(&index), found) {
                (Some(place), Some(found)) => place.difference(found, schema),
                (Some(_), None) => Some(String::from(": missing, and there")),
                (None, found) => absent(field, found, schema),
            };
            if let Some(differs) = differs {
                return Some(format!(".{}{differs}", field.name));
            }
        }
        (known != entries.len()).then(|| format!(": {value:?} has fields of no schema"))
    }
}

impl Place<'_> {
    fn difference(&self, value: &Value<'_>, schema: &Schema) -> Option<String> {
        match (self, value) {
            (Place::Scalar(meant), value) => {
                (meant != value).then(|| format!(": {value:?} and {meant:?}"))
            }
            (Place::Message(message), value) => message.difference(value, schema),
            (Place::Items(meant), Value::Array(found)) if meant.len() == found.len() => {
                let mut pairs = meant.iter().zip(*found).enumerate();
                pairs.find_map(|(index, (meant, found))| {
                    let differs = meant.difference(found, schema)?;
                    Some(format!("[{index}]{differs}"))
                })
            }
            // A key that stands twice is kept twice; who asks for it gets the last.
            (Place::Entries(meant), Value::Map(found)) if meant.len() == distinct(found) => {
                meant.iter().find_map(|(key, meant)| {
                    let found = found.iter().rev().find(|(known, _)| known == key);
                    let differs = match found {
                        Some((_, found)) => meant.difference(found, schema),
                        None => Some(String::from(": missing, and there")),
                    };
                    differs.map(|differs| format!("[{key:?}]{differs}"))
                })
            }
            (Place::Items(meant), value) => Some(format!(": {value:?} and {} items", meant.len())),
            (Place::Entries(meant), value) => {
                Some(format!(": {value:?} and {} entries", meant.len()))
            }
            (Place::Spoilt, value) => Some(format!(": {value:?} and a fault")),
        }
    }
}

fn distinct(entries: &[(Value<'_>, Value<'_>)]) -> usize {
    let first = |at: &usize| entries[..*at].iter().all(|(key, _)| *key != entries[*at].0);
    (0..entries.len()).filter(first).count()
}

/// What stands in the value for a field that is not there must be what the schema says.
fn absent(field: &Field, found: Option<&Value<'_>>, schema: &Schema) -> Option<String> {
    let differs = |meant: &str| Some(format!(": {found:?} and {meant}"));
    match (field.absent, found) {
        (Absent::Missing, None) | (Absent::Null, Some(Value::Null)) => None,
        (Absent::Missing, Some(_)) => differs("nothing"),
        (Absent::Null, _) => differs("null"),
        (Absent::Zero, Some(Value::Array([]))) if entry_of(field, schema).is_none() => None,
        (Absent::Zero, Some(Value::Map([]))) if entry_of(field, schema).is_some() => None,
        (Absent::Zero, Some(found)) => match (field.kind, zero(field.kind, schema)) {
            (_, Some(zero)) if zero == *found => None,
            (Kind::Message(index), None) => Message::empty(index).difference(found, schema),
            _ => differs("zero"),
        },
        (Absent::Zero, None) => differs("zero"),
    }
}
