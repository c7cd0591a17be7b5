//! The page that shows the document. `.ci/openapi` opens it in a browser.

use manywire::{Api, Service, get};

use crate::support::{TestResponse, request, send};

fn service(name: &str, path: &str) -> Service {
    let health = get("/health").to(|| async {});
    let api =
        Api::new(name).docs_page(path).server("/v1", "").server("https://a.example:8443/v2", "");
    api.server("https://{region}.example", "").serve(health).build().expect("a valid API")
}

async fn fetch(service: &Service, path: &str, fields: &[(&str, &str)]) -> TestResponse {
    send(service, request("GET", path, fields), "").await
}

/// Returns the values of an attribute, in order.
fn attribute<'p>(page: &'p str, name: &str) -> Vec<&'p str> {
    let start = format!("{name}=\"");
    let values = page.split(&*start).skip(1);
    values.filter_map(|rest| Some(rest.split_once('"')?.0)).collect()
}

#[tokio::test]
async fn serves_the_page_and_every_file_that_it_names() {
    let browser = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
    for (path, document) in
        [("/docs", "openapi.json"), ("/", "openapi.json"), ("/internal/docs", "../openapi.json")]
    {
        let service = service("Hotels & <more>", path);
        let page = fetch(&service, path, &browser).await;
        assert_eq!(
            (page.status.as_u16(), &page.headers["content-type"]),
            (200, &"text/html; charset=utf-8".parse().expect("a value"))
        );
        let text = page.text();
        assert_eq!(attribute(text, "data-document"), [document]);
        assert!(text.contains("<title>Hotels &#38; &#60;more&#62;</title>"), "{text}");
        let files = [attribute(text, "src"), attribute(text, "href")].concat();
        let files = files.into_iter().filter(|file| !file.starts_with("data:"));
        let files: Vec<&str> = files.collect();
        assert_eq!(files.len(), 4, "{text}");
        for file in files {
            // As a browser resolves them, which is all that these links need.
            let folder = &path[..=path.rfind('/').expect("a path")];
            let target = match file.strip_prefix("../") {
                Some(rest) => format!("/{rest}"),
                None => format!("{folder}{file}"),
            };
            let got = fetch(&service, &target, &[]).await;
            assert_eq!(got.status, 200, "{target}");
            assert!(!got.body.is_empty());
        }
    }
}

#[tokio::test]
async fn protects_the_page_and_lets_caches_keep_the_viewer() {
    let service = service("Hotels", "/docs");
    let page = fetch(&service, "/docs", &[]).await;
    let policy = page.headers["content-security-policy"].to_str().expect("text");
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
    assert!(policy.ends_with("; connect-src 'self' https://a.example:8443"), "{policy}");
    assert_eq!(page.headers["cache-control"], "no-cache");
    for (path, caching) in [
        ("/docs", "no-cache"),
        ("/docs/start.js", "no-cache"),
        ("/docs/swagger-ui-5.35.0.js", "public, max-age=31536000, immutable"),
        ("/docs/swagger-ui-5.35.0.css", "public, max-age=31536000, immutable"),
    ] {
        let first = fetch(&service, path, &[("accept-encoding", "gzip")]).await;
        assert_eq!(first.headers["cache-control"], caching, "{path}");
        assert_eq!(first.headers["x-content-type-options"], "nosniff", "{path}");
        let tag = first.headers["etag"].to_str().expect("text");
        let again = fetch(&service, path, &[("if-none-match", tag)]).await;
        assert_eq!(again.status, 304, "{path}");
        assert!(again.body.is_empty(), "{path}");
    }
    let script = |coding| [("accept-encoding", coding)];
    let coded = fetch(&service, "/docs/swagger-ui-5.35.0.js", &script("gzip")).await;
    let plain = fetch(&service, "/docs/swagger-ui-5.35.0.js", &script("identity")).await;
    assert!(coded.body.len() < plain.body.len() / 3, "{} bytes", coded.body.len());
    assert_eq!(coded.headers["content-type"], "text/javascript; charset=utf-8");
}
