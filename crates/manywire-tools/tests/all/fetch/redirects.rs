use super::server::{Server, failure, get, get_with, with};

fn to(location: &str) -> Vec<u8> {
    with("302 Found", &format!("Location: {location}\r\n"), b"elsewhere")
}

#[test]
fn redirects_are_followed() {
    let server = Server::new(|lines| match lines[0].split(' ').nth(1) {
        Some("/a/one") => to("../b/two?x=1"),
        Some("/b/two?x=1") => with("308 Permanent Redirect", "Location: three.json\r\n", b""),
        Some("/b/three.json") => with("200 OK", "", b"[3]"),
        _ => with("404 Not Found", "", b""),
    });
    let content = get(&server.url("/a/one")).unwrap();
    assert_eq!((content.name, content.bytes), (server.url("/b/three.json"), b"[3]".to_vec()));
}

#[test]
fn redirects_are_bounded_and_must_lead_somewhere() {
    let server = Server::new(|lines| match lines[0].split(' ').nth(1) {
        Some("/round") => to("/round"),
        Some("/nowhere") => with("301 Moved Permanently", "", b""),
        Some("/file") => to("file:///etc/passwd"),
        Some("/bad") => to("http://[::"),
        _ => with("404 Not Found", "", b""),
    });
    let fails = |path: &str| failure(&server.url(path));
    assert!(fails("/round").ends_with("more than 3 redirects, the last to /round"));
    assert_eq!(server.requests.lock().unwrap().len(), 4);
    assert!(fails("/nowhere").ends_with("301 Moved Permanently without a Location"));
    assert!(fails("/file").contains("file is not fetched here"), "{}", fails("/file"));
    assert!(fails("/bad").contains("no URL"), "{}", fails("/bad"));
}

#[test]
fn credentials_are_not_sent_to_other_hosts() {
    let other = Server::new(|_| with("200 OK", "", b"[1]"));
    let there = other.url("/there");
    let server = Server::new(move |lines| match lines[0].split(' ').nth(1) {
        Some("/first") => to("/second"),
        Some("/second") => to(&there),
        _ => with("404 Not Found", "", b""),
    });
    let url = server.url("/first").replace("http://", "http://me:secret@");
    let content = get_with(&url, &["Cookie: session=1"]).unwrap();
    assert_eq!(content.name, other.url("/there"));
    for request in server.requests.lock().unwrap().iter() {
        assert!(request.contains(&"cookie: session=1".to_owned()), "{request:?}");
        assert!(request.contains(&"authorization: Basic bWU6c2VjcmV0".to_owned()), "{request:?}");
    }
    assert!(other.fields("cookie").is_empty() && other.fields("authorization").is_empty());
}
