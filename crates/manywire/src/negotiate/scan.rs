//! What the fields of negotiation are made of (RFC 9110, section 5.6): tokens, quoted strings,
//! lists. All on bytes, and nothing is copied.

/// For each byte whether a token may hold it. A table: this is asked for every byte of a header.
static TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let known = byte as u8;
        table[byte] = known.is_ascii_alphanumeric()
            || matches!(
                known,
                b'!' | b'#'
                    | b'$'
                    | b'%'
                    | b'&'
                    | b'\''
                    | b'*'
                    | b'+'
                    | b'-'
                    | b'.'
                    | b'^'
                    | b'_'
                    | b'`'
                    | b'|'
                    | b'~'
            );
        byte += 1;
    }
    table
};

/// The length of the token at the start, zero if there is none.
#[inline]
pub(crate) fn token_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !TOKEN[usize::from(*byte)]).unwrap_or(bytes.len())
}

/// What follows optional white space.
#[inline]
pub(crate) fn after_space(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

/// The length of the quoted string at the start with both its quotes, or nothing where it never
/// closes or holds a control character.
pub(super) fn quoted_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' if is_quotable(*bytes.get(at + 1)?) => at += 2,
            byte if is_quotable(byte) && byte != b'\\' => at += 1,
            _ => return None,
        }
    }
}

fn is_quotable(byte: u8) -> bool {
    byte == b'\t' || byte >= b' ' && byte != 0x7F
}

/// Splits a list at its next comma outside quotes; one that opens a string and never closes it
/// is taken whole.
pub(super) fn member(list: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    while let Some(byte) = list.get(at) {
        match byte {
            b',' => return (&list[..at], &list[at + 1..]),
            b'"' => at += quoted_length(&list[at..]).unwrap_or(list.len() - at),
            _ => at += 1,
        }
    }
    (list, &[])
}

/// One parameter and what follows it, of text that begins behind a `;`: `None` in the first place
/// for an empty one, which section 5.6.6 allows.
#[inline]
#[allow(clippy::type_complexity, reason = "a name would be longer than the type")]
pub(crate) fn parameter(text: &[u8]) -> Option<(Option<(&[u8], &[u8])>, &[u8])> {
    let text = after_space(text);
    let name_length = token_length(text);
    if name_length == 0 {
        return Some((None, text));
    }
    let (name, rest) = text.split_at(name_length);
    let [b'=', rest @ ..] = rest else { return None };
    let value_length = match rest {
        [b'"', ..] => quoted_length(rest)?,
        _ => token_length(rest),
    };
    if value_length == 0 {
        return None;
    }
    let (value, rest) = rest.split_at(value_length);
    Some((Some((name, value)), rest))
}

/// Whether the value of a parameter, as it was sent, is this text.
pub(super) fn value_is(sent: &[u8], value: &[u8], any_case: bool) -> bool {
    let same =
        |sent: &u8, known: &u8| sent == known || any_case && sent.eq_ignore_ascii_case(known);
    match sent {
        [b'"', inner @ .., b'"'] => {
            let mut known = value.iter();
            let mut inner = inner.iter();
            while let Some(mut byte) = inner.next() {
                if *byte == b'\\' {
                    byte = inner.next().unwrap_or(byte);
                }
                if !known.next().is_some_and(|known| same(byte, known)) {
                    return false;
                }
            }
            known.next().is_none()
        }
        bare => bare.len() == value.len() && bare.iter().zip(value).all(|(a, b)| same(a, b)),
    }
}

/// The next member of a list, as `read` has it, or else as it stands; `rest` becomes what follows.
/// Empty members are none (section 5.6.1.2).
#[inline]
pub(super) fn next_member<'h, T>(
    rest: &mut &'h [u8],
    read: impl FnOnce(&'h [u8]) -> Option<(T, &'h [u8])>,
) -> Option<Result<T, &'h [u8]>> {
    loop {
        *rest = after_space(rest);
        match *rest {
            [] => return None,
            [b',', behind @ ..] => *rest = behind,
            _ => break,
        }
    }
    let (found, behind) = match read(rest) {
        Some((found, behind)) => (Ok(found), behind),
        None => {
            let (whole, behind) = member(rest);
            (Err(whole), behind)
        }
    };
    *rest = behind;
    Some(found)
}
