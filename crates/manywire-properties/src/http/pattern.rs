//! Path patterns: which are valid; an API of several patterns answers as one of them alone would, in
//! any percent-encoding of the path; a pattern filled with its captures is the path; and the path that
//! a client writes leads back to its captures.

use std::collections::HashSet;

use http::{Method, StatusCode, Uri};
use manywire::content::Text;
use manywire::{Api, Client, Format, Route, Service, get};

use super::client::{Answer, Request, call, percent_decoded, wait};
use crate::target::{CheckResult, Violation, ensure};

/// The maximum number of patterns, because more make a check slow and find nothing new.
const PATTERNS_MAX: usize = 8;

/// The maximum number of captures of a pattern. Each number needs an endpoint of another type.
const CAPTURES_MAX: usize = 4;

/// Checks an input of lines of patterns, an empty line, and lines of paths. The paths are also the
/// texts that a client writes into captures.
pub(crate) fn check(bytes: &[u8]) -> CheckResult {
    let text = String::from_utf8_lossy(bytes);
    let (patterns, paths) = text.split_once("\n\n").unwrap_or((&text, ""));
    let patterns: Vec<&str> = patterns.lines().take(PATTERNS_MAX).collect();
    if patterns.iter().any(|pattern| capture_count(pattern) > CAPTURES_MAX) {
        return Ok(());
    }
    let mut singles = Vec::new();
    for (index, pattern) in patterns.iter().copied().enumerate() {
        match (texts(pattern), service([(index, pattern)])) {
            (Some(texts), Ok(service)) => singles.push(Single { index, pattern, texts, service }),
            (None, Ok(_)) => {
                return Err(Violation(format!("the invalid pattern {pattern:?} is accepted")));
            }
            (Some(_), Err(faults)) => {
                return Err(Violation(format!(
                    "the valid pattern {pattern:?} is refused: {faults:?}"
                )));
            }
            (None, Err(faults)) => {
                let named = faults.iter().all(|fault| fault.contains(pattern));
                ensure!(named && !faults.is_empty(), "{pattern:?} is refused: {faults:?}");
            }
        }
    }
    let texts = || paths.lines().filter(|text| !text.is_empty()).map(str::to_owned);
    for single in &singles {
        let captures: Vec<String> = texts().cycle().take(capture_count(single.pattern)).collect();
        if texts().next().is_some() {
            single.round_trip(&captures)?;
        }
    }
    let Ok(service) = service(patterns.iter().copied().enumerate()) else { return Ok(()) };
    for path in paths.lines() {
        let Ok(uri) = Uri::try_from(path) else { continue };
        // The query is not part of the path.
        if uri.path() == path {
            check_path(path, &uri, &service, &singles)?;
        }
    }
    Ok(())
}

/// Checks which endpoint a path leads to.
fn check_path(path: &str, uri: &Uri, service: &Service, singles: &[Single<'_>]) -> CheckResult {
    let answer = fetch(service, uri)?;
    let status = answer.status;
    ensure!(!status.is_server_error(), "{path:?}: {status}");
    let Some(decoded) = percent_decoded(path) else { return Ok(()) };
    let mut texts = singles.iter().flat_map(|single| &single.texts).chain([&decoded]);
    let is_text = texts.all(|text| std::str::from_utf8(text).is_ok());
    ensure!(!is_text || status != StatusCode::BAD_REQUEST, "{path:?} is text, and is refused");
    let same = |other: &Answer| {
        other.status == status && (status != StatusCode::OK || other.body == answer.body)
    };
    let text = String::from_utf8_lossy(&answer.body);
    let mut matches = Vec::new();
    for single in singles {
        let alone = fetch(&single.service, uri)?;
        // A pattern without captures comes before all others.
        let is_first = capture_count(single.pattern) == 0 && alone.status == StatusCode::OK;
        ensure!(!is_first || same(&alone), "{path:?} leads to {text:?}, not to {}", single.index);
        if alone.status != StatusCode::NOT_FOUND {
            matches.push(alone);
        }
    }
    match &matches[..] {
        [] => ensure!(status == StatusCode::NOT_FOUND, "{path:?} matches nothing: {status}"),
        _ => ensure!(matches.iter().any(same), "{path:?} leads to no match: {status} {text:?}"),
    }
    let recoded = recoded(path);
    let uri = Uri::try_from(recoded.as_str())
        .map_err(|error| Violation(format!("{recoded}: {error}")))?;
    let other = fetch(service, &uri)?;
    ensure!(same(&other), "{path:?} is {status}, {recoded} is {}: {text:?}", other.status);
    if status == StatusCode::OK {
        let mut lines = text.split('\n');
        let index = lines.next().unwrap_or_default();
        let captures: Vec<String> = lines.map(str::to_owned).collect();
        let single = singles.iter().find(|single| single.index.to_string() == index);
        let single = single.ok_or_else(|| Violation(format!("{path:?} leads to {text:?}")))?;
        // A captured line feed looks like a separator.
        if captures.len() == capture_count(single.pattern) {
            let filled = single.filled(&captures);
            ensure!(filled == decoded, "{path:?} is {:?} with {captures:?}", single.pattern);
            single.round_trip(&captures)?;
        }
    }
    Ok(())
}

fn fetch(service: &Service, uri: &Uri) -> Result<Answer, Violation> {
    let (method, uri) = (Method::GET, uri.clone());
    call(service, &Request { method, uri, fields: Vec::new(), body: Vec::new() }, None)
}

/// Returns the texts before, between and after the captures of a pattern, without percent-encoding,
/// or `None` for an invalid pattern. This is a second reading of the rules of patterns, independent of
/// the service.
fn texts(pattern: &str) -> Option<Vec<Vec<u8>>> {
    let (mut texts, mut names) = (Vec::new(), HashSet::new());
    let mut rest = Some(pattern).filter(|pattern| pattern.starts_with('/'))?;
    while let Some((before, capture)) = rest.split_once('{') {
        let (name, after) = capture.split_once('}')?;
        let bare = name.strip_prefix('*').unwrap_or(name);
        let is_name = !bare.is_empty() && !bare.contains(['/', '{', '*']) && names.insert(bare);
        // A segment has one capture, and a capture of the remaining path is the end.
        let is_alone = !after.split('/').next()?.contains('{');
        let is_placed = is_alone && (bare == name || after.is_empty());
        (is_name && is_placed && !before.contains('}')).then_some(())?;
        texts.push(percent_decoded(before)?);
        rest = after;
    }
    texts.push(percent_decoded(rest).filter(|_| !rest.contains('}'))?);
    Some(texts)
}

/// Returns the same path in another percent-encoding: letters and digits are encoded, and the
/// digits of every encoding are in lowercase.
fn recoded(path: &str) -> String {
    let encoded = |text: &str| -> String {
        text.chars()
            .map(|c| match c.is_ascii_alphanumeric() {
                true => format!("%{:02x}", u32::from(c)),
                false => c.to_string(),
            })
            .collect()
    };
    let mut pieces = path.split('%');
    let mut recoded = encoded(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (digits, rest) = piece.split_at(2);
        recoded += &format!("%{}{}", digits.to_ascii_lowercase(), encoded(rest));
    }
    recoded
}

/// An API of a single pattern.
struct Single<'p> {
    index: usize,
    pattern: &'p str,
    /// The [`texts`] of the pattern.
    texts: Vec<Vec<u8>>,
    service: Service,
}

