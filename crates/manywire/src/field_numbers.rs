//! The numbers of fields on the wire: assigned by their order, or fixed by a checked-in `.proto`.

#[cfg(feature = "schema-lock")]
use std::collections::BTreeSet;
use std::collections::HashMap;

use manywire_format::Format;
#[cfg(feature = "schema-lock")]
use manywire_schema::lock::{Breaches, Lock, Numbers as SchemaNumbers};
use manywire_shape::ShapeBuilder;
use manywire_shape::proto::{InvalidSchema, Schema};

use crate::content::own::AnyFormat;
use crate::content::{Media, Type, TypeKey};
use crate::endpoint::Route;
use crate::input::Described;
use crate::problem::Problem;

/// The formats whose readers know a field by its number or by its place: what moves is mistaken
/// for something else.
pub(crate) const NUMBERED_FORMATS: [Format; 3] =
    [Format::Protobuf, Format::MsgPackArray, Format::Avro];

/// The formats that go by place alone: fields of Protocol Buffers may stand in any order.
#[cfg(feature = "schema-lock")]
const POSITIONAL_FORMATS: [Format; 2] = [Format::MsgPackArray, Format::Avro];

/// Those of some formats that parts of forms may be in.
///
/// Parts have no numbers that were promised. Where an API keeps to some, they are in no format that
/// goes by them: a number that moved would be mistaken for another.
#[cfg(feature = "multipart")]
pub(crate) fn multipart_formats(formats: &[AnyFormat], is_locked: bool) -> Vec<AnyFormat> {
    let is_numbered =
        |format: &AnyFormat| format.built_in().is_some_and(|it| NUMBERED_FORMATS.contains(&it));
    formats.iter().filter(|format| !is_locked || !is_numbered(format)).copied().collect()
}

/// The numbers of all types of an API.
#[derive(Debug, Default)]
pub(crate) struct FieldNumbers(Option<Messages>);

impl FieldNumbers {
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
    ) -> Result<FieldNumbers, Vec<String>> {
        let lock = read(text)?;
        let types = types_in(&NUMBERED_FORMATS, routes, formats);
        let messages = FieldNumbers::for_types(&lock, &types)?;
        messages.check_positions(&lock, &types_in(&POSITIONAL_FORMATS, routes, formats))?;
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
    /// As [`FieldNumbers::locked`].
    #[cfg(feature = "schema-lock")]
    pub(crate) fn locked_type(
        text: &str,
        ty: &Type,
        formats: &[AnyFormat],
    ) -> Result<FieldNumbers, Vec<String>> {
        let (lock, types) = (read(text)?, std::slice::from_ref(ty));
        let messages = FieldNumbers::for_types(&lock, types)?;
        if POSITIONAL_FORMATS.iter().any(|format| formats.contains(&(*format).into())) {
            messages.check_positions(&lock, types)?;
        }
        Ok(messages)
    }

    /// Whether the fields of these types stand where they were promised to stand.
    #[cfg(feature = "schema-lock")]
    fn check_positions(&self, lock: &Lock, types: &[Type]) -> Result<(), Vec<String>> {
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
    pub(crate) fn for_type(text: &str, ty: &Type) -> Result<FieldNumbers, Vec<String>> {
        FieldNumbers::for_types(&read(text)?, std::slice::from_ref(ty))
    }

    #[cfg(feature = "schema-lock")]
    fn for_types(lock: &Lock, types: &[Type]) -> Result<FieldNumbers, Vec<String>> {
        let messages = Messages::new(types).map_err(|error| vec![error.to_string()])?;
        let locked = lock.apply(messages.all(), SchemaNumbers::Declared).map_err(faults)?;
        Ok(FieldNumbers(Some(messages.with(locked))))
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

/// The Protocol Buffers messages of several types, in one schema.
#[derive(Clone, Debug)]
pub(crate) struct Messages {
    schema: Schema,
    of_type: HashMap<TypeKey, usize>,
}

impl Messages {
    /// The messages of these types.
    ///
    /// # Errors
    /// A type that Protocol Buffers cannot hold.
    pub(crate) fn new(types: &[Type]) -> Result<Messages, InvalidSchema> {
        let mut builder = ShapeBuilder::default();
        let mut names = Vec::new();
        let mut roots = Vec::new();
        for ty in types {
            if !names.contains(&ty.key()) {
                names.push(ty.key());
                roots.push(ty.node(&mut builder));
            }
        }
        let Some(first) = roots.first().copied() else {
            let schema = Schema { messages: Vec::new(), enums: Vec::new(), root: 0 };
            return Ok(Messages { schema, of_type: HashMap::new() });
        };
        let (schema, indexes) = Schema::from_roots(&builder.finish(first), &roots)?;
        Ok(Messages { schema, of_type: names.into_iter().zip(indexes).collect() })
    }

    /// All of them.
    #[cfg(feature = "schema-lock")]
    pub(crate) fn all(&self) -> &Schema {
        &self.schema
    }

    /// The same messages with other numbers.
    #[cfg(feature = "schema-lock")]
    pub(crate) fn with(self, schema: Schema) -> Messages {
        Messages { schema, of_type: self.of_type }
    }

    /// What a type needs of them.
    pub(crate) fn schema(&self, ty: &Type) -> Option<Schema> {
        Some(self.schema.rooted_at(*self.of_type.get(&ty.key())?))
    }

    /// The message that a type is, in the `.proto`.
    pub(crate) fn name(&self, ty: &Type) -> Option<&str> {
        let message = self.schema.messages.get(*self.of_type.get(&ty.key())?)?;
        Some(&message.name)
    }

    /// The `.proto`.
    pub(crate) fn text(&self) -> String {
        self.schema.to_proto("")
    }
}

/// The types that some endpoint carries in one of these formats, and problems where they are
/// written in one.
pub(crate) fn types_in(any: &[Format], routes: &[Route], formats: &[AnyFormat]) -> Vec<Type> {
    let is_one = |format: &AnyFormat| format.built_in().is_some_and(|it| any.contains(&it));
    let has_any = |formats: &[AnyFormat]| formats.iter().any(is_one);
    let speaks = |route: &&Route| has_any(route.head.formats.as_deref().unwrap_or(formats));
    let mut types: Vec<Type> =
        routes.iter().filter(speaks).flat_map(content).filter_map(in_formats).collect();
    if has_any(formats) || routes.iter().any(|route| speaks(&route)) {
        types.push(Type::of::<Problem>());
    }
    types
}

/// An endpoint's content: what it takes, and what it returns.
pub(crate) fn content(route: &Route) -> impl Iterator<Item = &Media> {
    let body = route.inputs.iter().filter_map(|input| match input {
        Described::Body(media) => Some(media),
        Described::Parameter { .. } => None,
    });
    body.chain([&route.returns])
}

/// The type of content that has one.
pub(crate) fn typed(media: &Media) -> Option<Type> {
    match media {
        Media::Formats(ty) | Media::Items(ty) | Media::Form(ty) => Some(ty.clone()),
        _ => None,
    }
}

/// The type of content that is in the formats of its endpoint.
fn in_formats(media: &Media) -> Option<Type> {
    typed(media).filter(|ty| !matches!(media, Media::Form(_)) && !ty.is_shapeless())
}
