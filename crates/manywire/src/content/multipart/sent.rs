use std::borrow::Cow;

use bytes::Bytes;
use http::StatusCode;
use manywire_codec::{Category, Error, Result};
use manywire_format::MediaType;

use crate::Charset;
use crate::content::own::AnyFormat;
use crate::content::{Codecs, find};
use crate::problem::Problem;

/// A part that is there.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) name: String,
    pub(super) file_name: Option<String>,
    pub(super) content_type: Option<MediaType>,
    pub(super) content: Bytes,
    /// The format it is in; else it is text, or whatever its reader takes it for.
    pub(super) format: Option<AnyFormat>,
    /// What its format needs, once it is known which type it is.
    pub(super) codecs: Option<Codecs>,
    charset: Charset,
}

impl Sent {
    /// # Errors
    /// 415 for a charset that is not read.
    pub(super) fn new(
        name: String,
        file_name: Option<String>,
        content_type: Option<MediaType>,
        content: Bytes,
        formats: &[AnyFormat],
    ) -> std::result::Result<Sent, Problem> {
        let format = content_type.as_ref().and_then(|it| find(formats, it));
        let charset = content_type.as_ref().and_then(|it| it.parameter("charset"));
        let charset = match charset {
            None => Charset::Utf8,
            Some(charset) => Charset::from_name(charset.trim()).ok_or_else(|| {
                let detail = format!("the charset {charset:?} of the part {name:?} is not read");
                Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE).with_detail(detail)
            })?,
        };
        Ok(Sent { name, file_name, content_type, content, format, codecs: None, charset })
    }

    /// What to say where it is to be a record.
    #[cold]
    pub(super) fn no_text_will_do(&self) -> Error {
        let found = self.content_type.as_ref().map(MediaType::to_string);
        let found = found.unwrap_or_else(|| "text".to_owned());
        let message = format_args!("expected a part in a format of the endpoint, found {found}");
        Error::new(Category::Data, message)
    }

    /// Whether it is neither in a format of the endpoint nor text, so that only bytes can be made
    /// of it.
    pub(super) fn is_of_another_type(&self) -> bool {
        let is_text = self.content_type.as_ref().is_none_or(|it| it.kind() == "text");
        self.format.is_none() && !is_text
    }

    /// Its content as text.
    pub(super) fn text(&self) -> Result<Cow<'_, str>> {
        if self.is_of_another_type() {
            let found = self.content_type.as_ref().map(MediaType::to_string).unwrap_or_default();
            let message = format_args!("expected text or a format of the endpoint, found {found}");
            return Err(Error::new(Category::Data, message));
        }
        let wrong = |at| {
            let message = format_args!("expected {}", self.charset);
            Error::new(Category::Data, message).with_offset(at)
        };
        let text = match self.charset.to_utf8(&self.content).map_err(wrong)? {
            Cow::Borrowed(text) => std::str::from_utf8(text).map(Cow::Borrowed),
            Cow::Owned(text) => {
                String::from_utf8(text).map(Cow::Owned).map_err(|error| error.utf8_error())
            }
        };
        text.map_err(|error| wrong(error.valid_up_to()))
    }
}
