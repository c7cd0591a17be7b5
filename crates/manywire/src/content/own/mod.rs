//! Formats of one's own, beside those that are built in.
//!
//! Where a type is known, a built-in format is matched on, so that each pair of them is code of its
//! own. A format that is not known here is reached through a table of functions instead, and the
//! value through another: that costs about twice the calls, and nothing where no such format is
//! listed.

#[cfg(not(feature = "own-format"))]
mod absent;
mod any;
#[cfg(feature = "own-format")]
mod erased;
#[cfg(feature = "own-format")]
mod error;
mod list;
#[cfg(feature = "own-format")]
mod sequence;
#[cfg(feature = "own-format")]
mod watched;

#[cfg(not(feature = "own-format"))]
use absent::Own;
#[cfg(not(feature = "own-format"))]
pub(crate) use absent::Sequenced;
pub use any::AnyFormat;
pub(crate) use any::{find, is, misnamed};
#[cfg(feature = "own-format")]
use erased::Own;
#[cfg(feature = "own-format")]
pub use error::FormatError;
pub use list::At;
pub use list::IntoFormats;
pub(crate) use list::{Owned, built_in};

#[cfg(feature = "own-format")]
pub(crate) use sequence::Sequenced;
#[cfg(feature = "own-format")]
pub use sequence::{Boundaries, Sequence};

#[cfg(feature = "own-format")]
pub use manywire_codec::{Category, Limits};
#[cfg(feature = "own-format")]
use serde::Serialize;
#[cfg(feature = "own-format")]
use serde::de::DeserializeSeed;

/// A format of one's own: what it is called, and how values get into it and out of it.
///
/// Listed by reference among the formats of an API, of an endpoint or of a client, it is chosen by
/// `Accept`, read by `Content-Type`, named in 406, 415 and the document, and coded, tagged and
/// limited as any other. Problems are written in it, too.
///
/// ```
/// use manywire::{Api, Format, FormatError, OwnFormat, Shaped, get};
/// use serde::de::DeserializeSeed;
/// use serde::{Deserialize, Serialize};
///
/// struct Yaml;
///
/// impl OwnFormat for Yaml {
///     fn name(&self) -> &'static str {
///         "yaml"
///     }
///
///     fn media_types(&self) -> &'static [&'static str] {
///         &["application/yaml", "text/yaml"]
///     }
///
///     fn is_text(&self) -> bool {
///         true
///     }
///
///     fn encode<T: Serialize + ?Sized>(
///         &self,
///         value: &T,
///         out: &mut Vec<u8>,
///     ) -> Result<(), FormatError> {
///         Ok(serde_yaml_ng::to_writer(out, value)?)
///     }
///
///     fn decode<'de, S: DeserializeSeed<'de>>(
///         &self,
///         seed: S,
///         bytes: &'de [u8],
///         _limits: manywire::content::own::Limits,
///     ) -> Result<S::Value, FormatError> {
///         Ok(seed.deserialize(serde_yaml_ng::Deserializer::from_slice(bytes))?)
///     }
/// }
///
/// # #[derive(Serialize, Deserialize, Shaped)]
/// # struct Hotel { id: u64 }
/// let find = get("/hotels/{id}").path::<u64>().returns::<Hotel>();
/// let api = Api::new("Hotels").formats((Format::Json, &Yaml));
/// let service = api.serve(find.to(|id| async move { Hotel { id } })).build()?;
/// # Ok::<(), manywire::InvalidApi>(())
/// ```
///
/// Values nested deeper than the limit are refused whatever the format does, and the path to what
/// is wrong within a value is found without its help. What it must see to itself: nothing may
/// follow the value, no claimed length may allocate, and what it passes over it must not recurse
/// into without a limit.
///
/// The parts of a form are read and written in it, too. It has streams
/// ([`Items`](super::Items)) once it says how values stand one after the other:
/// [`OwnFormat::sequence`].
#[cfg(feature = "own-format")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no format",
    label = "not a format",
    note = "list a `Format`, or a reference to what implements `OwnFormat`: `&Yaml`"
)]
pub trait OwnFormat: Send + Sync + 'static {
    /// Its name in logs, metrics and what an API says is wrong: `yaml`. It is what tells it from
    /// others.
    fn name(&self) -> &'static str;

    /// The media types it goes by, the one it is sent as first. A type that ends in the subtype of
    /// that, as `application/problem+yaml` does in that of `application/yaml`, is read as well (RFC
    /// 6838, section 4.2.8).
    fn media_types(&self) -> &'static [&'static str];

    /// Whether it is text. Then it is read in every charset, which it gets as UTF-8.
    fn is_text(&self) -> bool {
        false
    }

    /// Whether it can hold values of a type, which is asked when an API is built.
    ///
    /// # Errors
    /// Why it cannot, and what to return instead.
    fn holds(&self, ty: &super::Type) -> Result<(), FormatError> {
        let _ = ty;
        Ok(())
    }

    /// How its values stand one after the other in a stream; nothing, as long as it does not say:
    /// then it has none.
    fn sequence(&self) -> Option<Sequence> {
        None
    }

    /// Appends a value.
    ///
    /// # Errors
    /// When it has no place for the value.
    fn encode<T: Serialize + ?Sized>(
        &self,
        value: &T,
        out: &mut Vec<u8>,
    ) -> Result<(), FormatError>;

    /// Reads the one value that the bytes are, by `seed.deserialize(…)`.
    ///
    /// What is wrong with bytes is status 400, and a value that does not fit its type is 422: which
    /// of both it is, is known from where the error comes from, unless it says so itself.
    ///
    /// # Errors
    /// What is wrong, with the place where the format knows it: [`FormatError::at_line`],
    /// [`FormatError::at_byte`].
    fn decode<'de, S: DeserializeSeed<'de>>(
        &self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value, FormatError>;
}
