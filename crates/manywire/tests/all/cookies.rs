//! Cookies in both directions (RFC 6265).

use std::time::Duration;

use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue, Request};
use manywire::content::Text;
use manywire::{Api, Reply, SameSite, Service, SetCookie, get, post};

use crate::support::{client, listening, send};

fn service() -> Service {
    let show = get("/show").cookie::<Option<String>>("sid").cookie::<Option<u8>>("n");
    let show = show
        .returns::<Text>()
        .to(|sid: Option<String>, n: Option<u8>| async move { format!("{sid:?} {n:?}") });
    let enter = post("/enter").returns::<Text>().sends("set-cookie").to(|| async {
        let sid = SetCookie::new("sid", "8a7f").expect("a cookie").with_path("/").expect("a path");
        let sid = sid.with_max_age(Duration::from_secs(60)).secure().http_only();
        let n = SetCookie::forgotten("n").expect("a name").same_site(SameSite::Strict);
        let more = HeaderMap::from_iter([(SET_COOKIE, HeaderValue::from_static("theme=dark"))]);
        Reply::new("welcome".to_owned()).with_cookie(&sid).with_cookie(&n).with_headers(more)
    });
    Api::new("Cookies").serve(show).serve(enter).build().expect("a valid API")
}

async fn send_cookies(lines: &[&[u8]]) -> (u16, String) {
    let mut request = Request::get("/show");
    for line in lines {
        request = request.header("cookie", *line);
    }
    let response = send(&service(), request, "").await;
    (response.status.as_u16(), response.text().to_owned())
}

#[tokio::test]
async fn reads_cookies_as_browsers_send_them() {
    for (lines, expected) in [
        (&[][..], "None None"),
        (&[&b"sid=a; n=7"[..]], r#"Some("a") Some(7)"#),
        (&[b"n=7;sid=a"], r#"Some("a") Some(7)"#),
        // HTTP/2 may send a field for each cookie (RFC 9113, section 8.2.3).
        (&[b"sid=a", b"n=7"], r#"Some("a") Some(7)"#),
        (&[b"sid=\"a\""], r#"Some("a") None"#),
        (&[b"sid=a=b=="], r#"Some("a=b==") None"#),
        (&[b"sid="], r#"Some("") None"#),
        (&[b"sid=\""], r#"Some("\"") None"#),
        // The cookie with the longest path comes first.
        (&[b"sid=first; sid=second"], r#"Some("first") None"#),
        (&[b"SID=a; xsid=b; sidx=c; sid; =d"], "None None"),
        // Invalid cookies of other servers are ignored.
        (&[b"theme=\xFF\xFE; sid=a; \xC3=\xBC"], r#"Some("a") None"#),
        (&[b"sid=\xC3\xBC"], r#"Some("ü") None"#),
        (&[b";; sid = a ;;"], r#"Some("a") None"#),
    ] {
        assert_eq!(send_cookies(lines).await, (200, expected.to_owned()), "{lines:?}");
    }
    // As in a header field, bytes that are not text are invalid syntax.
    for (line, expected, said) in
        [(&b"n=256"[..], 422, "from 0 to 255"), (b"sid=\xFF", 400, "UTF-8")]
    {
        let (status, text) = send_cookies(&[line]).await;
        assert_eq!(status, expected, "{text}");
        assert!(text.contains(r#""in":"cookie""#) && text.contains(said), "{text}");
    }
}

#[tokio::test]
async fn sets_each_cookie_in_its_own_field() {
    let client = client(listening(service()).await);
    let enter = post("/enter").returns::<Text>();
    let fetched = client.fetch(&enter, ()).await.expect("an answer");
    let set: Vec<_> = fetched.headers().get_all("set-cookie").iter().collect();
    assert_eq!(
        set,
        [
            "sid=8a7f; Path=/; Max-Age=60; Secure; HttpOnly",
            "n=; Max-Age=0; SameSite=Strict",
            "theme=dark",
        ]
    );
    // The server reads what a client sends.
    let show = get("/show").cookie::<Option<String>>("sid").cookie::<Option<u8>>("n");
    let show = show.returns::<Text>();
    let said = client.call(&show, (Some("8a7f".to_owned()), Some(3))).await.expect("an answer");
    assert_eq!(said, r#"Some("8a7f") Some(3)"#);
    let error = client.call(&show, (Some("a; n=9".to_owned()), None)).await;
    assert!(error.expect_err("an invalid value").to_string().contains("invalid cookie value"));
    let odd = get("/show").cookie::<String>("a; b").returns::<Text>();
    let error = client.call(&odd, "x".to_owned()).await.expect_err("an invalid name");
    assert!(error.to_string().contains("invalid cookie name"), "{error}");
}

#[test]
fn rejects_invalid_cookies() {
    for name in ["", "a b", "a=b", "a;b", "ü", "a\r\n", "\"a\"", "a,b"] {
        assert!(SetCookie::new(name, "").is_err(), "{name:?}");
    }
    for value in [" ", "a;b", "a,b", "\"a\"", "a\\b", "ü", "a\r\nSet-Cookie: b=c"] {
        let error = SetCookie::new("a", value).expect_err(value).to_string();
        assert!(error.contains("a cookie cannot have the value"), "{error}");
    }
    let cookie = || SetCookie::new("a", "b!#$%&'()*+-./:<=>?@[]^_`{|}~").expect("a cookie");
    for path in ["", "a", "/a;b", "/\r\n", "/ü"] {
        assert!(cookie().with_path(path).is_err(), "{path:?}");
    }
    for domain in ["", "a b", "a;b", "ü.example"] {
        assert!(cookie().with_domain(domain).is_err(), "{domain:?}");
    }
    let all = cookie().with_path("/a b").and_then(|it| it.with_domain("hotels.example"));
    let all = all.expect("fine").same_site(SameSite::Lax).to_string();
    assert!(all.ends_with("; Path=/a b; Domain=hotels.example; SameSite=Lax"), "{all}");
}
