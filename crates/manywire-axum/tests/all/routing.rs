//! Methods and segments of paths, whose rows differ in axum.

use manywire::Format;

use super::formats::media_type;
use super::rows::{TestRequest, is_problem, row};

row!(responds_405_with_allow_to_another_method, |send| {
    for format in Format::ALL {
        let answered =
            send(TestRequest::new("GET", "/echo").with("accept", media_type(format))).await;
        is_problem(&answered, 405, format);
        assert_eq!(answered.header("allow"), Some("POST"));
    }
    let answered = send(TestRequest::new("POST", "/r0/a")).await;
    assert_eq!(answered.header("allow"), Some("GET,HEAD"));
});

row!(percent_decodes_segments, |send| {
    for (path, segment) in [("/r0/a%2Fb", "a/b"), ("/r0/%E2%82%AC", "€"), ("/r0/a+b", "a+b")] {
        let response = send(TestRequest::new("GET", path)).await;
        assert_eq!(response.status, 200, "{path}: {response:?}");
        assert_eq!(response.body, segment);
    }
});
