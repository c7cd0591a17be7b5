//! What stands in the pattern of a path.

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'p> {
    /// What a path has in this place as it is.
    Text(&'p str),
    /// What an endpoint takes, with its braces: `{name}` or `{*name}`.
    Capture(&'p str),
}

/// The parts of a pattern, in their order.
///
/// # Errors
/// In words, where a brace is no part of a capture: as text it is percent-encoded, as in any URI.
pub(crate) fn pieces(pattern: &str) -> Result<Vec<Piece<'_>>, String> {
    let stray = || "a brace that belongs to no {name} is written %7B or %7D".to_owned();
    let (mut pieces, mut names) = (Vec::new(), Vec::new());
    let mut rest = pattern;
    while let Some(at) = rest.find(['{', '}']) {
        let (text, from) = rest.split_at(at);
        let (name, after) =
            from.strip_prefix('{').and_then(|it| it.split_once('}')).ok_or_else(stray)?;
        if name.contains('{') || after.starts_with('}') {
            return Err(stray());
        }
        let name = name.strip_prefix('*').unwrap_or(name);
        if name.is_empty() || name.contains(['*', '/']) {
            return Err("a named segment has a name: {id}, or {*rest} at the end".to_owned());
        }
        if names.contains(&name) {
            return Err(format!("the path names {{{name}}} twice"));
        }
        names.push(name);
        pieces.extend([Piece::Text(text), Piece::Capture(&from[..from.len() - after.len()])]);
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}
