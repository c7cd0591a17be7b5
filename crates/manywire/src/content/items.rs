use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use futures_core::Stream;
use http::StatusCode;
use manywire_codec::{Category, Error, Limits, Result, json};
use manywire_shape::Shaped;

use super::incoming::{IncomingLimits, IncomingStream, Sender};
use super::splitter::{Split, Splitter};
use super::{
    Answer, AnyFraming, Codecs, Content, Decode, Decoding, Encode, Encoding, Framing,
    IncomingContent, Media, Receive, Representation,
};
use crate::problem::{Fault, Problem};
use crate::server::{Body, BodyError};

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
    repeat: Option<Box<Repeat<T>>>,
}

/// Makes the values anew.
type Repeat<T> = dyn FnMut() -> Items<T> + Send;

/// The values up to the first failure.
type Values<T> = Pin<Box<dyn Stream<Item = std::result::Result<T, Problem>> + Send>>;

impl<T: Send + 'static> Items<T> {
    /// The values of a stream that cannot fail.
    pub fn new(values: impl Stream<Item = T> + Send + 'static) -> Self {
        Items::of(Box::pin(InfallibleStream(Box::pin(values))))
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
        Items::of(Box::pin(IterStream(Box::new(values.into_iter()))))
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
        Items { values: None, repeat: Some(Box::new(make)) }
    }
}

impl<T> Items<T> {
    fn of(values: Values<T>) -> Self {
        Items { values: Some(values), repeat: None }
    }

    /// The values, made if they were not yet.
    fn values(&mut self) -> Option<&mut Values<T>> {
        if self.values.is_none() {
            let made = self.repeat.as_mut().map(|make| make());
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
        Ok(value.into_body(to, C::append))
    }

    fn answer_again(
        value: &mut Option<Items<C::Value>>,
        to: &mut Encoding<'_>,
    ) -> Result<Option<Body>> {
        Ok(repeat(value).map(|items| items.into_body(to, C::append)))
    }
}

/// The values for one sending: made for it, or else the only ones there are.
fn repeat<T>(value: &mut Option<Items<T>>) -> Option<Items<T>> {
    match value {
        Some(Items { repeat: Some(make), .. }) => Some(make()),
        once => once.take(),
    }
}

impl<C: Item + Decode> Receive for Items<C> {
    fn receive(content: IncomingContent, from: Decoding<'_>) -> Result<Items<C::Value>> {
        let framing = AnyFraming::of(from.representation, from.codecs);
        let (IncomingContent::Stream(arriving), Some(framing)) = (content, framing) else {
            return Err(Error::new(Category::Unsupported, "no framing was agreed on"));
        };
        let (codecs, limits) = (from.codecs.cloned(), from.limits);
        let item = ItemEncoding { framing, representation: from.representation.item(), codecs };
        Ok(Items::of(Box::pin(DecodedItems::new(arriving, item, limits, C::decode_slice))))
    }
}

/// How values stand in a stream, and what each of them is in.
struct ItemEncoding {
    framing: AnyFraming,
    representation: Representation,
    codecs: Option<Arc<Codecs>>,
}

impl<T: 'static> Items<T> {
    /// The values as a body, each written by `encode`.
    fn into_body(self, to: &Encoding<'_>, encode: EncodeItem<T>) -> Body {
        let framing = AnyFraming::of(to.representation, to.codecs);
        let (Some(framing), Some(values)) = (framing, self.into_values()) else {
            return Body::default();
        };
        let representation = to.representation.item();
        let item = ItemEncoding { framing, representation, codecs: to.codecs.cloned() };
        Body::stream(EncodedItems::new(values, item, encode))
    }
}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Items")
    }
}

/// Writes one value.
type EncodeItem<T> = fn(&T, Encoding<'_>, &mut Vec<u8>) -> Result<()>;

/// How many values are taken before what is written of them is handed on.
const VALUES_MAX: usize = 16;

/// Enough bytes to be worth handing on, however few the values.
const CHUNK_BYTES: usize = 16 << 10;

/// A stream of values as a stream of bytes.
struct EncodedItems<T> {
    values: Values<T>,
    item: ItemEncoding,
    state: State,
    encode: EncodeItem<T>,
}

impl<T> EncodedItems<T> {
    fn new(values: Values<T>, item: ItemEncoding, encode: EncodeItem<T>) -> Self {
        EncodedItems { values, item, state: State::First, encode }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No value was written yet.
    First,
    /// There were some.
    Rest,
    /// There are no more; what is left is to say how it ended.
    Failed,
    /// What was written before is on its way.
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

    /// Ends with a failure: in words where the framing has a place for them.
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
                // A connection that breaks off sends nothing more: it is let go of what it has.
                State::Failed if out.is_empty() => {
                    this.state = State::Aborting;
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                State::Aborting => {
                    this.state = State::Ended;
                    return Poll::Ready(Some(Err(BodyError::new("the stream failed"))));
                }
                // What was written before goes out first.
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

/// Reads one value.
type DecodeItem<T> = fn(&[u8], Decoding<'_>) -> Result<T>;

/// Values out of content that comes in piece by piece, one for each time that one is asked for.
struct DecodedItems<T> {
    arriving: IncomingStream,
    splitter: Splitter,
    item: ItemEncoding,
    limits: Limits,
    decode: DecodeItem<T>,
    /// What came of the next value; never more than the value and one piece.
    bytes: BytesMut,
    has_ended: bool,
    is_done: bool,
    /// How many values there were, and how many bytes and lines they took.
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
    ) -> Self {
        DecodedItems {
            arriving,
            splitter: item.framing.splitter(limits.depth),
            item,
            limits,
            decode,
            bytes: BytesMut::new(),
            has_ended: false,
            is_done: false,
            index: 0,
            offset: 0,
            lines: 0,
        }
    }

    /// What can be said without more bytes: the next value, the end, or nothing yet.
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

    /// The value in these bytes, which begin `start` bytes behind what was taken.
    #[inline]
    fn value(&self, bytes: &[u8], start: usize) -> std::result::Result<T, Problem> {
        let ItemEncoding { representation, codecs, .. } = &self.item;
        let (representation, codecs) = (*representation, codecs.as_ref());
        let decoded =
            (self.decode)(bytes, Decoding { representation, codecs, limits: self.limits });
        decoded.map_err(|error| self.item_error(error, bytes, start))
    }

    /// Whether each value has a line.
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

    /// What is wrong with a value: which it is, and where.
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
        let detail = format!("item {index} goes beyond the limit of {value_bytes} bytes");
        Problem::new(status).with_detail(detail)
    }

    /// The failure that the sender told of.
    #[cold]
    fn reported_failure(&self, problem: &[u8]) -> Problem {
        let reported_failure = json::from_slice_with(problem, self.limits);
        reported_failure.unwrap_or_else(|_| {
            let detail = "the stream failed, and did not say why";
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
                // Behind what is wrong nothing can be trusted to begin where it should.
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
