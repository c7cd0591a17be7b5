//! Values whose type is known only at run time, from a schema or from samples.
//!
//! ```
//! use manywire::content::dynamic::{Dynamic, Shape, Value};
//! use manywire::content::Type;
//! use manywire::{get, post, Api, Format, Shaped};
//!
//! #[derive(Shaped)]
//! struct Hotel {
//!     id: u64,
//!     name: String,
//! }
//!
//! // From a schema or from samples just as well: no Rust type is asked for again.
//! let hotel = Type::from(Shape::of::<Hotel>());
//!
//! static RITZ: [(Value<'static>, Value<'static>); 2] =
//!     [(Value::Str("id"), Value::I64(7)), (Value::Str("name"), Value::Str("Ritz"))];
//! let find = get("/hotel").returns_shape(hotel.clone());
//! let create = post("/hotels").body_shape(hotel.clone()).returns_shape(hotel);
//! let service = Api::new("Hotels")
//!     .formats([Format::Json, Format::Protobuf])
//!     .serve(find.to(|| async { Dynamic::new(Value::Map(&RITZ)) }))
//!     .serve(create.to(|hotel| async move { hotel }))
//!     .build()?;
//! # Ok::<(), manywire::InvalidApi>(())
//! ```
//!
//! The codecs of an endpoint are compiled from the shape, so its documents have the Protocol
//! Buffers numbers and Avro schemas that a Rust type would have. Such endpoints are for servers
//! only: a client decodes into a Rust type, which has its own shape.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use manywire_codec::{Category, Error, Limits, Result};
use manywire_format::Format;
use manywire_shape::{ValueSeed, Violation};

use super::codecs::{DynamicCodecs, missing_shape};
use super::{Codecs, Content, Decoding, Encode, Encoding, Item, Media, Representation, Type};

pub use manywire_shape::{Arena, Shape, Value};

/// A value that a [`ValueSource`] provides. A handler receives or returns a `Dynamic` if a shape
/// describes the content instead of a Rust type. Cloning only increments a reference count.
#[derive(Clone)]
pub struct Dynamic {
    source: Arc<dyn ValueSource>,
    cache: Option<Arc<EncodedCache>>,
}

/// The provider of the value of a [`Dynamic`]. A [`Value`] borrows its data, so the source builds
/// or borrows the value each time the value is encoded or inspected.
pub trait ValueSource: Send + Sync + 'static {
    /// Returns the value, which lives as long as this source and the arena.
    ///
    /// # Errors
    /// Fails if there is no value. The response then has status 500, and the log has the reason.
    fn value<'a>(&'a self, arena: &'a Arena) -> Result<Value<'a>>;
}

/// A value without borrowed data.
impl ValueSource for Value<'static> {
    fn value<'a>(&'a self, _arena: &'a Arena) -> Result<Value<'a>> {
        Ok(*self)
    }
}

impl Dynamic {
    /// Creates a dynamic value from a source.
    pub fn new(source: impl ValueSource) -> Self {
        Dynamic { source: Arc::new(source), cache: None }
    }

    /// Caches the encoded bytes: each endpoint encodes this value and its later clones once for
    /// each built-in format, and the bytes stay in memory as long as the value or a clone lives.
    /// Use this for values that do not change. Values of a stream are not cached.
    #[must_use]
    pub fn cached(mut self) -> Self {
        self.cache = Some(Arc::default());
        self
    }

    /// Returns the value, which lives as long as this value and the arena.
    ///
    /// # Errors
    /// Fails as the source does.
    pub fn value<'a>(&'a self, arena: &'a Arena) -> Result<Value<'a>> {
        self.source.value(arena)
    }
}

/// Without a declared shape the value may be anything, which no format driven by a shape supports.
impl Content for Dynamic {
    type Value = Dynamic;

    fn media() -> Media {
        Media::Formats(Type::from(Shape::any()))
    }
}

impl Encode for Dynamic {
    fn encode_ref(value: &Dynamic, to: &mut Encoding<'_>) -> Result<Bytes> {
        let encode = || {
            let mut out = Vec::with_capacity(to.capacity_bytes);
            Dynamic::append(value, *to, &mut out)?;
            Ok(Bytes::from(out))
        };
        let codecs = to.codecs.and_then(|codecs| codecs.dynamic());
        match (&value.cache, to.representation, codecs) {
            (Some(cache), Representation::Format(format), Some(codecs)) => {
                cache.get_or(codecs, format, encode)
            }
            _ => encode(),
        }
    }

    fn append(value: &Dynamic, to: Encoding<'_>, out: &mut Vec<u8>) -> Result<()> {
        let codecs = to.codecs.ok_or_else(missing_shape)?;
        let arena = Arena::new();
        let value = value.value(&arena)?;
        match (to.representation, codecs.dynamic()) {
            (Representation::Own(at), _) => codecs.encode_own(at, &value, out),
            (Representation::Format(format), Some(codecs)) => codecs.encode(format, &value, out),
            _ => Err(missing_shape()),
        }
    }
}

impl Item for Dynamic {}

impl fmt::Debug for Dynamic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dynamic")
    }
}

/// The bytes of a body that holds a value of the shape. The body was decoded once for checking, and
/// that result was dropped.
#[derive(Clone)]
struct EncodedBody {
    bytes: Bytes,
    representation: Representation,
    codecs: Arc<Codecs>,
    limits: Limits,
}

