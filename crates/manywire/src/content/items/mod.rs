mod read;
mod write;

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;
use manywire_codec::{Category, Error, Result};
use manywire_shape::Shaped;

use super::{
    Answer, AnyFraming, Codecs, Content, Decode, Decoding, Encode, Encoding, Media, Receive,
    Received, Representation,
};
use crate::problem::Problem;
use crate::server::Body;
use read::Arrived;
use write::{Encoder, Written};

/// Many values of one type, one after the other: what an endpoint returns that streams, and what
/// one takes that reads a body as it comes.
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
/// or as `application/protobuf;delimited=true`: whatever of it the formats of the API allow, and
/// formats of one's own that have a sequence. No more than 16 values are taken ahead of what a
/// client has read.
///
/// A stream that fails ends with an `error` event in `text/event-stream`; everywhere else the
/// connection (in HTTP/2 the stream) is broken off, so that nobody takes it for complete.
///
/// As a body it is read in the same framings, but for events, by `Content-Type`:
///
/// ```
/// use manywire::content::Items;
/// use manywire::{post, Api, Problem};
///
/// let sum = post("/sum").body::<Items<u32>>().returns::<u64>();
/// let echo = post("/echo").body::<Items<u32>>().returns::<Items<u32>>();
/// let service = Api::new("Numbers")
///     .serve(sum.to(|mut numbers| async move {
///         let mut sum = 0;
///         while let Some(number) = numbers.next().await {
///             sum += u64::from(number?);
///         }
///         Ok::<_, Problem>(sum)
///     }))
///     .serve(echo.to(|numbers| async move { numbers }))
///     .build()?;
/// # Ok::<(), manywire::InvalidApi>(())
/// ```
///
/// Bytes are taken when a value is asked for, so whoever sends faster than they are read has to
/// wait, and a million values take the memory of one. Each value may be as large as
/// [`Limits::body_bytes`](crate::Limits::body_bytes); their number is not limited. What is wrong
/// with one is a [`Problem`] that says which it is (`$[17].name`) and where, and the last of the
/// stream; so is a body that breaks off, or pauses longer than
/// [`Limits::body_idle_timeout`](crate::Limits::body_idle_timeout).
///
/// Content codings go either way: what is written is on its way as soon as no further value is at
/// hand, and what is read is decoded as it comes, a client's within the limits of ratio and time
/// that every body has.
pub struct Items<T> {
    /// Made when the first is asked for.
    values: Option<Values<T>>,
    again: Option<Box<Again<T>>>,
}

/// Makes the values anew.
type Again<T> = dyn FnMut() -> Items<T> + Send;

/// The values up to the first failure.
type Values<T> = Pin<Box<dyn Stream<Item = std::result::Result<T, Problem>> + Send>>;

impl<T: Send + 'static> Items<T> {
    /// The values of a stream that cannot fail.
    pub fn new(values: impl Stream<Item = T> + Send + 'static) -> Self {
        Items::of(Box::pin(Sure(Box::pin(values))))
    }

    /// The values of a stream up to its first failure.
    pub fn fallible(
        values: impl Stream<Item = std::result::Result<T, Problem>> + Send + 'static,
    ) -> Self {
        Items::of(Box::pin(values))
    }

    /// The values of an iterator, each made when it is its turn.
    pub fn from_values<I>(values: I) -> Self
    where
        I: IntoIterator<Item = T>,
        I::IntoIter: Send + 'static,
    {
        Items::of(Box::pin(Iterated(Box::new(values.into_iter()))))
    }

    /// Values that can be made anew, so that a client may send them again: in another format where
    /// the first is refused, or where a connection could not be made. Else a stream is sent once.
    ///
    /// ```
    /// use manywire::content::Items;
    ///
    /// let numbers = Items::repeatable(|| Items::from_values(0..1_000_000));
    /// # drop::<Items<u64>>(numbers);
    /// ```
    pub fn repeatable(make: impl FnMut() -> Items<T> + Send + 'static) -> Self {
        Items { values: None, again: Some(Box::new(make)) }
    }
}

impl<T> Items<T> {
    fn of(values: Values<T>) -> Self {
        Items { values: Some(values), again: None }
    }

    /// The values, made if they were not yet.
    fn values(&mut self) -> Option<&mut Values<T>> {
        if self.values.is_none() {
            let made = self.again.as_mut().map(|make| make());
            self.values = made.and_then(Items::into_values);
        }
        self.values.as_mut()
    }

    /// The same to keep; nothing if somebody else keeps them already.
    fn into_values(mut self) -> Option<Values<T>> {
        self.values();
        self.values
    }

    /// The next value; nothing after the last, or after a failure.
    pub async fn next(&mut self) -> Option<std::result::Result<T, Problem>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl<T> Stream for Items<T> {
    type Item = std::result::Result<T, Problem>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.get_mut().values() {
            Some(values) => values.as_mut().poll_next(context),
            None => Poll::Ready(None),
        }
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

/// Content of which there may be many, one after the other: what [`Items`] holds.
///
/// Its [`Media`] is [`Media::Formats`]. What derives `Shaped` is one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be one of the values of a stream",
    label = "no value in a format",
    note = "derive it: #[derive(Serialize, Deserialize, Shaped)]"
)]
pub trait Item: Content {}

impl<T: Shaped + Send + 'static> Item for T {}

impl<C: Item> Content for Items<C> {
    type Value = Items<C::Value>;

    fn media() -> Media {
        match C::media() {
            Media::Formats(ty) => Media::Items(ty),
            other => other,
        }
    }
}

impl<C: Item + Encode> Answer for Items<C> {
    fn answer(value: Items<C::Value>, to: &mut Encoding<'_>) -> Result<Body> {
        Ok(value.written(to, C::append))
    }

    fn answer_again(
        value: &mut Option<Items<C::Value>>,
        to: &mut Encoding<'_>,
    ) -> Result<Option<Body>> {
        Ok(again(value).map(|items| items.written(to, C::append)))
    }
}

/// The values for one sending: made for it, or else the only ones there are.
fn again<T>(value: &mut Option<Items<T>>) -> Option<Items<T>> {
    match value {
        Some(Items { again: Some(make), .. }) => Some(make()),
        once => once.take(),
    }
}

impl<C: Item + Decode> Receive for Items<C> {
    fn receive(content: Received, from: Decoding<'_>) -> Result<Items<C::Value>> {
        let framing = AnyFraming::of(from.representation, from.codecs);
        let (Received::Arriving(arriving), Some(framing)) = (content, framing) else {
            return Err(Error::new(Category::Unsupported, "no framing was agreed on"));
        };
        let (codecs, limits) = (from.codecs.cloned(), from.limits);
        let each = Each { framing, representation: from.representation.of_one(), codecs };
        Ok(Items::of(Box::pin(Arrived::new(arriving, each, limits, C::decode_slice))))
    }
}

/// How values stand in a stream, and what each of them is in.
struct Each {
    framing: AnyFraming,
    representation: Representation,
    codecs: Option<Arc<Codecs>>,
}

impl<T: 'static> Items<T> {
    /// The values as a body, each written by `encode`.
    fn written(self, to: &Encoding<'_>, encode: Encoder<T>) -> Body {
        let framing = AnyFraming::of(to.representation, to.codecs);
        let (Some(framing), Some(values)) = (framing, self.into_values()) else {
            return Body::default();
        };
        let representation = to.representation.of_one();
        let each = Each { framing, representation, codecs: to.codecs.cloned() };
        Body::stream(Written::new(values, each, encode))
    }
}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Items")
    }
}
