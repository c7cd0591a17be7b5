//! The formats of a client, the codecs compiled for them, and the format learned from 415
//! responses.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use manywire_codec::{Category, Error, Result};
use manywire_format::MediaType;

use crate::content::own::AnyFormat;
use crate::content::{Codecs, Framing, Type, find, find_framing};
use crate::field_numbers::{FieldNumbers, SchemaLock};
use crate::problem::Problem;

/// The formats of a client, the codecs compiled for each type, and the format learned from the
/// server.
#[derive(Debug)]
pub(super) struct ClientFormats {
    list: Vec<AnyFormat>,
    learned: Mutex<Option<AnyFormat>>,
    compiled: Mutex<HashMap<(TypeId, AnyFormat), Arc<Codecs>>>,
    /// The `.proto` that fixes the server's field numbers.
    schema_lock: SchemaLock,
}

impl ClientFormats {
    pub(super) fn new(list: Vec<AnyFormat>) -> Self {
        let (learned, compiled) = (Mutex::default(), Mutex::default());
        ClientFormats { list, learned, compiled, schema_lock: SchemaLock::default() }
    }

    /// Returns the same configuration with another list of formats.
    pub(super) fn with_list(&self, list: Vec<AnyFormat>) -> Self {
        ClientFormats { schema_lock: self.schema_lock.clone(), ..ClientFormats::new(list) }
    }

    /// Returns the same configuration with a schema lock.
    #[cfg(feature = "schema-lock")]
    pub(super) fn with_schema_lock(&self, schema_lock: SchemaLock) -> Self {
        ClientFormats { schema_lock, ..ClientFormats::new(self.list.clone()) }
    }

    /// Returns the field numbers of a type.
    ///
    /// # Errors
    /// Returns an error for a type that breaks the lock, or a lock that is not a valid `.proto`.
    pub(super) fn numbers(&self, ty: &Type) -> Result<FieldNumbers> {
        // The server checks the positions of fields, which matter in formats without field numbers.
        let numbers = self.schema_lock.numbers_of(ty, false);
        numbers.map_err(|faults| Error::new(Category::Unsupported, faults.join("; ")))
    }

    /// Returns the formats for an endpoint in order of preference: the learned one first, then the
    /// client's formats, without those that the endpoint does not list. Returns the endpoint's
    /// formats if the two lists have none in common.
    pub(super) fn for_endpoint(&self, endpoint: Option<&[AnyFormat]>) -> Vec<AnyFormat> {
        let mut formats = self.list.clone();
        if let Some(listed) = endpoint {
            formats.retain(|format| listed.contains(format));
            if formats.is_empty() {
                formats = listed.to_vec();
            }
        }
        // The sort is stable, so the others keep their order.
        if let Some(learned) = self.learned() {
            formats.sort_by_key(|format| *format != learned);
        }
        formats
    }

    pub(super) fn learned(&self) -> Option<AnyFormat> {
        *self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn learn(&self, format: AnyFormat) {
        *self.learned.lock().unwrap_or_else(PoisonError::into_inner) = Some(format);
    }

    /// Returns the codecs of a type for a format. They are compiled at the first call and cached.
    ///
    /// # Errors
    /// Returns an error for a format that cannot represent the type, or that is not compiled in.
    pub(super) fn codecs(&self, id: TypeId, ty: &Type, format: AnyFormat) -> Result<Arc<Codecs>> {
        let compiled = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(codecs) = compiled().get(&(id, format)) {
            return Ok(Arc::clone(codecs));
        }
        let numbers = self.numbers(ty)?;
        let codecs = match id == TypeId::of::<Problem>() {
            // This library fixes the positions of a problem's fields, so no lock has to.
            true => Codecs::new(ty, &[format], &numbers),
            // A response is in any layout of MessagePack, so the whole list decides on positions.
            false => Codecs::for_reading(ty, &[format], &self.list, &numbers),
        };
        let codecs = Arc::new(codecs?);
        compiled().insert((id, format), Arc::clone(&codecs));
        Ok(codecs)
    }
}

/// Returns the next format for a refused body: the first of `formats` that was not refused and that
/// `accept` of the response names. If `accept` names no known format, returns the first that was
/// not refused.
pub(super) fn next_format(
    formats: &[AnyFormat],
    refused: &[AnyFormat],
    accept: Option<&str>,
) -> Option<AnyFormat> {
    let mut left = formats.iter().copied().filter(|format| !refused.contains(format));
    // The media type of a stream also names the format of its values.
    let is_named = |among: &[AnyFormat], name: &MediaType| {
        find(among, name).is_some() || find_framing(among, name).is_some()
    };
    let is_known = |name: &MediaType| {
        let is_built_in = name.format().is_some() || Framing::from_media_type(name).is_some();
        is_built_in || is_named(formats, name)
    };
    let named = accept.unwrap_or_default().split(',');
    let named: Vec<MediaType> =
        named.filter_map(|text| MediaType::parse(text).ok()).filter(is_known).collect();
    if named.is_empty() {
        return left.next();
    }
    // Media types are compared, because both layouts of MessagePack have the same one.
    left.find(|format| named.iter().any(|name| is_named(&[*format], name)))
}

/// Returns `Accept` for these media types, in order of preference (RFC 9110, section 12.5.1).
pub(super) fn accept(media_types: impl IntoIterator<Item = String>) -> String {
    let mut accept = String::new();
    for (index, media_type) in media_types.into_iter().enumerate() {
        if index > 0 {
            accept.push_str(", ");
        }
        accept.push_str(&media_type);
        if index > 0 {
            accept.push_str(&format!(";q=0.{}", 10_usize.saturating_sub(index).max(1)));
        }
    }
    accept
}
