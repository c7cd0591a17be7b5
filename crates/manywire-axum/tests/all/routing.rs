//! What axum says of paths and methods, said as problems.

use super::formats::{FORMATS, media_type};
use super::rows::{Asked, is_problem, row};

row!(another_method_is_405_with_allow, |send| {
    for format in FORMATS {
        let answered = send(Asked::new("GET", "/echo").with("accept", media_type(format))).await;
        is_problem(&answered, 405, format);
        assert_eq!(answered.header("allow"), Some("POST"));
    }
    let answered = send(Asked::new("POST", "/r0/a")).await;
    assert_eq!(answered.header("allow"), Some("GET,HEAD"));
});

row!(an_unknown_path_is_404, |send| {
    for format in FORMATS {
        for path in ["/", "/nowhere", "/echo/", "/r0", "/r0/", "/r0/a/b"] {
            let answered = send(Asked::new("GET", path).with("accept", media_type(format))).await;
            is_problem(&answered, 404, format);
        }
    }
});

row!(segments_are_percent_decoded, |send| {
    for (path, segment) in [("/r0/a%2Fb", "a/b"), ("/r0/%E2%82%AC", "€"), ("/r0/a+b", "a+b")] {
        let answered = send(Asked::new("GET", path)).await;
        assert_eq!(answered.status, 200, "{path}: {answered:?}");
        assert_eq!(answered.body, segment);
    }
});
