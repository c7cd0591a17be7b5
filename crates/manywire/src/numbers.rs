//! Which numbers the fields of an API's types have on the wire: those that their order gives them,
//! or those that a `.proto` promised once.

#[cfg(feature = "schema-lock")]
use std::collections::BTreeSet;

use manywire_format::Format;
#[cfg(feature = "schema-lock")]
use manywire_schema::lock::{Breaches, Lock, Numbers as Asked};
use manywire_shape::proto::Schema;

use crate::content::Type;
#[cfg(any(feature = "schema-lock", feature = "multipart"))]
use crate::content::own::AnyFormat;
#[cfg(feature = "schema-lock")]
use crate::endpoint::Route;
use crate::openapi::Messages;
#[cfg(feature = "schema-lock")]
use crate::openapi::types_in;

/// The formats whose readers know a field by its number or by its place: what moves is mistaken
/// for something else.
pub(crate) const NUMBERED: [Format; 3] = [Format::Protobuf, Format::MsgPackArray, Format::Avro];

/// The formats that go by place alone: fields of Protocol Buffers may stand in any order.
#[cfg(feature = "schema-lock")]
const PLACED: [Format; 2] = [Format::MsgPackArray, Format::Avro];

/// Those of some formats that parts of forms may be in.
///
/// Parts have no numbers that were promised. Where an API keeps to some, they are in no format that
/// goes by them: a number that moved would be mistaken for another.
#[cfg(feature = "multipart")]
pub(crate) fn of_parts(formats: &[AnyFormat], is_locked: bool) -> Vec<AnyFormat> {
    let is_numbered =
        |format: &AnyFormat| format.built_in().is_some_and(|it| NUMBERED.contains(&it));
    formats.iter().filter(|format| !is_locked || !is_numbered(format)).copied().collect()
}

/// The numbers of all types of an API.
#[derive(Debug, Default)]
pub(crate) struct Numbers(Option<Messages>);

impl Numbers {
    /// The messages that are locked.
    pub(crate) fn messages(&self) -> Option<&Messages> {
        self.0.as_ref()
    }

    /// The schema of a type with the numbers that were promised; nothing where none were.
    pub(crate) fn schema(&self, ty: &Type) -> Option<Schema> {
        self.0.as_ref()?.schema(ty)
    }

    /// The numbers that the text of a `.proto` promises to the readers of an API.
    ///
    /// # Errors
    /// In words: each promise that would be broken, and what to do; a text that is no `.proto`.
    #[cfg(feature = "schema-lock")]
    pub(crate) fn locked(
        text: &str,
        routes: &[Route],
        formats: &[AnyFormat],
    ) -> Result<Numbers, Vec<String>> {
        let lock = read(text)?;
        let types = types_in(&NUMBERED, routes, formats);
        let messages = Numbers::of_types(&lock, &types)?;
        messages.check_places(&lock, &types_in(&PLACED, routes, formats))?;
        let new = messages.messages().map(|messages| lock.lacks(messages.all()));
        if let Some(new) = new.filter(|new| !new.is_empty()) {
            tracing::warn!(
                new = new.join(", "),
                "the schema lock is older than the API: write its new .proto down, lest these move"
            );
        }
        Ok(messages)
    }

    /// The same for a single type that is carried in these formats.
    ///
    /// # Errors
    /// As [`Numbers::locked`].
    #[cfg(feature = "schema-lock")]
    pub(crate) fn locked_type(
        text: &str,
        ty: &Type,
        formats: &[AnyFormat],
    ) -> Result<Numbers, Vec<String>> {
        let (lock, types) = (read(text)?, std::slice::from_ref(ty));
        let messages = Numbers::of_types(&lock, types)?;
        if PLACED.iter().any(|format| formats.contains(&(*format).into())) {
            messages.check_places(&lock, types)?;
        }
        Ok(messages)
    }

    /// Whether the fields of these types stand where they were promised to stand.
    #[cfg(feature = "schema-lock")]
    fn check_places(&self, lock: &Lock, types: &[Type]) -> Result<(), Vec<String>> {
        let mut moved = BTreeSet::new();
        for ty in types {
            let schema = self.schema(ty);
            if let Some(Err(breaches)) = schema.map(|schema| lock.check_places(&schema)) {
                moved.extend(faults(breaches));
            }
        }
        if moved.is_empty() { Ok(()) } else { Err(moved.into_iter().collect()) }
    }

    /// The same where no more is known than that: what a client calls with.
    #[cfg(all(feature = "schema-lock", feature = "client"))]
    pub(crate) fn of_type(text: &str, ty: &Type) -> Result<Numbers, Vec<String>> {
        Numbers::of_types(&read(text)?, std::slice::from_ref(ty))
    }

    #[cfg(feature = "schema-lock")]
    fn of_types(lock: &Lock, types: &[Type]) -> Result<Numbers, Vec<String>> {
        let messages = Messages::new(types).map_err(|error| vec![error.to_string()])?;
        let locked = lock.apply(messages.all(), Asked::Declared).map_err(faults)?;
        Ok(Numbers(Some(messages.with(locked))))
    }
}

#[cfg(feature = "schema-lock")]
fn read(text: &str) -> Result<Lock, Vec<String>> {
    Lock::read("schema_lock", text).map_err(|error| vec![error.to_string()])
}

/// Each breach by itself.
#[cfg(feature = "schema-lock")]
#[cold]
fn faults(breaches: Breaches) -> Vec<String> {
    breaches.0.iter().map(|breach| format!("schema lock: {breach}")).collect()
}
