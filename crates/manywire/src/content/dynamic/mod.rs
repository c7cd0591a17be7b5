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

mod body;
mod codecs;
mod kept;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use manywire_codec::Result;
pub use manywire_shape::{Arena, Shape, Value};

use super::{Content, Encode, Encoding, Item, Media, Representation, Type};
pub use body::DynamicBody;
pub(super) use codecs::DynamicCodecs;
#[cfg(feature = "multipart")]
pub(super) use codecs::misfit;
use kept::Kept;

/// A value that some [`Source`] has: what a handler returns, or is given, where a shape and no
/// Rust type says what is carried. Cloning it costs a counter.
#[derive(Clone)]
pub struct Dynamic {
    source: Arc<dyn Source>,
    kept: Option<Arc<Kept>>,
}

/// Where the value of a [`Dynamic`] comes from. A [`Value`] borrows what it is made of, so it is
/// made, or only lent, whenever it is to be written or looked at.
pub trait Source: Send + Sync + 'static {
    /// The value, which lives as long as this source and the arena.
    ///
    /// # Errors
    /// Where there is none: the answer is then status 500, and the log says why.
    fn value<'a>(&'a self, arena: &'a Arena) -> Result<Value<'a>>;
}

/// A value that borrows nothing that ends.
impl Source for Value<'static> {
    fn value<'a>(&'a self, _arena: &'a Arena) -> Result<Value<'a>> {
        Ok(*self)
    }
}

impl Dynamic {
    /// The value that a source has.
    pub fn new(source: impl Source) -> Self {
        Dynamic { source: Arc::new(source), kept: None }
    }

    /// The same, and its bytes are kept once they are written: each format is encoded only once,
    /// for this value and all its clones, and takes the memory of its bytes for as long as they
    /// live. For values that do not change.
    #[must_use]
    pub fn kept(mut self) -> Self {
        self.kept = Some(Arc::default());
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
            return Err(codecs::no_shape());
        };
        let encode = || {
            let mut out = Vec::with_capacity(to.capacity_bytes);
            codecs.encode(format, &value.value(&Arena::new())?, &mut out)?;
            Ok(Bytes::from(out))
        };
        match &value.kept {
            Some(kept) => kept.get_or(codecs, format, encode),
            None => encode(),
        }
    }

    fn append(value: &Dynamic, to: Encoding<'_>, out: &mut Vec<u8>) -> Result<()> {
        let codecs = to.codecs.ok_or_else(codecs::no_shape)?;
        let arena = Arena::new();
        let value = value.value(&arena)?;
        match (to.representation, codecs.dynamic()) {
            (Representation::Own(at), _) => codecs.encode_own(at, &value, out),
            (Representation::Format(format), Some(codecs)) => codecs.encode(format, &value, out),
            _ => Err(codecs::no_shape()),
        }
    }
}

impl Item for Dynamic {}

impl fmt::Debug for Dynamic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dynamic")
    }
}
