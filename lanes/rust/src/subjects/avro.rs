use std::io::{self, Write};
use std::sync::Mutex;

use apache_avro::types::Value;
use apache_avro::{GenericSingleObjectWriter, Schema, from_avro_datum};

use crate::coder::{load, owned, sure};
use crate::error::Result;
use crate::plain;
use crate::subject::{self, Subject};

/// The length of the header of Avro's single-object encoding: two bytes and a fingerprint.
const HEADER_BYTES: usize = 10;

pub(super) fn dynamic() -> Vec<Subject> {
    vec![subject::dynamic("apache-avro", "avro", |known, bytes| {
        let schema = Schema::parse_str(known.avsc()?)?;
        let (ours, _) = known.avro()?;
        // `to_avro_datum` consumes the value. This writer borrows it, and uses a schema that was resolved
        // beforehand.
        let writer = GenericSingleObjectWriter::new_with_capacity(&schema, 1024)?;
        let writer = Mutex::new(writer);
        let coder = owned(
            move |mut bytes| Ok(from_avro_datum(&schema, &mut bytes, None)?),
            move |value: &Value| -> Result<Vec<u8>> {
                let mut out = Headless(Vec::new());
                writer.lock().map_err(|_| "a panic before")?.write_value_ref(value, &mut out)?;
                Ok(out.0)
            },
            move |value, arena| plain::avro(&ours, ours.root(), value, arena),
        );
        load(coder, bytes, sure)
    })]
}

/// Collects an object that is written in one call, without its header.
struct Headless(Vec<u8>);

impl Write for Headless {
    fn write(&mut self, object: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(object.get(HEADER_BYTES..).unwrap_or_default());
        Ok(object.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
