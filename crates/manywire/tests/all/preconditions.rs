//! Preconditions and ranges (RFC 9110, sections 13 and 14), by calls of the service.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use manywire::content::{Raw, RawStream, Text};
use manywire::{
    Api, EntityTags, Format, HeaderValue, Problem, Reply, Service, StatusCode, get, header, post,
    put,
};
use tokio::io::AsyncReadExt;

use crate::support::{TestResponse, request, send};

const CHANGED: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
const EARLIER: &str = "Sunday, 06-Nov-94 08:49:36 GMT";
const LATER: &str = "Sun Nov  6 08:49:38 1994";

/// A service, and the number of changes that its handlers made.
struct Pages {
    service: Service,
    changes: Arc<AtomicUsize>,
}

impl Pages {
    fn new(tags: EntityTags) -> Pages {
        let changes = Arc::<AtomicUsize>::default();
        let change = || {
            let changes = Arc::clone(&changes);
            move || {
                changes.fetch_add(1, Ordering::Relaxed);
            }
        };
        let (changed, posted, created, own) = (change(), change(), change(), change());
        let service = Api::new("Pages")
            .formats([Format::Json, Format::Cbor])
            .entity_tags(tags)
            .serve(get("/page").returns::<String>().to(|| async { "text".repeat(1_000) }))
            .serve(put("/page").body::<Raw>().to(move |_| {
                changed();
                async {}
            }))
            .serve(post("/page").to(move || {
                posted();
                async {}
            }))
            .serve(
                get("/new")
                    .returns::<Text>()
                    .to(|| async { Err::<String, _>(Problem::new(StatusCode::NOT_FOUND)) }),
            )
            .serve(put("/new").to(move || {
                created();
                async {}
            }))
            .serve(put("/own").header::<Option<String>>("If-Match").to(move |_| {
                own();
                async {}
            }))
            .serve(put("/unknown").to(|| async {}))
            .serve(get("/dated").returns::<Text>().to(|| async {
                let date = HeaderValue::from_static(CHANGED);
                Reply::new("dated".to_owned()).with_header(header::LAST_MODIFIED, date)
            }))
            .serve(get("/empty").returns::<Text>().to(|| async { String::new() }))
            .serve(get("/file").returns::<RawStream>().to(|| async {
                // In three chunks.
                let reader = (&b"01234"[..]).chain(&b"56789"[..]).chain(&b"abcde"[..]);
                RawStream::from_reader(reader).with_size_bytes(15)
            }))
            .build()
            .expect("a valid API");
        Pages { service, changes }
    }

    async fn call(&self, line: &str, fields: &[(&str, &str)]) -> TestResponse {
        let (method, path) = line.split_once(' ').expect("a method and a path");
        send(&self.service, request(method, path, fields), "").await
    }

    async fn status(&self, line: &str, fields: &[(&str, &str)]) -> StatusCode {
        self.call(line, fields).await.status
    }

    fn changes(&self) -> usize {
        self.changes.load(Ordering::Relaxed)
    }
}

#[tokio::test]
async fn compares_if_match_before_a_change() {
    let pages = Pages::new(EntityTags::Strong);
    for accept in ["*/*", "application/cbor"] {
        for coding in ["identity", "gzip"] {
            let chosen = [("accept", accept), ("accept-encoding", coding)];
            let page = pages.call("GET /page", &chosen).await;
            let tag = page.field("etag").expect("a tag").to_owned();
            let before = pages.changes();
            for wrong in ["\"x\"", "\"x\", \"y\"", &format!("W/{tag}"), "x"] {
                let fields = [chosen[0], chosen[1], ("if-match", wrong)];
                let refused = pages.call("PUT /page", &fields).await;
                assert_eq!(refused.status, 412, "{wrong}");
                assert_eq!(refused.field("etag"), Some(&*tag), "the tag to compare with");
                assert_eq!(pages.status("POST /page", &fields).await, 412, "{wrong}");
            }
            assert_eq!(pages.changes(), before, "no handler ran");
            for right in [&*tag, "*", &format!("\"x\", {tag}")] {
                let fields = [chosen[0], chosen[1], ("if-match", right)];
                assert_eq!(pages.status("PUT /page", &fields).await, 204, "{right}");
            }
            assert_eq!(pages.changes(), before + 3);
        }
    }
    // A path without a representation has no tag that could match.
    for request in ["PUT /new", "PUT /unknown"] {
        assert_eq!(pages.status(request, &[("if-match", "*")]).await, 412, "{request}");
        assert_eq!(pages.status(request, &[("if-none-match", "*")]).await, 204, "{request}");
    }
    assert_eq!(pages.status("PUT /page", &[("if-none-match", "*")]).await, 412);
    // The handler compares the field itself.
    assert_eq!(pages.status("PUT /own", &[("if-match", "\"x\"")]).await, 204);
}

