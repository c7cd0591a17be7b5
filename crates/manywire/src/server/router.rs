//! The routing table: one radix tree of path patterns with the methods at its leaves.

use http::request::Parts;
use http::{HeaderValue, Method};

use crate::endpoint::{PatternPart, capture_names, parse_pattern};
use crate::input::{CAPTURES_MAX, Captures};
use crate::percent::{InvalidPercentEncoding, normalize};

/// The routing table: one radix tree of path patterns. The methods are at the leaves, so that 405,
/// `Allow` and OPTIONS need no second lookup.
#[derive(Debug, Default)]
pub(super) struct Router {
    router: matchit::Router<usize>,
    leaves: Vec<RouteLeaf>,
    /// Indicates whether a pattern has text beside a capture in one segment.
    has_affixes: bool,
}

/// The endpoints of one path pattern.
#[derive(Debug)]
pub(super) struct RouteLeaf {
    pattern: String,
    /// The pattern with its text normalized.
    encoded: String,
    methods: Vec<(Method, usize)>,
    /// Indicates whether the pattern has no captures.
    pub(super) is_literal: bool,
    /// The offset of the only capture, if it is the last segment, as in most patterns. The capture
    /// is then the rest of the path, without a lookup.
    tail: Option<usize>,
    /// The methods, as `Allow` lists them.
    pub(super) allow: HeaderValue,
}

impl Router {
    /// Adds the endpoint of this index under a pattern.
    ///
    /// # Errors
    /// Returns a message for an invalid pattern, or one that conflicts with another.
    pub(super) fn add(
        &mut self,
        method: &Method,
        pattern: &str,
        endpoint_index: usize,
    ) -> Result<(), String> {
        if !pattern.starts_with('/') {
            return Err("the path must begin with a slash".to_owned());
        }
        if capture_names(pattern).count() > CAPTURES_MAX {
            return Err(format!("a path has at most {CAPTURES_MAX} named segments"));
        }
        let known = self.leaves.iter_mut().find(|leaf| leaf.pattern == pattern);
        let leaf = match known {
            Some(leaf) => leaf,
            None => {
                let encoded = encoded(pattern)?;
                let tail = tail(&encoded);
                self.router
                    .insert(&*encoded, self.leaves.len())
                    .map_err(|error| error.to_string())?;
                self.has_affixes |= encoded.split('/').any(has_affix);
                let allow = HeaderValue::from_static("");
                let is_literal = capture_names(pattern).next().is_none();
                let (pattern, methods) = (pattern.to_owned(), Vec::new());
                self.leaves.push(RouteLeaf { pattern, encoded, methods, is_literal, tail, allow });
                let Some(leaf) = self.leaves.last_mut() else { return Ok(()) };
                leaf
            }
        };
        if leaf.methods.iter().any(|(known, _)| known == method) {
            return Err(format!("there is already an endpoint {method} {pattern}"));
        }
        leaf.methods.push((method.clone(), endpoint_index));
        leaf.allow = allow(&leaf.methods);
        Ok(())
    }

    /// Returns every path pattern, in the order of their first endpoints.
    pub(super) fn paths(&self) -> Vec<String> {
        self.leaves.iter().map(|leaf| leaf.pattern.clone()).collect()
    }

    /// Returns the endpoints of a path, and the offsets of its captures.
    #[inline]
    pub(super) fn find(&self, path: &str) -> Option<(&RouteLeaf, Captures)> {
        let Ok(found) = self.router.at(path) else { return self.find_by_pattern(path) };
        if self.has_affixes && found.params.iter().any(|(_, value)| ends_within_encoding(value)) {
            return self.find_by_pattern(path);
        }
        let leaf = self.leaves.get(*found.value)?;
        let mut captures = Captures::default();
        match leaf.tail.and_then(|start| path.get(start..)) {
            Some(rest) => captures.set(0, path, rest),
            None => {
                for (index, (_, value)) in found.params.iter().enumerate() {
                    captures.set(index, path, value);
                }
            }
        }
        Some((leaf, captures))
    }

    /// Returns the index of the endpoint for the path and the method of a request, if there is one.
    /// Only refused requests need this second lookup.
    #[cold]
    pub(super) fn endpoint_index(&self, parts: &Parts) -> Option<usize> {
        self.find(parts.uri.path())?.0.endpoint_index(&parts.method)
    }

