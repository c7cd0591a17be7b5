//! Formats unknown to the library, over libraries that do not know it.

use manywire::content::Type;
use manywire::content::own::Limits;
use manywire::{FormatError, OwnFormat, Sequence};
use serde::Serialize;
use serde::de::DeserializeSeed;

/// A self-describing text format whose errors have locations.
pub(crate) struct Yaml;

impl OwnFormat for Yaml {
    fn name(&self) -> &'static str {
        "yaml"
    }

    fn media_types(&self) -> &'static [&'static str] {
        &["application/yaml", "text/yaml"]
    }

    fn is_text(&self) -> bool {
        true
    }

    fn sequence(&self) -> Option<Sequence> {
        Some(Sequence::ended_by(b"\n...\n"))
    }

    fn encode<T: Serialize + ?Sized>(
        &self,
        value: &T,
        out: &mut Vec<u8>,
    ) -> Result<(), FormatError> {
        Ok(serde_yaml_ng::to_writer(out, value)?)
    }

    fn decode<'de, S: DeserializeSeed<'de>>(
        &self,
        seed: S,
        bytes: &'de [u8],
        _limits: Limits,
    ) -> Result<S::Value, FormatError> {
        let value = seed.deserialize(serde_yaml_ng::Deserializer::from_slice(bytes));
        value.map_err(|error| match error.location() {
            Some(at) => FormatError::new(&error).at_line(at.line(), at.column()),
            None => error.into(),
        })
    }
}

/// A binary format that is not self-describing and has no depth limit. Its options are values.
pub(crate) struct Postcard {
    pub(crate) name: &'static str,
    pub(crate) media_types: &'static [&'static str],
    pub(crate) sequence: Option<Sequence>,
}

pub(crate) static POSTCARD: Postcard = Postcard {
    name: "postcard",
    media_types: &["application/x-postcard;v=1", "x/postcard"],
    sequence: Some(Sequence::prefixed().named(&["application/x-postcard-seq"])),
};

impl OwnFormat for Postcard {
    fn name(&self) -> &'static str {
        self.name
    }

    fn media_types(&self) -> &'static [&'static str] {
        self.media_types
    }

    fn sequence(&self) -> Option<Sequence> {
        self.sequence
    }

    fn holds(&self, ty: &Type) -> Result<(), FormatError> {
        match ty.shape() == manywire::content::dynamic::Shape::any() {
            true => Err(FormatError::new("postcard holds no values of which nothing is known")),
            false => Ok(()),
        }
    }

    fn encode<T: Serialize + ?Sized>(
        &self,
        value: &T,
        out: &mut Vec<u8>,
    ) -> Result<(), FormatError> {
        *out = postcard::to_extend(value, std::mem::take(out))?;
        Ok(())
    }

    fn decode<'de, S: DeserializeSeed<'de>>(
        &self,
        seed: S,
        bytes: &'de [u8],
        _limits: Limits,
    ) -> Result<S::Value, FormatError> {
        let mut deserializer = postcard::Deserializer::from_bytes(bytes);
        let value = seed.deserialize(&mut deserializer)?;
        let left = deserializer.finalize()?;
        match left.is_empty() {
            true => Ok(value),
            false => Err(FormatError::new("expected the end").at_byte(bytes.len() - left.len())),
        }
    }
}
