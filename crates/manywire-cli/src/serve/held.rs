use std::thread;

use manywire::content::Framing;
use manywire_codec::Codec;
use manywire_format::{Format, Schema};
use manywire_payload::LIMITS;
use manywire_shape::fidelity::{Losses, Tolerance, losses_beyond};
use manywire_shape::{Arena, Shape, Value};

/// The formats that hold these values as they are, and why the others do not. So many are tried
/// `at_once`, each of which takes the memory of the values again where it reads them back.
pub(super) fn split(
    formats: &[Format],
    shape: &Shape,
    values: &[Value<'static>],
    is_stream: bool,
    at_once: usize,
) -> (Vec<Format>, Vec<(Format, String)>) {
    let (mut held, mut refused) = (Vec::new(), Vec::new());
    for formats in formats.chunks(at_once) {
        let results: Vec<Result<(), String>> = thread::scope(|scope| {
            let check = |format| scope.spawn(move || holds(format, shape, values, is_stream));
            let threads: Vec<_> = formats.iter().map(|format| check(*format)).collect();
            let failed = |_| Err("its codec failed".to_owned());
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(failed)).collect()
        });
        for (format, result) in formats.iter().zip(results) {
            match result {
                Ok(()) => held.push(*format),
                Err(reason) => refused.push((*format, reason)),
            }
        }
    }
    (held, refused)
}

fn holds(
    format: Format,
    shape: &Shape,
    values: &[Value<'static>],
    is_stream: bool,
) -> Result<(), String> {
    if is_stream && Framing::of(format).is_empty() {
        return Err("it has no way to put values one after the other".to_owned());
    }
    let codec = Codec::new(format, shape).map_err(|error| error.to_string())?;
    // Formats that say themselves what they hold refuse what they cannot; where a shape decides,
    // only reading it back shows it.
    let reads_back = format.row().schema != Schema::InBand;
    let (mut bytes, mut arena) = (Vec::new(), Arena::new());
    for value in values {
        bytes.clear();
        codec.encode(value, &mut bytes).map_err(|error| error.to_string())?;
        if reads_back {
            let returned = codec.decode_with(&bytes, &arena, LIMITS);
            let returned = returned.map_err(|error| error.to_string())?;
            let mut losses = Losses::default();
            losses_beyond(TOLERANCE, value, &returned, &mut losses);
            if let Some(loss) = losses.list().first() {
                return Err(format!("{}: {}", loss.path, loss.lost));
            }
            arena.reset();
        }
    }
    Ok(())
}

/// The same number is no loss; a field that is not there any more is one.
const TOLERANCE: Tolerance = Tolerance { numbers: true, absence: false };