impl Single<'_> {
    /// Returns the path with these captures, without percent-encoding.
    fn filled(&self, captures: &[String]) -> Vec<u8> {
        let mut path = Vec::new();
        for (index, text) in self.texts.iter().enumerate() {
            path.extend(text);
            path.extend(captures.get(index).map(String::as_bytes).unwrap_or_default());
        }
        path
    }

    /// Checks that the path that a client writes from captures leads back to them.
    fn round_trip(&self, captures: &[String]) -> CheckResult {
        let found = called(&Client::of(self.service.clone()), self.pattern, captures)?;
        let expected = lines(self.index, captures);
        ensure!(found == expected, "{:?}: {expected:?} is read as {found:?}", self.pattern);
        Ok(())
    }
}

/// Builds an API of these patterns. Each endpoint returns its index and its captures.
fn service<'p>(
    patterns: impl IntoIterator<Item = (usize, &'p str)>,
) -> Result<Service, Vec<String>> {
    let api = Api::new("Patterns").formats([Format::Json]);
    let routes = patterns.into_iter().map(|(index, pattern)| route(index, pattern));
    let built = routes.fold(api, Api::serve).build();
    built.map_err(|error| error.faults().to_vec())
}

/// Returns the number of captures of a pattern.
fn capture_count(pattern: &str) -> usize {
    pattern.matches('{').count()
}

/// Returns an index and captures as lines.
fn lines(index: usize, captures: &[String]) -> String {
    let mut lines = vec![index.to_string()];
    lines.extend_from_slice(captures);
    lines.join("\n")
}

/// The type of a capture.
macro_rules! capture {
    ($name:ident) => {
        String
    };
}

/// Declares an endpoint with a text for each of these captures. Their number is part of its type.
macro_rules! endpoint {
    ($pattern:expr; $($name:ident)*) => {
        get($pattern)$(.path::<capture!($name)>())*.returns::<Text>()
    };
}

/// Returns an endpoint for a pattern.
fn route(index: usize, pattern: &str) -> Route {
    macro_rules! served {
        ($($name:ident)*) => {
            endpoint!(pattern; $($name)*).to(move |$($name: String),*| {
                let text = lines(index, &[$($name),*]);
                async move { text }
            })
        };
    }
    match capture_count(pattern) {
        0 => served!(),
        1 => served!(a),
        2 => served!(a b),
        3 => served!(a b c),
        _ => served!(a b c d),
    }
}

/// Calls the endpoint of a pattern by a client that writes these captures into the path.
fn called(client: &Client, pattern: &str, captures: &[String]) -> Result<String, Violation> {
    macro_rules! called {
        ($arguments:expr; $($name:ident)*) => {
            wait(client.call(&endpoint!(pattern; $($name)*), $arguments))
        };
    }
    let answer = match captures {
        [] => called!((); ),
        [a] => called!(a.clone(); a),
        [a, b] => called!((a.clone(), b.clone()); a b),
        [a, b, c] => called!((a.clone(), b.clone(), c.clone()); a b c),
        [a, b, c, d, ..] => called!((a.clone(), b.clone(), c.clone(), d.clone()); a b c d),
    };
    answer.map_err(|error| Violation(format!("{pattern:?} with {captures:?}: {error}")))
}
