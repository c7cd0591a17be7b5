//! The links of a response: `Link` header fields (RFC 8288).

use http::header::{self, HeaderMap};

/// Returns the target of the first link with a relation, as it was written.
///
/// Links with an anchor are about another resource and are left out. A malformed link and the rest
/// of its header field are ignored.
pub(super) fn target<'h>(headers: &'h HeaderMap, relation: &str) -> Option<&'h str> {
    let fields = headers.get_all(header::LINK).iter().filter_map(|field| field.to_str().ok());
    fields.flat_map(|field| Links { rest: field }).find_map(|link| {
        let mut relations = link.relations.split_ascii_whitespace();
        let is_it = relations.any(|it| it.eq_ignore_ascii_case(relation));
        (is_it && !link.has_anchor).then_some(link.target)
    })
}

/// One link: a target and its relations to the resource.
struct Link<'h> {
    target: &'h str,
    /// The relations, separated by white space.
    relations: &'h str,
    has_anchor: bool,
}

/// The links of one header field.
struct Links<'h> {
    rest: &'h str,
}

impl<'h> Iterator for Links<'h> {
    type Item = Link<'h>;

    fn next(&mut self) -> Option<Link<'h>> {
        let list = self.rest.trim_start_matches([' ', '\t', ',']);
        let (target, mut rest) = list.strip_prefix('<')?.split_once('>')?;
        let mut link = Link { target, relations: "", has_anchor: false };
        let mut has_relations = false;
        while let Some(parameter) = rest.trim_start().strip_prefix(';') {
            let parameter = parameter.trim_start();
            let end = parameter.find(['=', ';', ',', ' ', '\t']).unwrap_or(parameter.len());
            let (name, after) = parameter.split_at(end);
            let mut value = "";
            rest = after;
            if let Some(after) = after.trim_start().strip_prefix('=') {
                (value, rest) = parameter_value(after.trim_start())?;
            }
            // A second `rel` is ignored (section 3.3).
            if name.eq_ignore_ascii_case("rel") && !has_relations {
                (link.relations, has_relations) = (value, true);
            }
            link.has_anchor |= name.eq_ignore_ascii_case("anchor");
        }
        self.rest = rest;
        Some(link)
    }
}

/// Splits the value of a parameter, a token or a quoted string, from what follows. Escapes in a quoted
/// string are kept: relations have none.
fn parameter_value(text: &str) -> Option<(&str, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        return Some(text.split_at(text.find([';', ',', ' ', '\t']).unwrap_or(text.len())));
    };
    let mut escaped = false;
    let end = quoted.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    Some((&quoted[..end], &quoted[end + 1..]))
}

#[cfg(test)]
mod tests {
    use http::header::{HeaderMap, HeaderValue, LINK};

    use super::target;

    #[test]
    fn links_are_found_by_their_relation() {
        let cases = [
            (r#"</a?x=1,2>; rel="next""#, Some("/a?x=1,2")),
            ("</a>;rel=next", Some("/a")),
            ("</a> ; REL = Next", Some("/a")),
            (r#"</p>; rel=prev, </a>; title="a, \"b\"; rel=next"; rel="last next""#, Some("/a")),
            (r#", </a>; rel="next"; rel="prev""#, Some("/a")),
            (r#"</a>; rel="prev"; rel="next""#, None),
            (r#"</a>; rel="next"; anchor="/b", </c>; rel=next"#, Some("/c")),
            ("</a>; rel=nextish", None),
            ("</a>", None),
            ("</a; rel=next", None),
            (r#"</a>; rel="next"#, None),
            ("a; rel=next", None),
            ("", None),
        ];
        for (field, expected) in cases {
            let field_value = HeaderValue::from_str(field).expect(field);
            let headers = HeaderMap::from_iter([(LINK, field_value)]);
            assert_eq!(target(&headers, "next"), expected, "{field}");
        }
        let two = [(LINK, "</p>; rel=prev"), (LINK, "</n>; rel=next")];
        let two = two.map(|(name, field)| (name, HeaderValue::from_static(field)));
        assert_eq!(target(&HeaderMap::from_iter(two), "next"), Some("/n"));
    }
}
