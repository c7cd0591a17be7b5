//! The request and the expected response of each scenario.

use manywire::Format;

use super::Scenario;
use super::documents::{Catalogue, catalogue, hotels, json, person};
use super::handwritten::HandwrittenCodec;

/// A request and the body of its response.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// GET or POST.
    pub method: &'static str,
    /// The path and the query.
    pub path: &'static str,
    /// The header fields besides `Host` and `Content-Length`.
    pub fields: Vec<(&'static str, &'static str)>,
    /// The request body.
    pub body: Vec<u8>,
    /// The response body.
    pub answer: Vec<u8>,
    /// True for HTTP/2, false for HTTP/1.1.
    pub is_http2: bool,
}

/// The header fields that curl 8 sends.
const CURL: [(&str, &str); 2] = [("user-agent", "curl/8.5.0"), ("accept", "*/*")];

/// The header fields that Firefox 128 sends for an address that the user enters.
const BROWSER: [(&str, &str); 10] = [
    ("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"),
    ("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    ("accept-language", "en-US,en;q=0.5"),
    ("accept-encoding", "gzip, deflate, br, zstd"),
    ("connection", "keep-alive"),
    ("upgrade-insecure-requests", "1"),
    ("sec-fetch-dest", "document"),
    ("sec-fetch-mode", "navigate"),
    ("sec-fetch-site", "none"),
    ("priority", "u=0, i"),
];

impl Exchange {
    /// Returns the exchange of a scenario.
    pub fn for_scenario(scenario: Scenario) -> Self {
        let get = |path, answer| Exchange {
            method: "GET",
            path,
            fields: Vec::new(),
            body: Vec::new(),
            answer,
            is_http2: scenario.is_http2(),
        };
        let post = |path| {
            let body = json(&person());
            let fields = vec![("content-type", Format::Json.row().media_type)];
            Exchange { method: "POST", fields, answer: body.clone(), body, ..get(path, Vec::new()) }
        };
        match scenario {
            Scenario::Echo => post("/echo"),
            Scenario::Lent => post("/lent"),
            Scenario::Hotels | Scenario::HotelsHttp2 => get("/hotels", json(&hotels())),
            Scenario::Tiny | Scenario::TinyHttp2 | Scenario::Idle => {
                get("/r0/abc", b"abc".to_vec())
            }
            Scenario::Curl => {
                let fields = CURL.to_vec();
                Exchange { fields, ..Exchange::for_scenario(Scenario::Tiny) }
            }
            Scenario::Browser => {
                let fields = BROWSER.to_vec();
                Exchange { fields, ..Exchange::for_scenario(Scenario::Tiny) }
            }
            Scenario::Last => get("/r999/abc", b"abc".to_vec()),
            Scenario::Catalogue(format) => {
                let written = HandwrittenCodec::for_type::<Catalogue>()
                    .and_then(|codecs| codecs.write(format, &catalogue()))
                    .unwrap_or_else(|error| panic!("{format}: {error}"));
                let fields = vec![("accept", format.row().media_type)];
                Exchange { fields, ..get("/catalogue", written) }
            }
        }
    }

    /// Returns the bytes of the request over HTTP/1.1.
    pub fn request(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\nhost: localhost\r\n", self.method, self.path);
        for (name, value) in &self.fields {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.body.is_empty() {
            head.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        head.push_str("\r\n");
        [head.as_bytes(), &self.body].concat()
    }

    /// Returns the request as a script for wrk.
    pub fn script(&self) -> String {
        let mut script =
            format!("wrk.method = \"{}\"\nwrk.path = \"{}\"\n", self.method, self.path);
        for (name, value) in &self.fields {
            script.push_str(&format!("wrk.headers[\"{name}\"] = \"{value}\"\n"));
        }
        if !self.body.is_empty() {
            // The text as a Lua string, byte by byte.
            let bytes: String = self.body.iter().map(|byte| format!("\\{byte:03}")).collect();
            script.push_str(&format!("wrk.body = \"{bytes}\"\n"));
        }
        script
    }
}
