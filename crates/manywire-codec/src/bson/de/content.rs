use super::Deserializer;
use crate::Result;
use crate::bson::element;

/// The content of an extension that is being written, taken apart.
pub(in crate::bson) enum Content<'de> {
    Null,
    IntegerAndBytes(i64, &'de [u8]),
    Texts(&'de str, &'de str),
    TextAndBytes(&'de str, &'de [u8]),
    /// The document's elements, without length and terminator.
    TextAndDocument(&'de str, &'de [u8]),
    Other,
}

impl<'de> Content<'de> {
    /// Takes apart the one item of an array that our own serializer wrote.
    pub(in crate::bson) fn parse(array: &'de [u8]) -> Result<Self> {
        let mut item = Deserializer::new(array).enter()?;
        item.next_key()?;
        let mut parts = match item.kind {
            element::NULL => return Ok(Content::Null),
            element::ARRAY => item.enter()?,
            _ => return Ok(Content::Other),
        };
        let [first, second, third] = [parts.part()?, parts.part()?, parts.part()?];
        Ok(match (first, second, third) {
            (Part::Integer(number), Part::Bytes(bytes), Part::None) => {
                Content::IntegerAndBytes(number, bytes)
            }
            (Part::Text(first), Part::Text(second), Part::None) => Content::Texts(first, second),
            (Part::Text(text), Part::Bytes(bytes), Part::None) => {
                Content::TextAndBytes(text, bytes)
            }
            (Part::Text(text), Part::Document(document), Part::None) => {
                Content::TextAndDocument(text, document)
            }
            _ => Content::Other,
        })
    }
}

enum Part<'de> {
    Integer(i64),
    Text(&'de str),
    Bytes(&'de [u8]),
    Document(&'de [u8]),
    Other,
    None,
}

impl<'de> Deserializer<'de> {
    fn part(&mut self) -> Result<Part<'de>> {
        if self.next_key()?.is_none() {
            return Ok(Part::None);
        }
        Ok(match self.kind {
            element::INT32 => Part::Integer(self.int32()?.into()),
            element::INT64 => Part::Integer(self.int64()?),
            element::STRING => Part::Text(self.text()?),
            element::DOCUMENT => Part::Document(self.document()?),
            element::BINARY => match self.binary()? {
                (element::GENERIC, bytes) => Part::Bytes(bytes),
                _ => Part::Other,
            },
            _ => {
                self.skip()?;
                Part::Other
            }
        })
    }
}
