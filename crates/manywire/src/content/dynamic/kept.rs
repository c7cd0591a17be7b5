use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use manywire_codec::Result;
use manywire_format::Format;

use super::DynamicCodecs;

/// What a value was written as. There are few entries: one a format, of each endpoint that
/// answers with the value.
#[derive(Default)]
pub(super) struct Kept(Mutex<Vec<Entry>>);

struct Entry {
    /// Endpoints of different shapes write one value differently.
    codecs: Arc<DynamicCodecs>,
    format: Format,
    bytes: Bytes,
}

impl Kept {
    /// The bytes as they were written first.
    pub(super) fn get_or(
        &self,
        codecs: &Arc<DynamicCodecs>,
        format: Format,
        encode: impl FnOnce() -> Result<Bytes>,
    ) -> Result<Bytes> {
        if let Some(bytes) = self.get(codecs, format) {
            return Ok(bytes);
        }
        // Nobody waits for a long value to be written in another format; two who ask for the same
        // at once may both write it, and one result is kept.
        let bytes = encode()?;
        if let Some(first) = self.get(codecs, format) {
            return Ok(first);
        }
        let entry = Entry { codecs: Arc::clone(codecs), format, bytes: bytes.clone() };
        self.entries().push(entry);
        Ok(bytes)
    }

    fn get(&self, codecs: &Arc<DynamicCodecs>, format: Format) -> Option<Bytes> {
        let entries = self.entries();
        let same = |entry: &&Entry| entry.format == format && Arc::ptr_eq(&entry.codecs, codecs);
        entries.iter().find(same).map(|entry| entry.bytes.clone())
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, Vec<Entry>> {
        // An entry is pushed whole or not at all, whatever panicked meanwhile.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}
