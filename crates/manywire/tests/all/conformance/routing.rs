//! Paths and methods.

use manywire::Format;

use super::formats::media_type;
use super::rows::{TestRequest, is_problem, row};

row!(responds_405_with_allow_to_another_method, |send| {
    for format in Format::ALL {
        let response =
            send(TestRequest::new("GET", "/echo").with("accept", media_type(format))).await;
        is_problem(&response, 405, format);
        assert_eq!(response.header("allow"), Some("POST, OPTIONS"));
    }
    let response = send(TestRequest::new("POST", "/r0/a")).await;
    assert_eq!(response.header("allow"), Some("GET, HEAD, OPTIONS"));
    let response = send(TestRequest::new("OPTIONS", "/r0/a")).await;
    assert_eq!(response.status, 204);
    assert_eq!(response.header("allow"), Some("GET, HEAD, OPTIONS"));
});

row!(percent_decodes_segments, |send| {
    for (path, segment) in
        [("/r0/a%2Fb", "a/b"), ("/r0/%E2%82%AC", "€"), ("/%720/a%20b", "a b"), ("/r0/a+b", "a+b")]
    {
        let response = send(TestRequest::new("GET", path)).await;
        assert_eq!(response.status, 200, "{path}: {response:?}");
        assert_eq!(response.body, segment);
    }
    for path in ["/r0/%FF", "/r0/%2", "/r0/%zz"] {
        let found = is_problem(&send(TestRequest::new("GET", path)).await, 400, Format::Json);
        assert_eq!(found.errors().first().and_then(|fault| fault.name()), Some("s"));
    }
});
