use std::marker::PhantomData;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use manywire_codec::Limits;
use manywire_format::{Format, MediaType};
use manywire_shape::{Shape, Shaped};
use serde::de::DeserializeOwned;

use super::sent::Sent;
use super::{problem, typed};
use crate::problem::Problem;

/// One part of a form while it comes in.
#[derive(Debug)]
pub struct Part<'m> {
    field: multer::Field<'static>,
    formats: Vec<Format>,
    limits: Limits,
    /// The next part is not looked for while this one is read.
    of: PhantomData<&'m mut ()>,
}

impl<'m> Part<'m> {
    pub(super) fn new(field: multer::Field<'static>, formats: &[Format], limits: Limits) -> Self {
        Part { field, formats: formats.to_vec(), limits, of: PhantomData }
    }

    /// The name of its field; empty if it has none.
    pub fn name(&self) -> &str {
        self.field.name().unwrap_or_default()
    }

    /// The name that its file has with the client. It is for showing: as a path it is not to be
    /// trusted.
    pub fn file_name(&self) -> Option<&str> {
        self.field.file_name()
    }

    /// What it says it is.
    pub fn content_type(&self) -> Option<MediaType> {
        MediaType::parse(self.field.content_type()?.as_ref()).ok()
    }

    /// Its header fields.
    pub fn headers(&self) -> &HeaderMap {
        self.field.headers()
    }

    /// The next piece of its content; nothing after the last.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, Problem>> {
        self.field.chunk().await.map_err(problem).transpose()
    }

    /// Its content, whole.
    ///
    /// # Errors
    /// What broke off, or goes beyond a limit.
    pub async fn bytes(mut self) -> Result<Bytes, Problem> {
        self.collect().await
    }

    /// Its value, read by its own `Content-Type`: a format of the endpoint, or text.
    ///
    /// # Errors
    /// As [`Multipart::read`](super::Multipart::read).
    pub async fn value<U: DeserializeOwned + Shaped>(self) -> Result<U, Problem> {
        let limits = self.limits;
        typed::value(self.whole().await?, &Shape::of::<U>(), limits)
    }

    /// Takes it in, with what it says of itself.
    pub(super) async fn whole(mut self) -> Result<Sent, Problem> {
        let content = self.collect().await?;
        Sent::new(
            self.name().to_owned(),
            self.file_name().map(str::to_owned),
            self.content_type(),
            content,
            &self.formats,
        )
    }

    async fn collect(&mut self) -> Result<Bytes, Problem> {
        let Some(first) = self.chunk().await else { return Ok(Bytes::new()) };
        let first = first?;
        // A part in one piece is taken as it is.
        let Some(second) = self.chunk().await else { return Ok(first) };
        let mut all = BytesMut::from(first);
        all.extend_from_slice(&second?);
        while let Some(piece) = self.chunk().await {
            all.extend_from_slice(&piece?);
        }
        Ok(all.freeze())
    }
}
