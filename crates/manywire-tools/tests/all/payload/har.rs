//! HTTP archives: selected bodies, skipped entries, and invalid archives.

use manywire_format::{Form, Framing};
use manywire_tools::payload::har::{Body, Har, HarSelection, read};

fn in_band(form: Form) -> bool {
    !form.needs_schema() && form.framing != Framing::Container
}

const ANSWERS: HarSelection = HarSelection { requests: false, reads: in_band };

fn shop(wanted: HarSelection) -> Har {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/shop.har");
    read("shop.har", &std::fs::read(path).expect("the example"), wanted).expect("an archive")
}

/// Returns an archive of one entry whose response has this content.
fn with(content: &str) -> Vec<u8> {
    format!(
        r#"{{"log":{{"entries":[{{"request":{{"method":"GET","url":"http://h/a"}},
            "response":{{"status":200,"content":{content}}}}}]}}}}"#
    )
    .into_bytes()
}

#[test]
fn bodies_are_grouped_by_endpoint() {
    let har = shop(ANSWERS);
    let found: Vec<(&str, &str, &str)> = har
        .bodies
        .iter()
        .map(|body| (body.endpoint.as_str(), body.name.as_str(), body.form.name()))
        .collect();
    assert_eq!(
        found,
        [
            ("GET /v1/hotels", "GET /v1/hotels #1", "json"),
            ("GET /v1/hotels", "GET /v1/hotels #2", "json"),
            ("GET /v1/hotels/{id}", "GET /v1/hotels/{id} #1", "json"),
            ("GET /v1/hotels/{id}", "GET /v1/hotels/{id} #2", "json"),
            ("GET /v1/prices", "GET /v1/prices", "msgpack"),
            ("POST /v1/bookings", "POST /v1/bookings", "json"),
        ]
    );
    let base64: &Body = &har.bodies[3];
    assert!(base64.bytes.starts_with(br#"{"id":2,"name":"Hotel 2","city":"Graz""#));
    assert!(har.bodies[4].bytes.starts_with(b"\x82\xa8currency\xa3EUR"));
    assert!(har.errors.is_empty());
}

#[test]
fn entries_that_are_left_out_are_counted() {
    assert_eq!(
        shop(ANSWERS).left_out.to_string(),
        "8 left out: 2 without a body, 3 with a status other than 2xx (0: 1, 304: 1, 404: 1), \
         3 of other types (application/javascript: 1, image/png: 1, text/html: 1)"
    );
}

#[test]
fn bodies_of_requests_are_read_if_selected() {
    let har = shop(HarSelection { requests: true, ..ANSWERS });
    let request = har.bodies.iter().find(|body| body.endpoint == "POST /v1/bookings (request)");
    assert!(request.expect("a request").bytes.starts_with(br#"{"hotel":1,"#));
    assert!(har.left_out.to_string().contains("application/x-www-form-urlencoded: 1"));
}

#[test]
fn names_have_the_host_if_there_are_several() {
    let text = r#"{"log":{"entries":[
        {"request":{"method":"GET","url":"https://a/x"},
         "response":{"status":200,"content":{"mimeType":"application/json","text":"1"}}},
        {"request":{"method":"GET","url":"https://me:pw@b:8443/x?key=secret"},
         "response":{"status":200,"content":{"mimeType":"application/json","text":"2"}}}]}}"#;
    // Some recorders write a byte order mark.
    let har = read("x", &[b"\xEF\xBB\xBF", text.as_bytes()].concat(), ANSWERS).unwrap();
    let names: Vec<&str> = har.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["GET a/x", "GET b:8443/x"]);
}

#[test]
fn a_file_that_is_not_an_archive_is_an_error() {
    let fails = |bytes: &[u8]| read("x.har", bytes, ANSWERS).unwrap_err().to_string();
    assert!(fails(b"{\"log\":\n{").starts_with("x.har:2:2: "), "{}", fails(b"{\"log\":\n{"));
    for bytes in [&b"[]"[..], b"{}", br#"{"log":{}}"#, br#"{"log":{"entries":{}}}"#] {
        assert!(fails(bytes).contains("expected an object with an array log.entries"));
    }
    let none = read("x", br#"{"log":{"entries":[]}}"#, ANSWERS).unwrap();
    assert_eq!((none.bodies.len(), none.left_out.count()), (0, 0));
}

#[test]
fn a_broken_entry_does_not_hide_the_others() {
    let text = r#"{"log":{"entries":[
        7,
        {"request":{"method":"GET","url":"http://h/a"},"response":{"status":"200"}},
        {"request":{"method":"GET","url":"http://h/b"},
         "response":{"status":200,"content":{"mimeType":"application/json","text":"1"}}},
        {"request":{"method":"GET","url":"http://h/c"},
         "response":{"status":200,"content":
           {"mimeType":"application/json","text":"!","encoding":"base64"}}},
        {"request":{"method":"GET /b #1","url":""}}]}}"#;
    let har = read("x.har", text.as_bytes(), ANSWERS).unwrap();
    assert_eq!(har.bodies.len(), 1);
    let errors: Vec<String> = har.errors.iter().map(|it| it.error.to_string()).collect();
    let endpoints: Vec<_> = har.errors.iter().map(|it| it.endpoint.as_deref()).collect();
    assert_eq!(endpoints, [None, Some("GET /a"), Some("GET /c"), None]);
    assert!(
        errors[0]
            .ends_with("expected an object (HAR 1.2), found none, at $.log.entries[0].request"),
        "{errors:?}"
    );
    assert!(errors[1].ends_with("at $.log.entries[1].response.status"), "{errors:?}");
    assert!(
        errors[2].contains("invalid base64: ") && errors[2].ends_with("[3].response.content.text")
    );
    assert!(errors[3].ends_with("found none, at $.log.entries[4].request.method"), "{errors:?}");
    assert_eq!(errors.len(), 4);
}

#[test]
fn binary_content_recorded_as_text_is_left_out() {
    let har = read("x", &with(r#"{"mimeType":"application/cbor","text":"\u00ff"}"#), ANSWERS);
    let har = har.unwrap();
    assert!(har.bodies.is_empty());
    assert_eq!(har.left_out.to_string(), "1 left out: 1 with binary content recorded as text");
}

/// Some recorders write base64 without padding, or with line breaks.
#[test]
fn reads_base64_with_or_without_padding() {
    let cases: [(&str, Option<&[u8]>); 13] = [
        ("gQE=", Some(b"\x81\x01")),
        ("gQE", Some(b"\x81\x01")),
        (r"g\r\nQE\n", Some(b"\x81\x01")),
        ("gQ==", Some(b"\x81")),
        ("gQ=", Some(b"\x81")),
        ("gQ", Some(b"\x81")),
        (r"\n", Some(b"")),
        // The unused bits are zeros (RFC 4648, section 3.5).
        ("gR==", None),
        ("gQF=", None),
        ("gQ===", None),
        ("gQEB=", None),
        ("g", None),
        ("gQ-_", None),
    ];
    for (digits, expected) in cases {
        let content =
            format!(r#"{{"mimeType":"application/cbor","text":"{digits}","encoding":"Base64"}}"#);
        let har = read("x", &with(&content), ANSWERS).unwrap();
        let bodies: Vec<&[u8]> = har.bodies.iter().map(|body| &*body.bytes).collect();
        assert_eq!(bodies, Vec::from_iter(expected), "{digits}");
        assert_eq!(har.errors.len(), usize::from(expected.is_none()), "{digits}");
    }
}
