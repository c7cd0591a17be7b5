//! Values that borrow from the message they were decoded from.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytes::Bytes;
use manywire_codec::Result;
use manywire_shape::{Borrowed, Check, Shaped};
use ouroboros::self_referencing;
use serde::{Deserialize, Serialize};

use super::{Codecs, Content, Decode, Decoding, Encode, Encoding, Media, Type};

/// A value that borrows from the message it was decoded from, together with the bytes of the
/// message.
///
/// Most of the cost of decoding an owned value is copying its strings. A type with a lifetime has
/// `&str` or `Cow<str>` fields that point into the body instead. The handler owns the value and the
/// bytes, so the value may be used after any `.await`:
///
/// ```
/// use manywire::content::ZeroCopy;
/// use manywire::{Api, Shaped, post};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Shaped)]
/// struct Hotel<'b> {
///     id: u64,
///     #[serde(borrow)]
///     name: std::borrow::Cow<'b, str>,
/// }
///
/// let create = post("/hotels").body::<ZeroCopy<Hotel>>().returns::<u64>();
/// let service = Api::new("Hotels")
///     .serve(create.to(|hotel| async move {
///         let length = hotel.get().name.len();
///         // … an await …
///         hotel.get().id + length as u64
///     }))
///     .build()?;
/// # Ok::<(), manywire::InvalidApi>(())
/// ```
///
/// A `&str` field accepts only text that is unchanged in the body: JSON text with escapes is
/// rejected with 422. A `Cow<str>` field with `#[serde(borrow)]` accepts all text, and copies text
/// with escapes.
///
/// A response may be zero-copy, too: `returns::<ZeroCopy<Hotel>>()`.
pub struct ZeroCopy<T: Borrowed>(OwnedBorrow<T>);

// The value is decoded once and stored beside the bytes: checking the bytes on arrival and decoding
// them again in each `get` would cost twice the time. The crate `ouroboros` was chosen because its
// cells may be generic.
#[self_referencing]
struct OwnedBorrow<T: Borrowed> {
    from: Owner,
    #[borrows(from)]
    #[not_covariant]
    value: T::Output<'this>,
    of: PhantomData<fn() -> T>,
}

/// The data that a value borrows from.
struct Owner {
    body: Bytes,
    codecs: Option<Arc<Codecs>>,
}

impl<T: Borrowed> ZeroCopy<T> {
    /// Returns the value.
    pub fn get(&self) -> &T::Output<'_> {
        self.0.with_value(|value| T::shorten(value))
    }

    /// Returns the bytes of the message, without their content codings.
    pub fn bytes(&self) -> &Bytes {
        &self.0.borrow_from().body
    }
}

impl<T: Borrowed + Shaped + 'static> Content for ZeroCopy<T>
where
    for<'b> T::Output<'b>: Send + Shaped,
{
    type Value = ZeroCopy<T>;

    fn media() -> Media {
        Media::Formats(Type::of::<T>())
    }

    fn check(value: &ZeroCopy<T>, check: &mut Check<'_>) {
        value.get().check(check);
    }
}

impl<T: Borrowed + Shaped + 'static> Decode for ZeroCopy<T>
where
    for<'b> T::Output<'b>: Send + Shaped + Deserialize<'b>,
{
    #[inline]
    fn decode(bytes: Bytes, from: Decoding<'_>) -> Result<ZeroCopy<T>> {
        let owner = Owner { body: bytes, codecs: from.codecs.cloned() };
        let value = OwnedBorrow::try_new(
            owner,
            |owner| from.borrowed_value(owner.codecs.as_deref(), &owner.body),
            PhantomData,
        );
        value.map(ZeroCopy)
    }
}

impl<T: Borrowed + Shaped + 'static> Encode for ZeroCopy<T>
where
    for<'b> T::Output<'b>: Send + Shaped + Serialize,
{
    #[inline]
    fn encode_ref(value: &ZeroCopy<T>, to: &mut Encoding<'_>) -> Result<Bytes> {
        to.value(value.get())
    }
}

impl<T: Borrowed> fmt::Debug for ZeroCopy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ZeroCopy").field(self.bytes()).finish()
    }
}
