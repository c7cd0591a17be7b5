/// A place in a text, as people count: from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line; lines end with U+000A.
    pub line: usize,
    /// The character within the line.
    pub column: usize,
}

/// The line and column of a byte offset, such as [`Error::offset`](crate::Error::offset) gives.
///
/// Columns are counted in characters, not bytes. An offset past the end is taken for the end; in
/// bytes that are not UTF-8, whatever could begin a character counts as one.
pub fn position(bytes: &[u8], offset: usize) -> Position {
    let before = bytes.get(..offset).unwrap_or(bytes);
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let line = 1 + before[..line_start].iter().filter(|&&byte| byte == b'\n').count();
    let characters = before[line_start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
    Position { line, column: 1 + characters }
}
