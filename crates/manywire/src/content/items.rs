//! Streams of values: [`Items`], the encoder and the decoder behind it.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use futures_core::Stream;
use http::StatusCode;
use manywire_codec::{Category, Error, Limits, Result, json};
use manywire_shape::{Check, Shaped};

use super::incoming::{IncomingLimits, IncomingStream, Sender};
use super::splitter::{Split, Splitter};
use super::{
    Answer, AnyFraming, Codecs, Content, Decode, Decoding, Encode, Encoding, Framing,
    IncomingContent, Media, Receive, Representation,
};
use crate::body::{Body, BodyError};
use crate::problem::{Fault, Problem};

/// A stream of values of one type: the return value of an endpoint that streams, or a body that is
/// decoded while it arrives.
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
/// The client chooses the framing by `Accept`: `application/x-ndjson`, one array in
/// `application/json`, `text/event-stream`, `application/cbor-seq`, concatenated MessagePack
/// values, or `application/protobuf;delimited=true`, as far as the formats of the API have them,
/// and user-defined formats with a sequence. At most 16 values are produced ahead of the client.
///
/// A stream that fails ends with an `error` event in `text/event-stream`. In all other framings the
/// connection (in HTTP/2 the stream) is aborted, so that the client does not take it for complete.
///
/// A body is decoded from the same framings except events, by `Content-Type`:
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
/// Bytes are read on demand, so a fast sender has to wait, and a million values take the memory of
/// one. The size of one value is limited by [`Limits::body_bytes`](crate::Limits::body_bytes); the
/// number of values is not limited. A value that cannot be decoded ends the stream with a
/// [`Problem`] that has its path (`$[17].name`) and position. A body that is aborted, or that
/// arrives too slowly ([`Limits::body_idle_timeout`](crate::Limits::body_idle_timeout),
/// [`Limits::bytes_per_second_min`](crate::Limits::bytes_per_second_min)), ends the stream with a
/// problem, too.
///
/// Content codings work in both directions. Encoded bytes are sent as soon as no further value is
/// ready. Bodies are decoded while they arrive, within the limits of ratio and time that apply to
/// every body.
pub struct Items<T> {
    /// The values, or `None` for a repeatable stream until its first value is requested.
    values: Option<Values<T>>,
    repeat: Option<Box<Repeat<T>>>,
}

/// Creates the stream again.
type Repeat<T> = dyn FnMut() -> Items<T> + Send;

/// The values, up to the first failure.
type Values<T> = Pin<Box<dyn Stream<Item = std::result::Result<T, Problem>> + Send>>;

impl<T: Send + 'static> Items<T> {
    /// Streams values that cannot fail.
    pub fn new(values: impl Stream<Item = T> + Send + 'static) -> Self {
        Items::of(Box::pin(InfallibleStream(Box::pin(values))))
    }

    /// Streams values up to the first failure.
    pub fn fallible(
        values: impl Stream<Item = std::result::Result<T, Problem>> + Send + 'static,
    ) -> Self {
        Items::of(Box::pin(values))
    }

    /// Streams the values of an iterator, on demand.
    pub fn from_values<I>(values: I) -> Self
    where
        I: IntoIterator<Item = T>,
        I::IntoIter: Send + 'static,
    {
        Items::of(Box::pin(IterStream(Box::new(values.into_iter()))))
    }

    /// Streams values that can be created again. A client can then send them again, in another
    /// format if the first is refused, or after a failed connection. Other streams are sent once.
    ///
    /// ```
    /// use manywire::content::Items;
    ///
    /// let numbers = Items::repeatable(|| Items::from_values(0..1_000_000));
    /// # drop::<Items<u64>>(numbers);
    /// ```
    pub fn repeatable(make: impl FnMut() -> Items<T> + Send + 'static) -> Self {
        Items { values: None, repeat: Some(Box::new(make)) }
    }
}

impl<T> Items<T> {
    fn of(values: Values<T>) -> Self {
        Items { values: Some(values), repeat: None }
    }

