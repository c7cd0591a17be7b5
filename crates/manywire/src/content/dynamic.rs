//! Values whose type is known only at run time: by a schema that was read, or by samples.
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
//! Every format of an endpoint is compiled from the shape, so that numbers of Protocol Buffers and
//! the schemas of Avro are told by the documents as those of Rust types are. Such endpoints are
//! served and not called: a client has the shape of a type that it decodes into.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use manywire_codec::{Limits, Result};
use manywire_format::Format;
use manywire_shape::ValueSeed;

use super::codecs::{DynamicCodecs, missing_shape};
use super::{Codecs, Content, Decoding, Encode, Encoding, Item, Media, Representation, Type};
use crate::input::{Input, InputDescription, InputReader, Read};
use crate::problem::Fault;

pub use manywire_shape::{Arena, Shape, Value};

/// A value that some [`ValueSource`] has: what a handler returns, or is given, where a shape and no
/// Rust type says what is carried. Cloning it costs a counter.
#[derive(Clone)]
pub struct Dynamic {
    source: Arc<dyn ValueSource>,
    cache: Option<Arc<EncodedCache>>,
}

/// Where the value of a [`Dynamic`] comes from. A [`Value`] borrows what it is made of, so it is
/// made, or only lent, whenever it is to be written or looked at.
pub trait ValueSource: Send + Sync + 'static {
    /// The value, which lives as long as this source and the arena.
    ///
    /// # Errors
    /// Where there is none: the answer is then status 500, and the log says why.
    fn value<'a>(&'a self, arena: &'a Arena) -> Result<Value<'a>>;
}

/// A value that borrows nothing that ends.
impl ValueSource for Value<'static> {
    fn value<'a>(&'a self, _arena: &'a Arena) -> Result<Value<'a>> {
        Ok(*self)
    }
}

impl Dynamic {
    /// The value that a source has.
    pub fn new(source: impl ValueSource) -> Self {
        Dynamic { source: Arc::new(source), cache: None }
    }

    /// The same, and its bytes are kept once they are written: each format is encoded only once,
    /// for this value and all its clones, and takes the memory of its bytes for as long as they
    /// live. For values that do not change.
    #[must_use]
    pub fn cached(mut self) -> Self {
        self.cache = Some(Arc::default());
        self
    }

    /// The value, which lives as long as this and the arena.
    ///
    /// # Errors
    /// What the source says.
    pub fn value<'a>(&'a self, arena: &'a Arena) -> Result<Value<'a>> {
        self.source.value(arena)
    }
}

/// Without a shape it is anything at all: no format that is driven by a shape can hold it.
impl Content for Dynamic {
    type Value = Dynamic;

    fn media() -> Media {
        Media::Formats(Type::from(Shape::any()))
    }
}

impl Encode for Dynamic {
    fn encode_ref(value: &Dynamic, to: &mut Encoding<'_>) -> Result<Bytes> {
        if let (Representation::Own(at), Some(codecs)) = (to.representation, to.codecs) {
            let mut out = Vec::with_capacity(to.capacity_bytes);
            codecs.encode_own(at, &value.value(&Arena::new())?, &mut out)?;
            return Ok(Bytes::from(out));
        }
        let dynamic = to.codecs.and_then(|codecs| codecs.dynamic());
        let (Representation::Format(format), Some(codecs)) = (to.representation, dynamic) else {
            return Err(missing_shape());
        };
        let encode = || {
            let mut out = Vec::with_capacity(to.capacity_bytes);
            codecs.encode(format, &value.value(&Arena::new())?, &mut out)?;
            Ok(Bytes::from(out))
        };
        match &value.cache {
            Some(cache) => cache.get_or(codecs, format, encode),
            None => encode(),
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

/// The body, as a value of a shape that is known at run time.
#[derive(Clone, Debug)]
pub struct DynamicBody(Type);

impl DynamicBody {
    pub(crate) fn new(ty: Type) -> Self {
        DynamicBody(ty)
    }
}

impl Input for DynamicBody {
    type Value = Dynamic;

    fn describe(&self, description: &mut Vec<InputDescription>) {
        description.push(InputDescription::Body(Media::Formats(self.0.clone())));
    }
}

impl Read for DynamicBody {
    fn read(&self, reading: &mut InputReader<'_>) -> Option<Dynamic> {
        let bytes = reading.take_body();
        match decode(bytes.clone(), reading.decoding()) {
            Ok(value) => Some(value),
            Err(error) => reading.note_body(error.category(), vec![Fault::of_body(&error, &bytes)]),
        }
    }
}

/// The bytes of a body, which hold a value of the shape: it was read once, and let go.
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

fn decode(bytes: Bytes, from: Decoding<'_>) -> Result<Dynamic> {
    let (representation, limits) = (from.representation, from.limits);
    let codecs = from.codecs.ok_or_else(missing_shape)?;
    let received = EncodedBody { bytes, representation, codecs: Arc::clone(codecs), limits };
    let arena = Arena::new();
    let checked = codecs.dynamic().ok_or_else(missing_shape)?.check(&received.value(&arena)?);
    checked.map_err(|error| match representation {
        Representation::Format(format) => error.with_format(format),
        _ => error,
    })?;
    drop(arena);
    Ok(Dynamic::new(received))
}

/// What a value was written as. There are few entries: one a format, of each endpoint that
/// answers with the value.
#[derive(Default)]
struct EncodedCache(Mutex<Vec<CachedEncoding>>);

struct CachedEncoding {
    /// Endpoints of different shapes write one value differently.
    codecs: Arc<DynamicCodecs>,
    format: Format,
    bytes: Bytes,
}

impl EncodedCache {
    /// The bytes as they were written first.
    fn get_or(
        &self,
        codecs: &Arc<DynamicCodecs>,
        format: Format,
        encode: impl FnOnce() -> Result<Bytes>,
    ) -> Result<Bytes> {
        if let Some(bytes) = self.get(codecs, format) {
            return Ok(bytes);
        }
        // Nobody waits for a long value to be written in another format; two who ask for the same
        // at once may both write it, and one result is kept.
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
        // An entry is pushed whole or not at all, whatever panicked meanwhile.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for EncodedCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EncodedCache")
    }
}
