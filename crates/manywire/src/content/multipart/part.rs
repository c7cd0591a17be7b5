//! One part of an incoming form.

use std::marker::PhantomData;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, header};
use manywire_codec::Limits;
use manywire_format::MediaType;
use manywire_shape::{Shape, Shaped};
use serde::de::DeserializeOwned;

use super::de::ReceivedPart;
use super::disposition::Disposition;
use super::{de, problem};
use crate::content::Codecs;
use crate::problem::Problem;

/// One part of a form while it arrives.
#[derive(Debug)]
pub struct Part<'m> {
    field: multer::Field<'static>,
    disposition: Disposition,
    codecs: Arc<Codecs>,
    limits: Limits,
    /// The borrow prevents reading the next part while this one exists.
    of: PhantomData<&'m mut ()>,
}

impl<'m> Part<'m> {
    /// Creates a part, and parses its `Content-Disposition`.
    ///
    /// # Errors
    /// Fails with 400 for an invalid `Content-Disposition`.
    pub(super) fn new(
        field: multer::Field<'static>,
        codecs: Arc<Codecs>,
        limits: Limits,
    ) -> Result<Self, Problem> {
        // The parser of `multer` would find a name anywhere in the field, even within other
        // parameters.
        let said = field.headers().get(header::CONTENT_DISPOSITION);
        let disposition = said.map(|said| Disposition::parse(said.as_bytes())).transpose();
        let disposition = disposition.map_err(|error| {
            Problem::new(StatusCode::BAD_REQUEST).with_detail(error.to_string())
        })?;
        Ok(Part {
            field,
            disposition: disposition.unwrap_or_default(),
            codecs,
            limits,
            of: PhantomData,
        })
    }

    /// Returns the name of the field; empty if the part has none.
    pub fn name(&self) -> &str {
        self.disposition.name.as_deref().unwrap_or_default()
    }

    /// Returns the file name on the client. It is for display, and must not be used as a path.
    pub fn file_name(&self) -> Option<&str> {
        self.disposition.file_name.as_deref()
    }

    /// Returns the `Content-Type`, or nothing if it is absent or invalid.
    pub fn content_type(&self) -> Option<MediaType> {
        MediaType::parse(self.field.content_type()?.as_ref()).ok()
    }

    /// Returns the header fields.
    pub fn headers(&self) -> &HeaderMap {
        self.field.headers()
    }

    /// Returns the next chunk, or `None` after the last.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, Problem>> {
        let chunk = self.field.chunk().await;
        chunk.map_err(|error| problem(error, Some(self.name()))).transpose()
    }

    /// Returns the whole content.
    ///
    /// # Errors
    /// Fails if the body is aborted, or beyond a limit.
    pub async fn bytes(mut self) -> Result<Bytes, Problem> {
        self.collect().await
    }

    /// Decodes the value by the part's own `Content-Type`: a format of the endpoint, or text.
    ///
    /// # Errors
    /// Fails as [`Multipart::read`](super::Multipart::read) does.
    pub async fn value<U: DeserializeOwned + Shaped>(self) -> Result<U, Problem> {
        let (codecs, limits) = (Arc::clone(&self.codecs), self.limits);
        de::value(self.whole().await?, &Shape::of::<U>(), &codecs, limits)
    }

    /// Receives the whole part with its header.
    pub(super) async fn whole(mut self) -> Result<ReceivedPart, Problem> {
        let content = self.collect().await?;
        ReceivedPart::new(
            self.name().to_owned(),
            self.file_name().map(str::to_owned),
            self.content_type(),
            content,
            self.codecs.parts(),
        )
    }

    async fn collect(&mut self) -> Result<Bytes, Problem> {
        let Some(first) = self.chunk().await else { return Ok(Bytes::new()) };
        let first = first?;
        // A part in a single chunk is not copied.
        let Some(second) = self.chunk().await else { return Ok(first) };
        let mut all = BytesMut::from(first);
        all.extend_from_slice(&second?);
        while let Some(piece) = self.chunk().await {
            all.extend_from_slice(&piece?);
        }
        Ok(all.freeze())
    }
}