impl ValueSource for EncodedBody {
    fn value<'a>(&'a self, arena: &'a Arena) -> Result<Value<'a>> {
        match (self.representation, self.codecs.dynamic()) {
            (Representation::Format(format), Some(codecs)) => {
                codecs.decode(format, &self.bytes, arena, self.limits)
            }
            (Representation::Own(at), _) => {
                let mut seed = ValueSeed::new(arena);
                self.codecs.decode_own_seed(at, &mut seed, &self.bytes, self.limits)
            }
            _ => Err(missing_shape()),
        }
    }
}

impl EncodedBody {
    /// Checks that the body holds a value of the shape, and returns the constraints that the value
    /// violates.
    ///
    /// # Errors
    /// Fails if the bytes are invalid in the format, or if their value does not have the shape.
    fn check(&self, is_constrained: bool) -> std::result::Result<Vec<Violation>, BodyFault> {
        let codecs = self.codecs.dynamic().ok_or_else(missing_shape)?;
        let arena = Arena::new();
        let value = self.value(&arena)?;
        codecs.check(&value).map_err(|misfit| {
            let is_positional = misfit.is_positional;
            let error = Error::new(Category::Data, misfit);
            let error = match self.representation {
                Representation::Format(format) => error.with_format(format),
                _ => error,
            };
            BodyFault { error, is_positional }
        })?;
        Ok(if is_constrained { codecs.violations(&value) } else { Vec::new() })
    }

    /// Returns the same body with its records read from arrays, if it is in MessagePack by name and
    /// no schema lock forbids it.
    fn by_position(&self) -> Option<EncodedBody> {
        let representation = Representation::Format(Format::MsgPackArray);
        let is_by_name = self.representation == Representation::Format(Format::MsgPack);
        let may_be_read = is_by_name && !self.codecs.is_by_name_only();
        may_be_read.then(|| EncodedBody { representation, ..self.clone() })
    }
}

/// The error of a body without a value of the shape.
struct BodyFault {
    error: Error,
    /// True if the body has an array in the place of a record.
    is_positional: bool,
}

impl From<Error> for BodyFault {
    fn from(error: Error) -> BodyFault {
        BodyFault { error, is_positional: false }
    }
}

/// Checks that a body holds a value of the shape, and returns the value with the constraints that
/// the value violates.
///
/// # Errors
/// Fails if the bytes are invalid in the format, or if their value does not have the shape.
pub(crate) fn decode(bytes: Bytes, from: Decoding<'_>) -> Result<(Dynamic, Vec<Violation>)> {
    let (representation, limits) = (from.representation, from.limits);
    let codecs = Arc::clone(from.codecs.ok_or_else(missing_shape)?);
    let body = EncodedBody { bytes, representation, codecs, limits };
    match body.check(from.is_constrained) {
        Ok(violations) => Ok((Dynamic::new(body), violations)),
        Err(fault) => decode_by_position(&body, fault, from.is_constrained),
    }
}

/// Decodes a body in MessagePack whose records are not maps. Both layouts have the same media type,
/// and typed endpoints read both as well, whichever they list.
///
/// # Errors
/// Fails with the error of reading by position if the body has an array in the place of a record,
/// and otherwise with `by_name`, the error of reading by name.
#[cold]
fn decode_by_position(
    body: &EncodedBody,
    by_name: BodyFault,
    is_constrained: bool,
) -> Result<(Dynamic, Vec<Violation>)> {
    let positional = body.by_position().filter(|_| by_name.error.category() == Category::Data);
    let Some(positional) = positional else { return Err(by_name.error) };
    match positional.check(is_constrained) {
        Ok(violations) => Ok((Dynamic::new(positional), violations)),
        Err(fault) if by_name.is_positional => Err(fault.error),
        Err(_) => Err(by_name.error),
    }
}

/// A cache of encoded values. It has few entries: one for each format of each endpoint that returns
/// the value.
#[derive(Default)]
struct EncodedCache(Mutex<Vec<CachedEncoding>>);

struct CachedEncoding {
    /// Endpoints with different shapes encode the value differently.
    codecs: Arc<DynamicCodecs>,
    format: Format,
    bytes: Bytes,
}

impl EncodedCache {
    /// Returns the cached bytes, or encodes them.
    fn get_or(
        &self,
        codecs: &Arc<DynamicCodecs>,
        format: Format,
        encode: impl FnOnce() -> Result<Bytes>,
    ) -> Result<Bytes> {
        if let Some(bytes) = self.get(codecs, format) {
            return Ok(bytes);
        }
        // The lock is not held while a value is encoded, so other formats do not wait. Two
        // concurrent requests may both encode a value; the first result is cached.
        let bytes = encode()?;
        if let Some(first) = self.get(codecs, format) {
            return Ok(first);
        }
        let entry = CachedEncoding { codecs: Arc::clone(codecs), format, bytes: bytes.clone() };
        self.entries().push(entry);
        Ok(bytes)
    }

    fn get(&self, codecs: &Arc<DynamicCodecs>, format: Format) -> Option<Bytes> {
        let entries = self.entries();
        let same =
            |entry: &&CachedEncoding| entry.format == format && Arc::ptr_eq(&entry.codecs, codecs);
        entries.iter().find(same).map(|entry| entry.bytes.clone())
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, Vec<CachedEncoding>> {
        // An entry is pushed as a whole, so a poisoned lock leaves the list valid.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
