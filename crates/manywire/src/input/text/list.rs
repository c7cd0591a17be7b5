use std::borrow::Cow;

/// The members of a list field, over all its lines (RFC 9110, sections 5.3 and 5.6.1): empty ones
/// are none, and a member that is a quoted string stands without its quotes.
pub(super) fn members<'t>(lines: &'t [Cow<'t, str>]) -> Vec<Cow<'t, str>> {
    let all = lines.iter().flat_map(|line| Members { rest: line });
    all.filter(|member| !member.is_empty()).map(unquoted).collect()
}

/// A member as a field can have it: in quotes where it holds what ends one.
#[cfg(feature = "client")]
pub(crate) fn member(text: &str) -> String {
    let is_plain = !text.is_empty() && text.trim() == text && !text.contains([',', '"', '\\']);
    if is_plain {
        return text.to_owned();
    }
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

struct Members<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Members<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let (mut is_quoted, mut is_escaped) = (false, false);
        let comma = self.rest.bytes().position(|byte| {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_quoted => is_escaped = true,
                b'"' => is_quoted = !is_quoted,
                b',' => return !is_quoted,
                _ => {}
            }
            false
        });
        let (member, rest) = match comma {
            Some(at) => (&self.rest[..at], &self.rest[at + 1..]),
            None => (self.rest, ""),
        };
        self.rest = rest;
        Some(member.trim_matches([' ', '\t']))
    }
}

/// The text of a quoted string (section 5.6.4), if a member is one.
fn unquoted(member: &str) -> Cow<'_, str> {
    let inner = member.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let Some(inner) = inner.filter(|_| member.len() > 1) else { return Cow::Borrowed(member) };
    let mut text = String::with_capacity(inner.len());
    let mut is_escaped = false;
    for character in inner.chars() {
        match character {
            '\\' if !is_escaped => is_escaped = true,
            // A quote within is the end of one member and no more: it stands as it came.
            '"' if !is_escaped => return Cow::Borrowed(member),
            other => {
                is_escaped = false;
                text.push(other);
            }
        }
    }
    Cow::Owned(text)
}
