//! Paths and their patterns, as RFC 3986 has them: a second reading, one pattern at a time.

/// A byte of a path: as it stands, or percent-encoded because it cannot or may not stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Plain(u8),
    Encoded(u8),
}

const SLASH: Unit = Unit::Plain(b'/');

impl Unit {
    /// A byte that stands there (RFC 3986, section 3.3).
    fn of(byte: u8) -> Unit {
        let stands = byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&byte);
        if stands { Unit::Plain(byte) } else { Unit::Encoded(byte) }
    }

    fn byte(self) -> u8 {
        match self {
            Unit::Plain(byte) | Unit::Encoded(byte) => byte,
        }
    }
}

/// A path byte by byte; nothing where a percent sign has no digits.
pub(super) fn units(path: &str) -> Option<Vec<Unit>> {
    let mut pieces = path.split('%');
    let mut units: Vec<Unit> = pieces.next()?.bytes().map(Unit::of).collect();
    for piece in pieces {
        let digits = piece.get(..2).filter(|it| it.bytes().all(|it| it.is_ascii_hexdigit()))?;
        let byte = u8::from_str_radix(digits, 16).ok()?;
        let unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        units.push(if unreserved { Unit::Plain(byte) } else { Unit::Encoded(byte) });
        units.extend(piece.get(2..)?.bytes().map(Unit::of));
    }
    Some(units)
}

pub(super) fn decoded(units: &[Unit]) -> Option<String> {
    String::from_utf8(units.iter().map(|unit| unit.byte()).collect()).ok()
}

/// A pattern, segment by segment.
pub(super) struct Pattern<'p> {
    segments: Vec<Segment>,
    names: Vec<&'p str>,
}

enum Segment {
    Text(Vec<Unit>),
    /// A capture between two texts.
    One(Vec<Unit>, Vec<Unit>),
    /// All that is left, behind a text.
    Rest(Vec<Unit>),
}

impl<'p> Pattern<'p> {
    /// Reads a pattern that begins with a slash; nothing if it is none.
    pub(super) fn read(text: &'p str) -> Option<Pattern<'p>> {
        let mut pattern = Pattern { segments: Vec::new(), names: Vec::new() };
        let written: Vec<&str> = text.strip_prefix('/')?.split('/').collect();
        for (index, segment) in written.iter().enumerate() {
            let Some((before, rest)) = segment.split_once('{') else {
                (!segment.contains('}')).then_some(())?;
                pattern.segments.push(Segment::Text(units(segment)?));
                continue;
            };
            let (name, after) = rest.split_once('}')?;
            let is_last = index + 1 == written.len() && after.is_empty();
            let (before, after) = (units(before)?, units(after)?);
            let name = match name.strip_prefix('*') {
                Some(name) => {
                    is_last.then_some(())?;
                    pattern.segments.push(Segment::Rest(before));
                    name
                }
                None => {
                    pattern.segments.push(Segment::One(before, after));
                    name
                }
            };
            let plain = !name.is_empty() && !name.contains('*');
            (plain && !pattern.names.contains(&name)).then_some(())?;
            pattern.names.push(name);
        }
        let braces = text.matches(['{', '}']).count();
        (braces == 2 * pattern.names.len()).then_some(pattern)
    }

    /// Whether a capture has text before or behind it in its segment.
    pub(super) fn has_affix(&self) -> bool {
        self.segments.iter().any(|segment| match segment {
            Segment::Text(_) => false,
            Segment::One(before, after) => !before.is_empty() || !after.is_empty(),
            Segment::Rest(before) => !before.is_empty(),
        })
    }

    /// What is captured of a path; nothing if it does not match.
    pub(super) fn captures<'u>(&self, path: &'u [Unit]) -> Option<Vec<&'u [Unit]>> {
        let mut rest = path.strip_prefix(&[SLASH])?;
        let mut captures = Vec::new();
        for (index, segment) in self.segments.iter().enumerate() {
            let end = rest.iter().position(|unit| *unit == SLASH).unwrap_or(rest.len());
            let is_last = index + 1 == self.segments.len();
            let here = &rest[..end];
            match segment {
                Segment::Text(text) => (here == text).then_some(())?,
                Segment::One(before, after) => {
                    let inner = here.strip_prefix(&**before)?.strip_suffix(&**after)?;
                    (!inner.is_empty()).then_some(())?;
                    captures.push(inner);
                }
                Segment::Rest(before) => {
                    let inner = rest.strip_prefix(&**before)?;
                    (!inner.is_empty()).then_some(())?;
                    captures.push(inner);
                    return Some(captures);
                }
            }
            match (is_last, end == rest.len()) {
                (true, true) => return Some(captures),
                (false, false) => rest = &rest[end + 1..],
                _ => return None,
            }
        }
        None
    }
}
