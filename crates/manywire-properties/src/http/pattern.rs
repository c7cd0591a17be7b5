//! Path patterns: which APIs are valid, and which endpoint a path leads to.
//!
//! An independent matcher tries all patterns one by one. It does not define an order among several
//! matches, except that a pattern without captures wins.

use http::{Method, StatusCode, Uri};
use manywire::content::Text;
use manywire::{Api, Format, Route, Service, get};

use super::client::{Request, call};
use crate::target::{CheckResult, Violation, ensure};

/// The maximum number of patterns, because more make a check slow and find nothing new.
const PATTERNS_MAX: usize = 8;

/// The maximum number of captures of a pattern. Each number needs an endpoint of another type.
const CAPTURES_MAX: usize = 4;

/// Checks an input of lines of patterns, an empty line, and lines of paths.
pub(crate) fn check(bytes: &[u8]) -> CheckResult {
    let text = String::from_utf8_lossy(bytes);
    let (patterns, paths) = text.split_once("\n\n").unwrap_or((&text, ""));
    let patterns: Vec<&str> = patterns.lines().take(PATTERNS_MAX).collect();
    let read: Vec<Option<Pattern<'_>>> = patterns.iter().map(|it| Pattern::read(it)).collect();
    if patterns.iter().any(|pattern| capture_count(pattern) > CAPTURES_MAX) {
        return Ok(());
    }
    for (pattern, read) in patterns.iter().zip(&read) {
        match service(&[pattern]) {
            Ok(_) => ensure!(read.is_some(), "invalid pattern {pattern:?} was accepted"),
            Err(faults) => {
                ensure!(read.is_none(), "valid pattern {pattern:?} was refused: {faults:?}")
            }
        }
    }
    let Ok(service) = service(&patterns) else { return Ok(()) };
    let known: Vec<Pattern<'_>> = read.into_iter().flatten().collect();
    for path in paths.lines() {
        let Ok(uri) = Uri::try_from(path) else { continue };
        // The query is not part of the path.
        if uri.path() == path {
            check_path(path, uri, &service, &known)?;
        }
    }
    Ok(())
}

/// Checks which endpoint a path leads to.
fn check_path(path: &str, uri: Uri, service: &Service, known: &[Pattern<'_>]) -> CheckResult {
    let request = Request { method: Method::GET, uri, fields: Vec::new(), body: Vec::new() };
    let answer = call(service, &request, None)?;
    let text = String::from_utf8_lossy(&answer.body);
    let Some(units) = units(path) else {
        let status = answer.status;
        ensure!(!status.is_server_error(), "{path:?} with broken percent-encoding: {status}");
        return Ok(());
    };
    let matching: Vec<(usize, Vec<&[Unit]>)> = known
        .iter()
        .enumerate()
        .filter_map(|(index, pattern)| Some((index, pattern.captures(&units)?)))
        .collect();
    if matching.is_empty() {
        ensure!(
            answer.status == StatusCode::NOT_FOUND,
            "{path:?} matches no pattern, but got {}",
            answer.status
        );
        return Ok(());
    }
    if answer.status == StatusCode::BAD_REQUEST {
        let is_text = |(_, captures): &(usize, Vec<&[Unit]>)| {
            captures.iter().all(|capture| decoded(capture).is_some())
        };
        ensure!(!matching.iter().all(is_text), "{path:?} is refused: {text}");
        return Ok(());
    }
    ensure!(answer.status == StatusCode::OK, "{path:?} leads to {matching:?}: {}", answer.status);
    let mut lines = text.split('\n');
    let index: usize = lines.next().and_then(|line| line.parse().ok()).unwrap_or(usize::MAX);
    let found: Vec<&str> = lines.collect();
    let at_index = matching.iter().find(|(known, _)| *known == index);
    let Some((_, captures)) = at_index else {
        return Err(Violation(format!("{path:?} led to {index}, but matches {matching:?}")));
    };
    let expected: Vec<String> = captures.iter().filter_map(|it| decoded(it)).collect();
    // A captured line feed looks like a separator.
    let plain = expected.iter().all(|text| !text.contains('\n'));
    ensure!(!plain || found == expected, "{path:?}: {expected:?} was captured as {found:?}");
    let literal = matching.iter().find(|(_, captures)| captures.is_empty());
    ensure!(
        literal.is_none_or(|(literal, _)| *literal == index),
        "{path:?} is a pattern without captures, but led to {index}"
    );
    Ok(())
}

/// Builds an API of these patterns. Each endpoint returns its index and its captures.
fn service(patterns: &[&str]) -> Result<Service, Vec<String>> {
    let api = Api::new("Patterns").formats([Format::Json]);
    let routes = patterns.iter().enumerate().map(|(index, pattern)| route(index, pattern));
    let built = routes.fold(api, Api::serve).build();
    built.map_err(|error| error.faults().to_vec())
}

/// Returns the number of captures of a pattern.
fn capture_count(pattern: &str) -> usize {
    pattern.matches('{').count()
}

/// Returns an endpoint for a pattern. The number of captures is part of the endpoint's type.
fn route(index: usize, pattern: &str) -> Route {
    let bare = get(pattern);
    let respond = move |captured: Vec<String>| {
        let lines = std::iter::once(index.to_string()).chain(captured);
        lines.collect::<Vec<_>>().join("\n")
    };
    macro_rules! takes {
        ($endpoint:expr; $($name:ident),*) => {
            $endpoint.returns::<Text>().to(move |$($name: String),*| {
                let text = respond(vec![$($name),*]);
                async move { text }
            })
        };
    }
    let one = |endpoint: manywire::Endpoint<()>| endpoint.path::<String>();
    match capture_count(pattern) {
        0 => takes!(bare;),
        1 => takes!(one(bare); a),
        2 => takes!(one(bare).path::<String>(); a, b),
        3 => takes!(one(bare).path::<String>().path::<String>(); a, b, c),
        _ => {
            let four = one(bare).path::<String>().path::<String>().path::<String>();
            takes!(four; a, b, c, d)
        }
    }
}

/// A byte of a path: plain, or percent-encoded. An unreserved character is always plain, and a byte
/// that a path cannot contain is always percent-encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Plain(u8),
    Encoded(u8),
}

