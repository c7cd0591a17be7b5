//! The syntax and path of the exposition.

use manywire::{Api, Format, get};

use super::service::{send, service};

const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

#[tokio::test]
async fn serves_the_syntax_that_a_scraper_accepts() {
    let service = service();
    let asked_by_prometheus_2 = "application/openmetrics-text;version=1.0.0;q=0.5,\
                                 application/openmetrics-text;version=0.0.1;q=0.4,\
                                 text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
    let asked_by_prometheus_3 = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,\
                                 application/openmetrics-text;version=0.0.1;q=0.4,\
                                 text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,\
                                 text/plain;version=0.0.4;q=0.2,*/*;q=0.1";
    for (accept, content_type, is_open) in [
        ("*/*", TEXT, false),
        ("text/plain", TEXT, false),
        ("application/openmetrics-text", "application/openmetrics-text; version=1.0.0", true),
        (asked_by_prometheus_2, "application/openmetrics-text; version=1.0.0", true),
        (asked_by_prometheus_3, "application/openmetrics-text; version=1.0.0", true),
    ] {
        let answer = send(&service, "GET", "/metrics", &[("accept", accept)], b"").await;
        let said = answer.headers["content-type"].to_str().expect("text");
        assert!(said.starts_with(content_type), "{accept}: {said}");
        assert_eq!(answer.headers["vary"], "accept, accept-encoding");
        let text = answer.text();
        assert_eq!(text.ends_with("# EOF\n"), is_open, "{accept}");
        let family = if is_open { "http_server_requests" } else { "http_server_requests_total" };
        assert!(text.starts_with(&format!("# TYPE {family} counter\n")), "{accept}: {text}");
    }
    let answer = send(&service, "GET", "/metrics", &[("accept", "application/json")], b"").await;
    assert_eq!(answer.status, 406);
    let packed = send(&service, "GET", "/metrics", &[("accept-encoding", "gzip")], b"").await;
    assert_eq!(packed.headers["content-encoding"], "gzip");
}

#[tokio::test]
async fn serves_metrics_only_at_the_configured_path() {
    let api = || {
        let route = get("/one").returns::<u8>().to(|| async { 1 });
        Api::new("Told").formats([Format::Json]).serve(route)
    };
    let plain = api().build().expect("a valid API");
    assert_eq!(send(&plain, "GET", "/metrics", &[], b"").await.status, 404);
    let counted = api().metrics("/internal/metrics").build().expect("a valid API");
    assert_eq!(send(&counted, "GET", "/internal/metrics", &[], b"").await.status, 200);
    let taken = api().metrics("/one").build().expect_err("two endpoints with one path");
    assert!(taken.faults()[0].contains("there is already an endpoint GET /one"), "{taken}");
}