    /// Compares a path with each pattern. This is needed in two cases in which the tree is wrong.
    /// First, the tree does not try another pattern after text beside a capture: of `/{x}.json/a`
    /// and `/{y}/{*rest}` only the second matches `/x.json/b`, but the tree finds neither. Second,
    /// the tree finds the text of `/{x}BD` within the percent-encoding of `/a%BD`.
    #[cold]
    #[inline(never)]
    fn find_by_pattern(&self, path: &str) -> Option<(&RouteLeaf, Captures)> {
        if !self.has_affixes {
            return None;
        }
        let leaves = self.leaves.iter();
        let matches = leaves.filter_map(|leaf| Some((leaf, captures(&leaf.encoded, path)?)));
        matches.max_by(|(one, _), (other, _)| {
            let precedences = |leaf: &RouteLeaf| leaf.encoded.split('/').map(precedence).collect();
            let [one, other]: [Vec<usize>; 2] = [precedences(one), precedences(other)];
            one.cmp(&other)
        })
    }
}

/// Checks whether a segment of a pattern has a capture and text.
fn has_affix(segment: &str) -> bool {
    segment.contains('{') && !(segment.starts_with('{') && segment.ends_with('}'))
}

/// Ranks the segments of patterns that match the same text: literal text is highest, then captures,
/// higher with more text beside them, and a capture of the remaining path is lowest.
fn precedence(segment: &str) -> usize {
    match (segment.split_once('{'), segment.split_once('}')) {
        (Some((_, capture)), _) if capture.starts_with('*') => 0,
        (Some((before, _)), Some((_, after))) => 1 + before.len() + after.len(),
        _ => usize::MAX,
    }
}

/// Checks whether a capture ends with an incomplete percent-encoding.
fn ends_within_encoding(capture: &str) -> bool {
    matches!(capture.as_bytes(), [.., b'%'] | [.., b'%', _])
}

/// Returns the captures of a path, or `None` if the path does not match the pattern.
fn captures(pattern: &str, path: &str) -> Option<Captures> {
    let mut captures = Captures::default();
    let mut count = 0;
    let mut unmatched = Some(path);
    for segment in pattern.split('/') {
        let rest = unmatched?;
        let (here, after) = match rest.split_once('/') {
            Some((here, after)) => (here, Some(after)),
            None => (rest, None),
        };
        let Some((before, capture)) = segment.split_once('{') else {
            (segment == here).then_some(())?;
            unmatched = after;
            continue;
        };
        let (name, end) = capture.split_once('}')?;
        let (text, after) = if name.starts_with('*') { (rest, None) } else { (here, after) };
        let value = text.strip_prefix(before)?.strip_suffix(end)?;
        let is_whole = end.is_empty() || !ends_within_encoding(value);
        (!value.is_empty() && is_whole).then_some(())?;
        captures.set(count, path, value);
        count += 1;
        unmatched = after;
    }
    unmatched.is_none().then_some(captures)
}

/// Returns the offset of the only capture of a pattern, if the capture is the last segment.
fn tail(pattern: &str) -> Option<usize> {
    let start = pattern.find('{')?;
    let is_last = pattern.find('}')? + 1 == pattern.len();
    let is_segment = pattern[..start].ends_with('/');
    (is_last && is_segment && pattern.matches('{').count() == 1).then_some(start)
}

impl RouteLeaf {
    /// Returns the index of the endpoint for a method. HEAD falls back to GET.
    #[inline]
    pub(super) fn endpoint_index(&self, method: &Method) -> Option<usize> {
        let of = |method: &Method| {
            let known = self.methods.iter().find(|(known, _)| known == method);
            known.map(|(_, endpoint_index)| *endpoint_index)
        };
        match of(method) {
            None if method == Method::HEAD => of(&Method::GET),
            found => found,
        }
    }
}

/// Returns `Allow` (RFC 9110, section 10.2.1): the methods of the endpoints, HEAD with GET, and
/// OPTIONS always.
fn allow(methods: &[(Method, usize)]) -> HeaderValue {
    let mut names: Vec<&str> = methods.iter().map(|(method, _)| method.as_str()).collect();
    for (implied, by) in [("HEAD", Some("GET")), ("OPTIONS", None)] {
        if !names.contains(&implied) && by.is_none_or(|by| names.contains(&by)) {
            names.push(implied);
        }
    }
    HeaderValue::try_from(names.join(", ")).unwrap_or(HeaderValue::from_static("OPTIONS"))
}

/// Returns a pattern with its text normalized in the same way as request paths.
///
/// # Errors
/// Returns a message for an invalid pattern.
fn encoded(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len());
    for piece in parse_pattern(pattern)? {
        match piece {
            PatternPart::Literal(text) => {
                out.push_str(&normalize(text).map_err(|InvalidPercentEncoding| {
                    "a percent sign that begins no percent-encoding must be written %25".to_owned()
                })?)
            }
            PatternPart::Capture(capture) => out.push_str(capture),
        }
    }
    Ok(out)
}
