//! Diagnostic notation of CBOR: whatever the bytes, it is written; and what is written of valid
//! bytes says them all, so that a reader of the notation gets the same bytes back.

mod reader;

use manywire_format::Format;
use manywire_inspect::{Diagnostic, Options, walk};

use crate::target::{Broken, Holds, hold};

pub(crate) fn cbor(bytes: &[u8]) -> Holds {
    let (text, is_valid) = written(bytes)?;
    if !is_valid {
        return Ok(());
    }
    let back = reader::bytes_of(&text)
        .map_err(|(at, expected)| Broken(format!("{text:?}: expected {expected} at {at}")))?;
    // How wide NaN and the infinities are, and which NaN, is not written (RFC 8949, Appendix A).
    if text.contains("NaN") || text.contains("Infinity") {
        let (again, _) = written(&back)?;
        hold!(again == text, "{text:?} became {again:?}");
        return Ok(());
    }
    let same = back.iter().zip(bytes).take_while(|(one, other)| one == other).count();
    hold!(
        back == bytes,
        "from byte {same} on {:02x?} is written, and read as {:02x?}: {text}",
        &bytes[same..],
        &back[same..]
    );
    Ok(())
}

/// What is written of the bytes, and whether they are valid.
fn written(bytes: &[u8]) -> Result<(String, bool), Broken> {
    let mut out = Vec::new();
    let mut notation = Diagnostic::default();
    let mut failed = None;
    let summary = walk(Format::Cbor, bytes, Options::DEFAULT, &mut |event| {
        if let Err(error) = notation.add(&event, &mut out) {
            failed = Some(error);
        }
    });
    let finished = notation.finish(&mut out);
    if let Some(error) = failed.or(finished.err()) {
        return Err(Broken(format!("writing to memory fails: {error}")));
    }
    let text = String::from_utf8(out).map_err(|error| Broken(format!("no text: {error}")))?;
    Ok((text, summary.faults == 0))
}