#[tokio::test]
async fn compares_no_weak_tags_by_if_match() {
    let pages = Pages::new(EntityTags::Weak);
    let tag = pages.call("GET /page", &[]).await.field("etag").expect("a tag").to_owned();
    assert_eq!(pages.status("PUT /page", &[("if-match", &tag)]).await, 412);
    assert_eq!(pages.status("PUT /page", &[("if-none-match", &tag)]).await, 412);
    assert_eq!(pages.status("PUT /page", &[("if-match", "*")]).await, 204);
}

#[tokio::test]
async fn leaves_changes_alone_without_entity_tags() {
    let pages = Pages::new(EntityTags::None);
    assert_eq!(pages.status("PUT /page", &[("if-match", "\"x\"")]).await, 204);
    assert_eq!(pages.status("GET /page", &[("if-match", "\"x\"")]).await, 200);
}

#[tokio::test]
async fn evaluates_preconditions_in_their_order() {
    let pages = Pages::new(EntityTags::Strong);
    let page = pages.call("GET /dated", &[]).await;
    let tag = page.field("etag").expect("a tag").to_owned();
    for (fields, status) in [
        (vec![("if-match", &*tag)], 200),
        (vec![("if-match", "\"x\"")], 412),
        (vec![("if-match", &tag), ("if-none-match", &tag)], 304),
        (vec![("if-match", "\"x\""), ("if-none-match", &tag)], 412),
        // If-Match counts before If-Unmodified-Since.
        (vec![("if-match", &tag), ("if-unmodified-since", EARLIER)], 200),
        (vec![("if-unmodified-since", EARLIER)], 412),
        (vec![("if-unmodified-since", CHANGED)], 200),
        (vec![("if-unmodified-since", LATER)], 200),
        (vec![("if-unmodified-since", "yesterday")], 200),
        // If-None-Match counts before If-Modified-Since.
        (vec![("if-none-match", "\"x\""), ("if-modified-since", CHANGED)], 200),
        (vec![("if-modified-since", CHANGED)], 304),
        (vec![("if-modified-since", LATER)], 304),
        (vec![("if-modified-since", EARLIER)], 200),
        (vec![("if-unmodified-since", EARLIER), ("if-none-match", &tag)], 412),
    ] {
        for method in ["GET", "HEAD"] {
            let request = format!("{method} /dated");
            assert_eq!(pages.status(&request, &fields).await, status, "{method} {fields:?}");
        }
    }
    // Without entity tags, the date of a handler still counts.
    let untagged = Pages::new(EntityTags::None);
    assert_eq!(untagged.status("GET /dated", &[("if-modified-since", CHANGED)]).await, 304);
}