    /// Returns the values, and creates them first if necessary.
    fn values(&mut self) -> Option<&mut Values<T>> {
        if self.values.is_none() {
            let made = self.repeat.as_mut().map(|make| make());
            self.values = made.and_then(Items::into_values);
        }
        self.values.as_mut()
    }

    /// Takes the values. Returns `None` if they were taken before.
    fn into_values(mut self) -> Option<Values<T>> {
        self.values();
        self.values
    }

    /// Returns the next value, or `None` after the last value and after a failure.
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

/// Adapts an infallible stream.
struct InfallibleStream<S>(Pin<Box<S>>);

impl<S: Stream> Stream for InfallibleStream<S> {
    type Item = std::result::Result<S::Item, Problem>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context).map(|value| value.map(Ok))
    }
}

struct IterStream<T>(Box<dyn Iterator<Item = T> + Send>);

impl<T> Stream for IterStream<T> {
    type Item = std::result::Result<T, Problem>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.next().map(Ok))
    }
}

/// Content that [`Items`] can stream.
///
/// The [`Media`] of such content is [`Media::Formats`]. Types that derive `Shaped` implement this
/// trait.
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
        Ok(value.into_body(to, C::append))
    }

    fn answer_again(
        value: &mut Option<Items<C::Value>>,
        to: &mut Encoding<'_>,
    ) -> Result<Option<Body>> {
        Ok(repeat(value).map(|items| items.into_body(to, C::append)))
    }
}

/// Returns the values for one request: new ones if the stream is repeatable, otherwise the only
/// ones, which are taken out of `value`.
fn repeat<T>(value: &mut Option<Items<T>>) -> Option<Items<T>> {
    match value {
        Some(Items { repeat: Some(make), .. }) => Some(make()),
        once => once.take(),
    }
}

impl<C: Item + Decode> Receive for Items<C> {
    fn receive(content: IncomingContent, from: Decoding<'_>) -> Result<Items<C::Value>> {
        let framing = from.framing();
        let (IncomingContent::Stream(arriving), Some(framing)) = (content, framing) else {
            return Err(Error::new(Category::Unsupported, "no framing of a stream was negotiated"));
        };
        let (codecs, limits) = (from.codecs.cloned(), from.limits);
        let item = ItemEncoding { framing, representation: from.representation.item(), codecs };
        let check: Option<CheckItem<C::Value>> = from.is_constrained.then_some(C::check);
        Ok(Items::of(Box::pin(DecodedItems::new(arriving, item, limits, C::decode_slice, check))))
    }
}

/// The framing of a stream and the encoding of its values.
struct ItemEncoding {
    framing: AnyFraming,
    representation: Representation,
    codecs: Option<Arc<Codecs>>,
}

impl<T: 'static> Items<T> {
    /// Converts the values to a body.
    fn into_body(self, to: &Encoding<'_>, encode: EncodeItem<T>) -> Body {
        let framing = to.framing();
        let (Some(framing), Some(values)) = (framing, self.into_values()) else {
            return Body::default();
        };
        let representation = to.representation.item();
        let item = ItemEncoding { framing, representation, codecs: to.codecs.cloned() };
        Body::stream(EncodedItems { values, item, state: State::First, encode })
    }
}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Items")
    }
}

