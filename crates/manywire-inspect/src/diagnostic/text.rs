//! Text and bytes in diagnostic notation.

use std::io::{self, Write};

/// Text as JSON has it. What a terminal would obey is escaped; all else stands for itself.
pub(super) fn write_text(text: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"")?;
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(out, "\\{character}")?,
            '\n' => write!(out, "\\n")?,
            '\r' => write!(out, "\\r")?,
            '\t' => write!(out, "\\t")?,
            _ if character.is_control() => write!(out, "\\u{:04x}", character as u32)?,
            _ => write!(out, "{character}")?,
        }
    }
    write!(out, "\"")
}

/// Bytes as `h'0102'`.
pub(super) fn write_bytes(bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "h'")?;
    for byte in bytes {
        write!(out, "{byte:02x}")?;
    }
    write!(out, "'")
}
