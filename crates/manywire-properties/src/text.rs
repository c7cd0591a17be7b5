//! Bytes as text, and names on the command line.

use manywire_format::{Coding, CodingLevel, Form, Format, MediaType};
use manywire_tools::payload::text::{Annotated, base64, bytes_of, hex};

use crate::target::{CheckResult, Violation, ensure};

/// Checks hex and base64: the bytes match the digits, and text printed from the bytes is read as
/// the same bytes.
pub(crate) fn bytes(input: &[u8]) -> CheckResult {
    let _ = bytes_of(input);
    let text = String::from_utf8_lossy(input);
    if let Some(read) = hex(&text) {
        let written: String = read.iter().map(|byte| format!("{byte:02x}")).collect();
        let digits = text.replace("0x", "").replace("0X", "").to_ascii_lowercase();
        let digits: String = digits.chars().filter(char::is_ascii_hexdigit).collect();
        ensure!(digits == written, "{text:?} is read as {written}");
        ensure!(hex(&written).as_ref() == Some(&read), "{written} is not read as hex");
    }
    if let Some(read) = base64(&text) {
        let digits = text.trim().trim_end_matches('=').replace('-', "+").replace('_', "/");
        let written = in_base64(&read);
        ensure!(digits == written.trim_end_matches('='), "{text:?} is read as {written}");
        ensure!(base64(&written).as_ref() == Some(&read), "{written} is not read as base64");
    }
    let written = in_base64(input);
    let back = base64(&written);
    let same = back.as_deref() == Some(input) || input.is_empty() && back.is_none();
    ensure!(same, "{written} is read as {back:02x?}");
    Ok(())
}

/// Returns the base64 of bytes (RFC 4648, section 4).
pub(crate) fn in_base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - group.len()));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 0x3f) as usize];
            text.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// Checks annotated text: the bytes of each row are the same whether the row is read from a table
/// or from JSON.
pub(crate) fn annotated(input: &[u8]) -> CheckResult {
    let text = String::from_utf8_lossy(input);
    let mut annotated = Annotated::default();
    let mut rows = Vec::new();
    for line in text.lines() {
        match annotated.line(line) {
            Ok(bytes) if bytes.is_empty() => {}
            Ok(bytes) => rows.push(bytes),
            Err(error) => {
                ensure!(!error.to_string().is_empty(), "an error without a message");
                break;
            }
        }
    }
    let (mut table, mut json) = (Annotated::default(), Annotated::default());
    let mut offset = 0;
    for row in &rows {
        let pairs: Vec<String> = row.iter().map(|byte| format!("{byte:02x}")).collect();
        let line = format!("{offset:>6}  {}  3-element map  $  4", pairs.join(" "));
        let object = format!("{{\"offset\":{offset},\"bytes\":\"{}\"}}", pairs.concat());
        for (annotated, line) in [(&mut table, line), (&mut json, object)] {
            let back =
                annotated.line(&line).map_err(|error| Violation(format!("{line}: {error}")))?;
            ensure!(back == *row, "{line} is read as {back:02x?}");
        }
        offset += row.len();
    }
    ensure!(table.rows() == rows.len(), "{} of {} rows", table.rows(), rows.len());
    Ok(())
}

/// Checks names of forms, formats, codings and media types: a value that is printed and read again
/// stays the same.
pub(crate) fn words(input: &[u8]) -> CheckResult {
    let text = String::from_utf8_lossy(input);
    if let Ok(form) = text.parse::<Form>() {
        ensure!(form.name().parse() == Ok(form), "{text:?} is {}", form.name());
    }
    if let Ok(format) = text.parse::<Format>() {
        ensure!(format.name().parse() == Ok(format), "{text:?} is {}", format.name());
    }
    if let Ok(coding) = text.parse::<Coding>() {
        ensure!(coding.name().parse() == Ok(coding), "{text:?} is {}", coding.name());
    }
    if let Ok(level) = text.parse::<CodingLevel>() {
        ensure!(level.to_string().parse() == Ok(level), "{text:?} is {level}");
    }
    let _ = Form::of_path(std::path::Path::new(&*text));
    match MediaType::parse(&text) {
        Ok(media_type) => {
            let written = media_type.to_string();
            ensure!(
                MediaType::parse(&written).as_ref() == Ok(&media_type),
                "{text:?} is {written}, which is read otherwise"
            );
        }
        Err(error) => ensure!(!error.to_string().is_empty(), "an error without a message"),
    }
    Ok(())
}