/// Encodes one value.
type EncodeItem<T> = fn(&T, Encoding<'_>, &mut Vec<u8>) -> Result<()>;

/// The maximum number of values that are encoded before the bytes are passed on.
const VALUES_MAX: usize = 16;

/// The number of bytes that are passed on, even if they hold few values.
const CHUNK_BYTES: usize = 16 << 10;

/// Encodes a stream of values as a stream of bytes.
struct EncodedItems<T> {
    values: Values<T>,
    item: ItemEncoding,
    state: State,
    encode: EncodeItem<T>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No value is written yet.
    First,
    /// At least one value is written.
    Rest,
    /// The stream failed; the bytes before the failure have to be sent first.
    Failed,
    /// The bytes before the failure are sent; the error follows.
    Aborting,
    Ended,
}

impl<T> EncodedItems<T> {
    fn write(&mut self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        let is_first = self.state == State::First;
        self.state = State::Rest;
        let ItemEncoding { framing, representation, codecs } = &self.item;
        let (representation, codecs) = (*representation, codecs.as_ref());
        let to = Encoding { representation, codecs, capacity_bytes: 0 };
        let start = out.len();
        let written = framing.write(is_first, |out| (self.encode)(value, to, out), out);
        written.inspect_err(|_| out.truncate(start))
    }

    /// Ends the stream with a failure, as an event if the framing has one.
    #[cold]
    fn fail(&mut self, problem: &Problem, out: &mut Vec<u8>) {
        self.state = match self.item.framing.failure(problem, out) {
            true => State::Ended,
            false => State::Failed,
        };
    }
}

impl<T> Stream for EncodedItems<T> {
    type Item = std::result::Result<Bytes, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let mut out = Vec::new();
        let mut values = 0;
        loop {
            match this.state {
                State::Ended if out.is_empty() => return Poll::Ready(None),
                // An aborted connection sends nothing more, so the pending bytes are sent first.
                State::Failed if out.is_empty() => {
                    this.state = State::Aborting;
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                State::Aborting => {
                    this.state = State::Ended;
                    return Poll::Ready(Some(Err(BodyError::new("the stream failed"))));
                }
                // The pending bytes are sent first.
                State::Ended | State::Failed => return Poll::Ready(Some(Ok(out.into()))),
                State::First | State::Rest => {}
            }
            if values == VALUES_MAX || out.len() >= CHUNK_BYTES {
                return Poll::Ready(Some(Ok(out.into())));
            }
            match this.values.as_mut().poll_next(context) {
                Poll::Pending if out.is_empty() => return Poll::Pending,
                Poll::Pending => return Poll::Ready(Some(Ok(out.into()))),
                Poll::Ready(None) => {
                    this.item.framing.end(this.state == State::First, &mut out);
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

/// Decodes one value.
type DecodeItem<T> = fn(&[u8], Decoding<'_>) -> Result<T>;

/// Checks the constraints of one value.
type CheckItem<T> = fn(&T, &mut Check<'_>);

/// Decodes the values of content while it arrives, on demand.
struct DecodedItems<T> {
    arriving: IncomingStream,
    splitter: Splitter,
    item: ItemEncoding,
    limits: Limits,
    decode: DecodeItem<T>,
    /// The check of values whose type has constraints.
    check: Option<CheckItem<T>>,
    /// The bytes of the next value; at most the value and one chunk.
    bytes: BytesMut,
    has_ended: bool,
    is_done: bool,
    /// The number of values so far, and their bytes and lines.
    index: usize,
    offset: u64,
    lines: u64,
}

impl<T> DecodedItems<T> {
    fn new(
        arriving: IncomingStream,
        item: ItemEncoding,
        limits: Limits,
        decode: DecodeItem<T>,
        check: Option<CheckItem<T>>,
    ) -> Self {
        DecodedItems {
            arriving,
            splitter: item.framing.splitter(limits.depth),
            item,
            limits,
            decode,
            check,
            bytes: BytesMut::new(),
            has_ended: false,
            is_done: false,
            index: 0,
            offset: 0,
            lines: 0,
        }
    }

    /// Returns the next value, the end, or pending if more bytes are needed.
    fn step(&mut self) -> Poll<Option<std::result::Result<T, Problem>>> {
        loop {
            let found = match self.splitter.next(&self.bytes, self.has_ended) {
                Ok(found) => found,
                Err(error) => return Poll::Ready(Some(Err(self.item_error(error, &[], 0)))),
            };
            let limit = self.arriving.bounds().value_bytes;
            let (value, taken) = match found {
                Split::Filler { taken } => {
                    self.take(taken);
                    continue;
                }
                Split::Incomplete if self.bytes.len() <= limit => return Poll::Pending,
                Split::Incomplete => return Poll::Ready(Some(Err(self.too_large()))),
                Split::End => return Poll::Ready(None),
                Split::Failure { problem } => {
                    return Poll::Ready(Some(Err(self.reported_failure(&problem))));
                }
                Split::Event { data, taken } => (self.value(&data, 0), taken),
                Split::Value { range, taken } if range.len() <= limit => {
                    let value = self.bytes.get(range.clone()).unwrap_or_default();
                    (self.value(value, range.start), taken)
                }
                Split::Value { .. } => return Poll::Ready(Some(Err(self.too_large()))),
            };
            self.take(taken);
            self.index += 1;
            return Poll::Ready(Some(value));
        }
    }

    /// Decodes the value in these bytes, which begin `start` bytes after the consumed ones.
    #[inline]
    fn value(&self, bytes: &[u8], start: usize) -> std::result::Result<T, Problem> {
        let ItemEncoding { representation, codecs, .. } = &self.item;
        let (representation, codecs) = (*representation, codecs.as_ref());
        let is_constrained = self.check.is_some();
        let from = Decoding { representation, codecs, limits: self.limits, is_constrained };
        let value = (self.decode)(bytes, from);
        let value = value.map_err(|error| self.item_error(error, bytes, start))?;
        match self.check {
            Some(check) => self.checked(value, check),
            None => Ok(value),
        }
    }

    /// Returns the value if its constraints hold, and otherwise a problem with the violations.
    fn checked(&self, value: T, check: CheckItem<T>) -> std::result::Result<T, Problem> {
        let violations = Check::run(|all| check(&value, &mut all.item(self.index)));
        if violations.is_empty() {
            return Ok(value);
        }
        Err(Problem::of_violations(violations))
    }

    /// Returns whether each value is on its own line.
    fn has_lines(&self) -> bool {
        self.item.framing.built_in() == Some(Framing::Lines)
    }

    fn take(&mut self, taken: usize) {
        if self.has_lines() {
            let gone = self.bytes.get(..taken).unwrap_or_default();
            self.lines += gone.iter().filter(|byte| **byte == b'\n').count() as u64;
        }
        self.bytes.advance(taken.min(self.bytes.len()));
        self.offset += taken as u64;
    }

    /// Returns the problem for a wrong value, with its index and position.
    #[cold]
    fn item_error(&self, error: Error, bytes: &[u8], start: usize) -> Problem {
        let status = match (self.arriving.bounds().sender, error.category()) {
            (Sender::Server, _) => StatusCode::BAD_GATEWAY,
            (Sender::Client, Category::Data) => StatusCode::UNPROCESSABLE_ENTITY,
            (Sender::Client, _) => StatusCode::BAD_REQUEST,
        };
        let line = self.has_lines().then_some(self.lines + 1);
        let fault = Fault::of_item(error, bytes, self.index, self.offset + start as u64, line);
        Problem::new(status).with_errors(vec![fault])
    }

    #[cold]
    fn too_large(&self) -> Problem {
        let IncomingLimits { value_bytes, sender, .. } = self.arriving.bounds();
        let status = match sender {
            Sender::Client => StatusCode::PAYLOAD_TOO_LARGE,
            Sender::Server => StatusCode::BAD_GATEWAY,
        };
        let index = self.index;
        let detail = format!("item {index} exceeds the limit of {value_bytes} bytes");
        Problem::new(status).with_detail(detail)
    }

    /// Returns the failure that the sender reported.
    #[cold]
    fn reported_failure(&self, problem: &[u8]) -> Problem {
        let reported_failure = json::from_slice_with(problem, self.limits);
        reported_failure.unwrap_or_else(|_| {
            let detail = "the stream failed without a reason";
            Problem::new(StatusCode::BAD_GATEWAY).with_detail(detail)
        })
    }
}

impl<T> Stream for DecodedItems<T> {
    type Item = std::result::Result<T, Problem>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.is_done {
            return Poll::Ready(None);
        }
        loop {
            if let Poll::Ready(item) = this.step() {
                // After an error, the positions of further values are unreliable.
                this.is_done = !matches!(item, Some(Ok(_)));
                return Poll::Ready(item);
            }
            match ready!(this.arriving.poll_piece(context)) {
                None => this.has_ended = true,
                Some(Ok(piece)) => this.bytes.extend_from_slice(&piece),
                Some(Err(problem)) => {
                    this.is_done = true;
                    return Poll::Ready(Some(Err(problem)));
                }
            }
        }
    }
}