#[tokio::test]
async fn sends_a_range() {
    let pages = Pages::new(EntityTags::Strong);
    for (range, first, text) in [
        ("bytes=0-4", 0, "01234"),
        ("bytes=3-6", 3, "3456"),
        ("bytes=5-5", 5, "5"),
        ("Bytes=12-", 12, "cde"),
        ("bytes=12-99999999999999999999", 12, "cde"),
        ("bytes=-4", 11, "bcde"),
        ("bytes=-100", 0, "0123456789abcde"),
    ] {
        let answer = pages.call("GET /file", &[("range", range)]).await;
        assert_eq!(answer.status, 206, "{range}");
        assert_eq!(answer.body, text, "{range}");
        let last = first + text.len() - 1;
        let expected = format!("bytes {first}-{last}/15");
        assert_eq!(answer.field("content-range"), Some(&*expected), "{range}");
        assert_eq!(answer.field("accept-ranges"), Some("bytes"));
    }
    for ignored in ["bytes=0-1,3-4", "bytes=4-3", "bytes=-", "items=0-1", "bytes=a-b", "bytes"] {
        let answer = pages.call("GET /file", &[("range", ignored)]).await;
        assert_eq!(answer.status, 200, "{ignored}");
        assert_eq!(answer.body.len(), 15, "{ignored}");
    }
    for outside in ["bytes=15-", "bytes=99-100", "bytes=-0"] {
        let answer = pages.call("GET /file", &[("range", outside)]).await;
        assert_eq!(answer.status, 416, "{outside}");
        assert_eq!(answer.field("content-range"), Some("bytes */15"), "{outside}");
    }
    for (range, status) in [("bytes=-4", 200), ("bytes=-0", 416), ("bytes=0-", 416)] {
        let answer = pages.call("GET /empty", &[("range", range)]).await;
        assert_eq!(answer.status, status, "{range}");
        let unsatisfied = (status == 416).then_some("bytes */0");
        assert_eq!(answer.field("content-range"), unsatisfied, "{range}");
    }
    let head = pages.call("HEAD /file", &[("range", "bytes=0-1")]).await;
    assert_eq!(head.status, 200);
    assert_eq!(head.field("content-length"), Some("15"));
    // A whole body, in the coding that the client gets.
    for coding in ["identity", "gzip"] {
        let whole = pages.call("GET /page", &[("accept-encoding", coding)]).await;
        let fields = [("accept-encoding", coding), ("range", "bytes=2-8")];
        let part = pages.call("GET /page", &fields).await;
        assert_eq!(part.status, 206, "{coding}");
        assert_eq!(part.body, whole.body.slice(2..9), "{coding}");
        assert_eq!(part.field("etag"), whole.field("etag"));
        assert_eq!(part.field("content-encoding"), whole.field("content-encoding"));
    }
}

#[tokio::test]
async fn sends_a_range_only_of_the_representation_that_the_client_has() {
    let pages = Pages::new(EntityTags::Strong);
    let page = pages.call("GET /dated", &[]).await;
    let tag = page.field("etag").expect("a tag").to_owned();
    let weak = format!("W/{tag}");
    for (known, status) in
        [(&*tag, 206), (&*weak, 200), ("\"x\"", 200), (CHANGED, 206), (LATER, 200)]
    {
        let fields = [("range", "bytes=1-2"), ("if-range", known)];
        assert_eq!(pages.status("GET /dated", &fields).await, status, "{known}");
    }
    // Preconditions count before ranges.
    let fields = [("range", "bytes=1-2"), ("if-none-match", &*tag)];
    assert_eq!(pages.status("GET /dated", &fields).await, 304);
    let fields = [("range", "bytes=1-2"), ("if-match", "\"x\"")];
    assert_eq!(pages.status("GET /dated", &fields).await, 412);
}

#[tokio::test]
async fn treats_an_empty_accept_as_none() {
    let pages = Pages::new(EntityTags::None);
    for accept in ["", " ", ",", " , "] {
        let answer = pages.call("GET /page", &[("accept", accept)]).await;
        assert_eq!(answer.status, 200, "{accept:?}");
        assert_eq!(answer.field("content-type"), Some("application/json"), "{accept:?}");
    }
}

#[tokio::test]
async fn says_how_many_content_codings_a_body_may_have() {
    let pages = Pages::new(EntityTags::None);
    let answer = pages.call("PUT /page", &[("content-encoding", "gzip, gzip, gzip")]).await;
    assert_eq!(answer.status, 415);
    let text = String::from_utf8_lossy(&answer.body);
    assert!(text.contains("expected at most 2 content codings, found gzip, gzip, gzip"), "{text}");
}

#[tokio::test]
async fn limits_the_number_of_header_fields() {
    let limits = manywire::Limits::DEFAULT.with_header_fields(3);
    let name = get("/").returns::<Text>().to(|| async { "text".to_owned() });
    let service = Api::new("Fields").limits(limits).serve(name).build().expect("a valid API");
    for (count, status) in [(3, 200), (4, 431)] {
        let request = request("GET", "/", &vec![("x", "y"); count]);
        assert_eq!(send(&service, request, "").await.status, status, "{count}");
    }
}
