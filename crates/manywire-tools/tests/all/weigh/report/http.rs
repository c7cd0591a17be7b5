use manywire_format::{FORMATS, Format};
use manywire_tools::weigh::http::header_bytes;

#[test]
fn headers_cover_one_exchange() {
    let request = "GET /v1/items HTTP/1.1\r\nHost: api.example.com\r\nAccept: application/json\r\n\
                   Accept-Encoding: gzip\r\nUser-Agent: client/1.0\r\n\r\n";
    let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 51\r\n\
                  Vary: Accept\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n";
    assert_eq!(header_bytes(Format::Json, 51), (request.len() + answer.len()) as u64);
}

#[test]
fn headers_have_media_type_twice_and_length_once() {
    let bare = header_bytes(Format::Json, 1) - 2 * "application/json".len() as u64;
    for row in FORMATS {
        let media_types = 2 * row.media_type.len() as u64;
        assert_eq!(header_bytes(row.format, 1), bare + media_types, "{}", row.name);
        assert_eq!(header_bytes(row.format, 38_592), bare + media_types + 4, "{}", row.name);
    }
}
