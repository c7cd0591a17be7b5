//! HTTP Archives, with what browsers leave out of them and put in.

use crate::choices::Choices;
use crate::text::in_base64;

/// An archive of a few entries.
pub(crate) fn har(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    if choices.one_in(12) {
        out.extend(b"\xEF\xBB\xBF");
    }
    let entries: Vec<String> = (0..choices.below(4)).map(|_| entry(choices)).collect();
    let entries = entries.join(",");
    out.extend(format!("{{\"log\":{{\"version\":\"1.2\",\"entries\":[{entries}]}}}}").bytes());
}

fn entry(choices: &mut Choices<'_>) -> String {
    let method = choices.of(&["GET", "POST", "GET", "", "GET /a #1"]);
    let url = choices.of(&[
        "https://a.example/v1/hotels/7?key=1#x",
        "https://a.example/v1/hotels/8",
        "http://user@b.example:8080",
        "/bare",
        "https://a.example/\\u0007/123e4567-e89b-12d3-a456-426614174000",
        "",
    ]);
    let sent = match choices.one_in(3) {
        true => format!(",\"postData\":{}", content(choices)),
        false => String::new(),
    };
    let status = choices.of(&["200", "200", "204", "304", "0", "-1", "200.5", "null"]);
    let content = content(choices);
    let mut entry = format!(
        "{{\"request\":{{\"method\":\"{method}\",\"url\":\"{url}\"{sent}}},\
         \"response\":{{\"status\":{status},\"content\":{content}}}}}"
    );
    if choices.one_in(8) {
        let word = choices.of(&["method", "url", "status", "content", "request", "response"]);
        entry = entry.replace(word, "other");
    }
    entry
}

/// A `content` or a `postData`.
fn content(choices: &mut Choices<'_>) -> String {
    let kind = choices.of(&[
        "application/json",
        "application/json; charset=utf-8",
        "application/x-ndjson",
        "application/cbor",
        "application/vnd.msgpack",
        "application/x-protobuf",
        "image/png",
        "",
        "no type",
    ]);
    let (text, encoding) = match choices.below(6) {
        0 => (String::new(), ""),
        1 => ("{\\\"a\\\":1}".to_owned(), ""),
        2 => ("QQ=".to_owned(), ",\"encoding\":\"base64\""),
        3 => ("QR==\\r\\n".to_owned(), ",\"encoding\":\"BASE64\""),
        4 => (in_base64(&choices.bytes()), ",\"encoding\":\"other\""),
        _ => (in_base64(&choices.bytes()), ",\"encoding\":\"base64\""),
    };
    format!("{{\"mimeType\":\"{kind}\",\"text\":\"{text}\"{encoding}}}")
}
