use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use manywire_codec::Result;
use manywire_format::Format;
use manywire_shape::{Shape, Shaped};
use serde::Serialize;

use super::dynamic::Dynamic;
use super::framing::Framing;
use super::{Answer, Codecs, Content, Encoding, Media, Representation, Type};
use crate::problem::Problem;
use crate::server::{Body, BodyError};

/// Many values of one type, one after the other: what an endpoint returns that streams.
///
/// ```
/// use manywire::content::Items;
/// use manywire::{get, Api};
///
/// let count = get("/count").returns::<Items<u32>>();
/// let service = Api::new("Count")
///     .serve(count.to(|| async { Items::from_values(1..=3) }))
///     .build()?;
/// # Ok::<(), manywire::InvalidApi>(())
/// ```
///
/// A client has them, by `Accept`, as `application/x-ndjson`, as one array in `application/json`,
/// as `text/event-stream`, as `application/cbor-seq`, as MessagePack values one behind the other,
/// or as `application/protobuf;delimited=true`: whatever of it the formats of the API allow. No
/// more than 16 values are taken ahead of what a client has read.
///
/// A stream that fails ends with an `error` event in `text/event-stream`; everywhere else the
/// connection (in HTTP/2 the stream) is broken off, so that nobody takes it for complete.
pub struct Items<T> {
    values: Pin<Box<dyn Stream<Item = std::result::Result<T, Problem>> + Send>>,
}

impl<T: Send + 'static> Items<T> {
    /// The values of a stream that cannot fail.
    pub fn new(values: impl Stream<Item = T> + Send + 'static) -> Self {
        Items { values: Box::pin(Sure(Box::pin(values))) }
    }

    /// The values of a stream up to its first failure.
    pub fn fallible(
        values: impl Stream<Item = std::result::Result<T, Problem>> + Send + 'static,
    ) -> Self {
        Items { values: Box::pin(values) }
    }

    /// The values of an iterator, each made when it is its turn.
    pub fn from_values<I>(values: I) -> Self
    where
        I: IntoIterator<Item = T>,
        I::IntoIter: Send + 'static,
    {
        Items { values: Box::pin(Iterated(Box::new(values.into_iter()))) }
    }
}

/// A stream that cannot fail, as one that might.
struct Sure<S>(Pin<Box<S>>);

impl<S: Stream> Stream for Sure<S> {
    type Item = std::result::Result<S::Item, Problem>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context).map(|value| value.map(Ok))
    }
}

struct Iterated<T>(Box<dyn Iterator<Item = T> + Send>);

impl<T> Stream for Iterated<T> {
    type Item = std::result::Result<T, Problem>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.next().map(Ok))
    }
}

impl<T: Shaped + Send + 'static> Content for Items<T> {
    type Value = Items<T>;

    fn media() -> Media {
        Media::Items(Type::of::<T>())
    }
}

impl<T: Serialize + Shaped + Send + 'static> Answer for Items<T> {
    fn answer(value: Items<T>, to: &mut Encoding<'_>) -> Result<Body> {
        Ok(value.written(to, Codecs::encode::<T>))
    }
}

/// Without a shape they are anything at all.
impl Content for Items<Dynamic> {
    type Value = Items<Dynamic>;

    fn media() -> Media {
        Media::Items(Type::from(Shape::any()))
    }
}

impl Answer for Items<Dynamic> {
    fn answer(value: Items<Dynamic>, to: &mut Encoding<'_>) -> Result<Body> {
        Ok(value.written(to, Codecs::encode_dynamic))
    }
}

impl<T: 'static> Items<T> {
    /// The values as a body, each written by `encode`.
    fn written(self, to: &Encoding<'_>, encode: Encoder<T>) -> Body {
        let Representation::Items(framing) = to.representation else { return Body::default() };
        let (values, codecs) = (self.values, to.codecs.cloned());
        Body::stream(Written { values, codecs, framing, state: State::Begun, encode })
    }
}

/// Writes one value in a format.
type Encoder<T> = fn(&Codecs, Format, &T, &mut Vec<u8>) -> Result<()>;

/// How many values are taken before what is written of them is handed on.
const VALUES_MAX: usize = 16;

/// Enough bytes to be worth handing on, however few the values.
const CHUNK_BYTES: usize = 16 << 10;

/// A stream of values as a stream of bytes.
struct Written<T> {
    values: Pin<Box<dyn Stream<Item = std::result::Result<T, Problem>> + Send>>,
    codecs: Option<Arc<Codecs>>,
    framing: Framing,
    state: State,
    encode: Encoder<T>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No value was written yet.
    Begun,
    /// There were some.
    Within,
    /// There are no more; what is left is to say how it ended.
    Failed,
    Ended,
}

impl<T> Written<T> {
    fn write(&mut self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        let is_first = self.state == State::Begun;
        self.state = State::Within;
        let (codecs, write) = (self.codecs.as_deref(), self.encode);
        let encode = |out: &mut Vec<u8>| match codecs {
            Some(codecs) => write(codecs, self.framing.format(), value, out),
            None => Ok(()),
        };
        let start = out.len();
        self.framing.write(is_first, encode, out).inspect_err(|_| out.truncate(start))
    }

    /// Ends with a failure: in words where the framing has a place for them.
    #[cold]
    fn fail(&mut self, problem: &Problem, out: &mut Vec<u8>) {
        self.state = match self.framing.failure(problem, out) {
            true => State::Ended,
            false => State::Failed,
        };
    }
}

impl<T> Stream for Written<T> {
    type Item = std::result::Result<Bytes, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let mut out = Vec::new();
        let mut values = 0;
        loop {
            match this.state {
                State::Ended if out.is_empty() => return Poll::Ready(None),
                State::Failed if out.is_empty() => {
                    this.state = State::Ended;
                    return Poll::Ready(Some(Err(BodyError::new("the stream failed"))));
                }
                // What was written before goes out first.
                State::Ended | State::Failed => return Poll::Ready(Some(Ok(out.into()))),
                State::Begun | State::Within => {}
            }
            if values == VALUES_MAX || out.len() >= CHUNK_BYTES {
                return Poll::Ready(Some(Ok(out.into())));
            }
            match this.values.as_mut().poll_next(context) {
                Poll::Pending if out.is_empty() => return Poll::Pending,
                Poll::Pending => return Poll::Ready(Some(Ok(out.into()))),
                Poll::Ready(None) => {
                    this.framing.end(this.state == State::Begun, &mut out);
                    this.state = State::Ended;
                }
                Poll::Ready(Some(Err(problem))) => this.fail(&problem, &mut out),
                Poll::Ready(Some(Ok(value))) => {
                    values += 1;
                    if let Err(error) = this.write(&value, &mut out) {
                        this.fail(&Problem::internal(error), &mut out);
                    }
                }
            }
        }
    }
}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Items")
    }
}
