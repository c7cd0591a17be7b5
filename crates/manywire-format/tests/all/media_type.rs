//! Media types are parsed as in browsers, by the cases of external suites.

use std::collections::BTreeSet;
use std::path::PathBuf;

use manywire_format::{Format, MediaType};
use serde_json::Value;

fn cases() -> Option<Value> {
    let Some(suites) = std::env::var_os("MANYWIRE_SUITES") else {
        println!("skipped: no suites");
        return None;
    };
    let path = PathBuf::from(suites).join("negotiation/content_type.json");
    let text = std::fs::read(path).expect("the suite's content_type.json");
    Some(serde_json::from_slice(&text).expect("JSON"))
}

fn text<'v>(case: &'v Value, name: &str) -> Option<&'v str> {
    case[name].as_str()
}

/// Checks the cases of the web platform tests.
#[test]
fn passes_the_web_platform_tests() {
    let Some(suite) = cases() else { return };
    let mut passed = 0;
    for list in ["wpt_mime_types", "wpt_generated"] {
        for case in suite[list]["cases"].as_array().expect("cases") {
            let input = text(case, "input").expect("an input");
            let found = MediaType::parse(input).ok();
            // We write no space after the semicolon, like the serializer of the standard.
            assert_eq!(
                found.as_ref().map(ToString::to_string).as_deref(),
                text(case, "output"),
                "{input:?}"
            );
            if let Some(charset) = case["encoding"].as_str() {
                let found = found.expect("valid");
                let sent = found.parameter("charset").expect("a charset").trim();
                assert!(sent.eq_ignore_ascii_case(charset), "{input:?}");
            }
            passed += 1;
        }
    }
    assert_eq!(passed, 955, "the whole list was gone through");
}

/// Inputs from the tests of other parsers whose result differs from ours, with the reason.
const DIFFERENT: [(&str, &str); 2] = [
    (
        "text/html; foo=bar, hello=world",
        "Content-Type is no list (RFC 9110, section 8.3): the comma belongs to the value",
    ),
    (
        "form-data; filename=\"file.txt\"; name=file",
        "a disposition, not a media type, which has a subtype (RFC 9110, section 8.3.1)",
    ),
];

#[test]
fn agrees_with_other_parsers() {
    let Some(suite) = cases() else { return };
    let mut different = 0;
    for case in suite["gddo_parse"]["cases"].as_array().expect("cases") {
        let input = text(case, "input").expect("an input");
        let found = MediaType::parse(input).ok();
        let agrees = found.as_ref().is_some_and(|found| {
            let expected = case["params"].as_object().expect("parameters");
            Some(found.essence()) == text(case, "type")
                && found.parameters().len() == expected.len()
                && found
                    .parameters()
                    .all(|(name, value)| expected.get(name).and_then(Value::as_str) == Some(value))
        });
        let listed = DIFFERENT.iter().any(|(known, _)| *known == input);
        assert_eq!(agrees, !listed, "{input:?} is {found:?}");
        different += usize::from(!agrees);
    }
    assert_eq!(different, DIFFERENT.len());
}

/// Cases of `Content-Disposition`, parsed as the parameters of a media type: those for which the
/// two grammars differ, with the reason.
const DISPOSITION_ONLY: [(&str, &str); 7] = [
    (
        "v;a*=",
        "extended values (RFC 8187) are for parameters defined to have them; no media type's is",
    ),
    ("v;a*0", "continuations (RFC 2231) are of mail, not of HTTP (RFC 9110, section 8.3.1)"),
    ("v;a=\u{b5}", "a byte beyond ASCII outside quotes is kept, as the WHATWG standard has it"),
    ("v;a=\"b%22c\"", "percent signs are form-data's way to escape a quote, and mean nothing here"),
    (
        "v;a=\"c:\\\"",
        "a string that never closes ends with the field, as the WHATWG standard has it",
    ),
    ("v;a=\"\u{1f40d}", "characters beyond U+00FF cannot come from the bytes of a field"),
    (
        "v;a=\"\\\\\\\\",
        "a string that never closes ends with the field, as the WHATWG standard has it",
    ),
];

#[test]
fn keeps_the_first_parameter_of_a_name() {
    let html = MediaType::parse("text/html").expect("a media type");
    let html = html.with_parameter("Charset", "utf-8").with_parameter("CHARSET", "latin1");
    assert_eq!(html.to_string(), "text/html;charset=utf-8");
}

#[test]
fn parses_parameters_like_other_headers() {
    let Some(suite) = cases() else { return };
    let mut used = BTreeSet::new();
    for case in suite["werkzeug_parse_options"]["cases"].as_array().expect("cases") {
        let input = text(case, "input").expect("an input");
        let listed = DISPOSITION_ONLY.iter().position(|(start, _)| input.starts_with(start));
        used.extend(listed);
        let found = MediaType::parse(&input.replacen('v', "v/v", 1)).expect("a media type");
        let expected = case["params"].as_object().expect("parameters");
        let agrees = found.parameters().len() == expected.len()
            && found
                .parameters()
                .all(|(name, value)| expected.get(name).and_then(Value::as_str) == Some(value));
        assert_eq!(agrees, listed.is_none(), "{input:?} is {found:?}");
    }
    assert_eq!(used.len(), DISPOSITION_ONLY.len(), "each reason is needed");
}

#[test]
fn finds_formats_by_media_type_and_suffix() {
    for (text, format) in [
        ("application/json", Some(Format::Json)),
        ("application/problem+json; charset=utf-8", Some(Format::Json)),
        ("Application/Vnd.Hotel+CBOR", Some(Format::Cbor)),
        ("application/x-msgpack", Some(Format::MsgPack)),
        ("text/plain", None),
        ("application/soap+xml", None),
    ] {
        assert_eq!(MediaType::parse(text).expect(text).format(), format, "{text}");
    }
}

#[test]
fn invalid_media_types_report_what_was_expected() {
    for (text, expected) in [
        ("json", "invalid media type \"json\": expected a slash, as in application/json"),
        (
            "/json",
            "invalid media type \"/json\": expected a type before the slash, as in application/json",
        ),
        (
            "a/ b",
            "invalid media type \"a/ b\": expected a subtype after the slash, as in application/json",
        ),
    ] {
        assert_eq!(MediaType::parse(text).expect_err(text).to_string(), expected);
    }
}