const SLASH: Unit = Unit::Plain(b'/');

impl Unit {
    /// Returns the unit of a byte (RFC 3986, section 3.3).
    fn from_byte(byte: u8) -> Unit {
        let stands = byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&byte);
        if stands { Unit::Plain(byte) } else { Unit::Encoded(byte) }
    }

    fn byte(self) -> u8 {
        match self {
            Unit::Plain(byte) | Unit::Encoded(byte) => byte,
        }
    }
}

/// Splits a path into units; returns `None` for invalid percent-encoding.
fn units(path: &str) -> Option<Vec<Unit>> {
    let mut pieces = path.split('%');
    let mut units: Vec<Unit> = pieces.next()?.bytes().map(Unit::from_byte).collect();
    for piece in pieces {
        let digits = piece.get(..2).filter(|it| it.bytes().all(|it| it.is_ascii_hexdigit()))?;
        let byte = u8::from_str_radix(digits, 16).ok()?;
        let unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        units.push(if unreserved { Unit::Plain(byte) } else { Unit::Encoded(byte) });
        units.extend(piece.get(2..)?.bytes().map(Unit::from_byte));
    }
    Some(units)
}

fn decoded(units: &[Unit]) -> Option<String> {
    String::from_utf8(units.iter().map(|unit| unit.byte()).collect()).ok()
}

/// A pattern, segment by segment.
struct Pattern<'p> {
    segments: Vec<Segment>,
    names: Vec<&'p str>,
}

enum Segment {
    Text(Vec<Unit>),
    /// A capture between two texts.
    Capture(Vec<Unit>, Vec<Unit>),
    /// A capture of the remaining path after a text.
    Rest(Vec<Unit>),
}

impl<'p> Pattern<'p> {
    /// Parses a pattern that begins with a slash; returns `None` if the pattern is invalid.
    fn read(text: &'p str) -> Option<Pattern<'p>> {
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
                    pattern.segments.push(Segment::Capture(before, after));
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

    /// Returns the captures of a path; `None` if the path does not match.
    fn captures<'u>(&self, path: &'u [Unit]) -> Option<Vec<&'u [Unit]>> {
        let mut rest = path.strip_prefix(&[SLASH])?;
        let mut captures = Vec::new();
        for (index, segment) in self.segments.iter().enumerate() {
            let end = rest.iter().position(|unit| *unit == SLASH).unwrap_or(rest.len());
            let is_last = index + 1 == self.segments.len();
            let here = &rest[..end];
            match segment {
                Segment::Text(text) => (here == text).then_some(())?,
                Segment::Capture(before, after) => {
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
