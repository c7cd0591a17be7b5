use manywire_format::Framing;
use manywire_schema::Language;

use crate::payload::{Found, Input, reader};

/// The schema that container files bring, where every source is one and all bring the same.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    first: Option<(String, String)>,
    differs: bool,
}

impl Carried {
    /// That of these sources, of which the headers are read and nothing else. What cannot be read, or
    /// not again, brings none.
    pub fn by(sources: &[Found]) -> Carried {
        let mut carried = Carried::default();
        let again = |found: &Found| {
            found.form.framing == Framing::Container && found.source.is_repeatable()
        };
        carried.differs = !sources.iter().all(again);
        for found in sources {
            if carried.differs {
                break;
            }
            match reader::open(found, None) {
                Ok(input) => carried.add(&input),
                Err(_) => carried.differs = true,
            }
        }
        carried
    }

    /// Takes notice of what a source brings.
    pub fn add(&mut self, input: &Input) {
        let text = match input.schema().and_then(|schema| schema.language.as_ref()) {
            Some(Language::Avro(schema)) if input.brings_schema() => schema.to_string(),
            _ => {
                self.differs = true;
                return;
            }
        };
        match &self.first {
            None => self.first = Some((input.name().to_owned(), text)),
            Some((_, first)) => self.differs |= *first != text,
        }
    }

    /// The name of the first source, and the text of the schema, as an `.avsc` has it.
    pub fn avsc(&self) -> Option<(&str, &str)> {
        let (name, text) = self.first.as_ref().filter(|_| !self.differs)?;
        Some((name, text))
    }
}
