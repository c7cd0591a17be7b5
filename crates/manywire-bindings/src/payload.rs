//! Payloads: bytes, and how to read them.

use manywire_format::{Form, Format, Framing};
use manywire_inspect::{detect, is_text, recognised_formats};
use manywire_tools::payload::{Halt, Input, InputCoding, Item, Source, Take, framing_of_json};

use crate::{Error, Schema};

/// The name of the payload in messages.
const NAME: &str = "the payload";

/// A payload.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'p> {
    bytes: &'p [u8],
    form: Option<Form>,
    schema: Option<&'p Schema>,
}

/// A payload with its form, without a content coding.
pub(crate) struct Opened<'p> {
    pub(crate) bytes: Vec<u8>,
    pub(crate) form: Form,
    pub(crate) schema: Option<&'p Schema>,
}

impl<'p> Payload<'p> {
    /// Creates a payload. If the first bytes show the content coding gzip or zstd, they are
    /// decompressed. `form` is the name of the form of the values: without one, text is read as JSON,
    /// and other bytes must show their format with certainty. Some forms need a schema.
    ///
    /// # Errors
    /// Fails for an unknown form.
    pub fn new(
        bytes: &'p [u8],
        form: Option<&str>,
        schema: Option<&'p Schema>,
    ) -> Result<Self, Error> {
        let form = form.map(str::parse::<Form>).transpose().map_err(Error::new)?;
        Ok(Payload { bytes, form, schema })
    }

    /// Removes the content coding, and finds the form.
    pub(crate) fn open(&self) -> Result<Opened<'p>, Error> {
        let bytes = Source::of_bytes(NAME, self.bytes).bytes()?;
        let form = self.form.map_or_else(|| form_of(&bytes), Ok)?;
        Ok(Opened { bytes, form, schema: self.schema })
    }
}

/// Returns the form that bytes show: JSON for text, or the format that is certain.
fn form_of(bytes: &[u8]) -> Result<Form, Error> {
    if is_text(bytes) {
        return Ok(Form { format: Format::Json, framing: framing_of_json(bytes) });
    }
    let found = detect(bytes, true, &recognised_formats());
    if let Some(form) = found.certain {
        return Ok(form);
    }
    let mut names: Vec<&str> = found.fitting.iter().map(|form| form.format.name()).collect();
    names.dedup();
    Err(Error::new(match names.is_empty() {
        true => "the payload is binary and does not show its format: name it by `form`".to_owned(),
        false => {
            format!("the payload could be {}: name its format by `form`", names.join(" or "))
        }
    }))
}

impl Opened<'_> {
    pub(crate) fn source(&self) -> Source {
        Source::of_bytes(NAME, self.bytes.as_slice()).with_coding(Some(InputCoding::None))
    }

    pub(crate) fn tools_schema(&self) -> Option<manywire_tools::payload::Schema> {
        self.schema.map(|schema| schema.parsed().clone())
    }

    /// Visits each value. A payload without a value is refused, except for a container file.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(Item<'_>)) -> Result<u64, Error> {
        let schema = self.schema.map(Schema::parsed);
        let mut visitor = Visitor { visit, count: 0 };
        let mut input = Input::open(&self.source(), self.form, schema)?.with_rounded_fractions();
        input.each(&mut visitor)?;
        match visitor.count {
            0 if self.form.framing != Framing::Container => {
                Err(Error::new("the payload has no value"))
            }
            count => Ok(count),
        }
    }
}

struct Visitor<'v> {
    visit: &'v mut dyn FnMut(Item<'_>),
    count: u64,
}

impl Take for Visitor<'_> {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        self.count += 1;
        (self.visit)(item);
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}
