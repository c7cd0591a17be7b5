//! Conversions of payloads from one form to another.

use std::sync::atomic::AtomicBool;

use manywire_codec::avro::container::Compression;
use manywire_format::{Form, SchemaNeeds};
use manywire_shape::fidelity::Loss;
use manywire_tools::convert::{Conversion, SchemaLanguage};
use manywire_tools::payload::Schema;
use serde::Serialize;

use crate::payload::Opened;
use crate::{Error, Payload};

/// The options of a conversion.
#[derive(Clone, Copy, Debug)]
pub struct ConvertOptions {
    /// The form of the output.
    pub to: Form,
    /// True to replace and list the values that the output cannot represent, false to refuse them.
    pub lossy: bool,
    /// Indents JSON.
    pub pretty: bool,
    /// The compression of the blocks of an Avro file.
    pub compression: Compression,
}

impl ConvertOptions {
    /// Returns the options to write the form with this name without losses, the blocks of an Avro file
    /// in this compression.
    ///
    /// # Errors
    /// Fails for an unknown form or compression.
    pub fn parse(to: &str, compression: Option<&str>) -> Result<Self, Error> {
        let compression = compression.map_or(Ok(Compression::default()), str::parse);
        let compression = compression.map_err(Error::new)?;
        let to = to.parse::<Form>().map_err(Error::new)?;
        Ok(ConvertOptions { compression, ..ConvertOptions::to(to) })
    }

    /// Returns the options to write a form without losses.
    pub fn to(form: Form) -> Self {
        ConvertOptions {
            to: form,
            lossy: false,
            pretty: false,
            compression: Compression::default(),
        }
    }
}

/// The result of a conversion. As JSON, it has everything but the output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Converted {
    /// The output.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// The number of values.
    pub values: u64,
    /// The values that were replaced. Equal losses at paths that differ only in indices are listed
    /// once.
    pub losses: Vec<Loss>,
    /// The number of losses that are not listed, because there were too many.
    pub losses_unlisted: u64,
    /// The schema that the output is read with, if its format needs one: a `.proto`, an `.avsc`, or a JSON
    /// Schema for MessagePack arrays.
    pub schema: Option<String>,
}

/// Converts a payload. Without a schema, the schema of the output is inferred from all values.
///
/// # Errors
/// Fails for a payload that cannot be read, and for a value that the output cannot represent, unless
/// losses are allowed.
pub fn convert(payload: Payload<'_>, options: ConvertOptions) -> Result<Converted, Error> {
    let (mut converted, schema) = payload.open()?.convert(options)?;
    if let Some(schema) = schema.filter(|_| options.to.format.row().schema != SchemaNeeds::InBand) {
        let format = options.to.format;
        let text = SchemaLanguage::describing(format).text(&schema, format);
        converted.schema = Some(text.map_err(Error::new)?);
    }
    Ok(converted)
}

impl Opened<'_> {
    /// Converts the payload. Returns the result, and the schema of the output if there is one.
    pub(crate) fn convert(
        &self,
        options: ConvertOptions,
    ) -> Result<(Converted, Option<Schema>), Error> {
        let ConvertOptions { to, lossy, pretty, compression } = options;
        let schema = self.tools_schema();
        let (source, from) = (self.source(), self.form);
        let conversion = Conversion { source, from, to, schema, lossy, pretty, compression };
        let mut bytes = Vec::new();
        let mut written = None;
        let mut keep_schema = |schema: &Schema| {
            written = Some(schema.clone());
            Ok(())
        };
        let outcome = conversion.run(&mut bytes, &mut keep_schema, &AtomicBool::new(false));
        if let Some(failure) = outcome.failure {
            return Err(failure.into());
        }
        let converted = Converted {
            bytes,
            values: outcome.values,
            losses_unlisted: outcome.losses.unlisted(),
            losses: outcome.losses.into_vec(),
            schema: None,
        };
        Ok((converted, written))
    }
}
