//! A service that exists, and what it answered when it was asked once.

use crate::weigh::payload::{self, Payload};
use manywire_format::{Format, Schema};

/// A service that exists, and what it answered once in each format.
#[derive(Debug)]
pub struct Service {
    /// Where it is.
    pub url: String,
    /// Header fields of every request, names and values.
    pub headers: Vec<(String, String)>,
    /// For each format its answer, or what came instead.
    pub answers: Vec<(Format, Result<Vec<u8>, String>)>,
}

impl Service {
    /// The first answer that is read without a schema: what it is about.
    ///
    /// # Errors
    ///
    /// What it answered instead, format by format.
    pub fn payload(&self) -> Result<Payload, String> {
        let mut whys = Vec::new();
        for (format, answer) in &self.answers {
            let why = match answer {
                Ok(bytes) if format.row().schema == Schema::InBand => {
                    let payload = Payload::new(&self.url, *format, bytes.clone());
                    match payload::check(&payload) {
                        Ok(()) => return Ok(payload),
                        Err(error) => error.to_string(),
                    }
                }
                Ok(_) => "it cannot be read without a schema".to_owned(),
                Err(why) => why.clone(),
            };
            whys.push(format!("{format}: {why}"));
        }
        Err(whys.join("; "))
    }
}
