//! The handling of content and of unknown paths, which is the same for every router.

use manywire::{Coding, Format, InputLocation};
use manywire_codec::coding::Encoder;

use super::formats::{Person, ada, decode, encode, impostor, media_type};
use super::rows::{TestRequest, echo, is_problem, row};

row!(round_trips_every_format, |send| {
    for read in Format::ALL {
        for written in Format::ALL {
            let request = echo(written);
            let request = TestRequest { headers: Vec::new(), ..request }
                .with("content-type", written.row().media_type)
                .with("accept", media_type(read));
            let response = send(request).await;
            assert_eq!(response.status, 200, "{written} to {read}: {response:?}");
            let content_type = response.header("content-type").expect("a content type");
            assert_eq!(content_type.replace("; ", ";"), media_type(read));
            assert_eq!(response.header("vary"), Some("accept, accept-encoding"));
            assert_eq!(decode::<Person>(read, &response.body), ada());
            assert_eq!(response.body, encode(read, &ada()), "as the codec writes it");
        }
    }
});

row!(sends_the_first_format_without_accept, |send| {
    let request = TestRequest::new("POST", "/echo")
        .with("content-type", "application/cbor")
        .body(encode(Format::Cbor, &ada()));
    let response = send(request).await;
    assert_eq!(response.header("content-type"), Some("application/json"));
});

row!(responds_406_with_a_list_of_types, |send| {
    for format in Format::ALL {
        for accept in ["text/html", "application/json;q=0", "application/json;q=0, text/*;q=0.5"] {
            let request = TestRequest::new("POST", "/echo")
                .with("content-type", format.row().media_type)
                .with("accept", accept)
                .body(encode(format, &ada()));
            // Problems are in JSON if `Accept` admits none of our formats.
            let found = is_problem(&send(request).await, 406, Format::Json);
            let listed = Format::ALL.map(media_type);
            assert_eq!(found.available(), listed, "{accept}");
        }
    }
});

row!(responds_415_with_accept_to_another_type, |send| {
    for format in Format::ALL {
        for content_type in [Some("text/plain"), Some("nonsense"), None] {
            let request = TestRequest::new("POST", "/echo").with("accept", media_type(format));
            let request = match content_type {
                Some(content_type) => request.with("content-type", content_type),
                None => request,
            };
            let response = send(request.body(encode(format, &ada()))).await;
            let found = is_problem(&response, 415, format);
            let accept = response.header("accept").expect("the accepted types");
            assert!(accept.contains("application/json") && accept.contains("application/cbor"));
            assert!(found.detail().expect("a detail").contains(content_type.unwrap_or("without")));
        }
    }
});

row!(reads_json_in_other_charsets, |send| {
    let text = String::from_utf8(encode(Format::Json, &ada())).expect("text");
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [&[0xFF, 0xFE][..], &little].concat();
    let wide: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    let narrow: Vec<u8> =
        text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin 1")).collect();
    for (charset, body) in [
        ("utf-8", text.clone().into_bytes()),
        ("UTF-16", big.clone()),
        ("\"utf-16\"", little.clone()),
        ("utf-16", marked),
        ("utf-16be", big),
        ("utf-16le", little),
        ("utf-32", wide),
        ("iso-8859-1", narrow.clone()),
        ("windows-1252", narrow),
    ] {
        let request = TestRequest::new("POST", "/echo")
            .with("content-type", format!("application/json; charset={charset}"))
            .body(body);
        let response = send(request).await;
        assert_eq!(response.status, 200, "{charset}: {response:?}");
        assert_eq!(decode::<Person>(Format::Json, &response.body), ada());
    }
    let request =
        TestRequest::new("POST", "/echo").with("content-type", "application/json; charset=koi8-r");
    is_problem(&send(request.body("{}")).await, 415, Format::Json);
    let request =
        TestRequest::new("POST", "/echo").with("content-type", "application/json; charset=utf-16");
    is_problem(&send(request.body([0xD8, 0x00, 0x00])).await, 400, Format::Json);
});

row!(decodes_request_codings, |send| {
    for format in Format::ALL {
        for coding in Coding::ALL {
            let mut coded = Vec::new();
            let mut encoder = Encoder::new(coding.into()).expect("an encoder");
            encoder.encode(&encode(format, &ada()), &mut coded).expect("coded");
            let response =
                send(echo(format).with("content-encoding", coding.name()).body(coded.clone()))
                    .await;
            assert_eq!(response.status, 200, "{format} in {coding}: {response:?}");
            assert_eq!(decode::<Person>(format, &response.body), ada());

            coded.truncate(coded.len() - 1);
            let response =
                send(echo(format).with("content-encoding", coding.name()).body(coded)).await;
            is_problem(&response, 400, format);
        }
        let response = send(echo(format).with("content-encoding", "compress")).await;
        is_problem(&response, 415, format);
        let listed = response.header("accept-encoding").expect("the accepted types");
        assert_eq!(listed, "gzip, deflate, zstd, br");
    }
});

row!(encodes_response_codings, |send| {
    let person = Person { tags: vec!["the same again".to_owned(); 200], ..ada() };
    for format in Format::ALL {
        for (accepted, expected) in [
            ("gzip", Some("gzip")),
            ("gzip, br;q=0.5", Some("gzip")),
            ("gzip, deflate, br, zstd", Some("zstd")),
            ("identity, gzip;q=0.5", None),
            ("deflate", None),
        ] {
            let response =
                send(echo(format).body(encode(format, &person)).with("accept-encoding", accepted))
                    .await;
            assert_eq!(response.header("content-encoding"), expected, "{accepted}");
            let body = match expected {
                None => response.body.to_vec(),
                Some(coding) => {
                    let limits = manywire_codec::coding::DecodeLimits::UNLIMITED;
                    let coding: Coding = coding.parse().expect("a coding");
                    let mut decoder =
                        manywire_codec::coding::Decoder::new(coding, limits).expect("a decoder");
                    let mut plain = Vec::new();
                    decoder.decode(&response.body, &mut plain).expect("coded content");
                    plain
                }
            };
            assert_eq!(decode::<Person>(format, &body), person);
        }
        // The content is too small for a coding, unless no other representation is acceptable.
        let response = send(echo(format).with("accept-encoding", "gzip")).await;
        assert_eq!(response.header("content-encoding"), None);
        let response = send(echo(format).with("accept-encoding", "gzip, identity;q=0")).await;
        assert_eq!(response.header("content-encoding"), Some("gzip"));
        let response = send(echo(format).with("accept-encoding", "compress, *;q=0")).await;
        is_problem(&response, 406, format);
    }
});

row!(responds_422_with_the_path_of_a_mistyped_value, |send| {
    for format in Format::ALL {
        let found = is_problem(&send(echo(format).body(impostor(format))).await, 422, format);
        let [fault] = found.errors() else { panic!("{format}: {found:?}") };
        assert_eq!(fault.location(), InputLocation::Body);
        let path = match format {
            // Avro distinguishes schemas before it reads a field.
            Format::Avro => "$",
            // Positional formats have no names.
            Format::MsgPackArray => "$[1]",
            _ => "$.age",
        };
        assert_eq!(fault.path(), Some(path), "{format}: {fault}");
        assert!(fault.offset().is_some());
    }
});

row!(responds_400_to_invalid_bytes, |send| {
    for format in Format::ALL {
        let mut body = encode(format, &ada());
        body.truncate(body.len() - 1);
        let found = is_problem(&send(echo(format).body(body)).await, 400, format);
        assert_eq!(found.errors().len(), 1, "{format}: {found}");
        let mut body = encode(format, &ada());
        body.push(0xFF);
        is_problem(&send(echo(format).body(body)).await, 400, format);
        // An empty body is invalid as well, except in Protocol Buffers, where it is a message of
        // defaults.
        if format != Format::Protobuf {
            is_problem(&send(echo(format).body("")).await, 400, format);
        }
    }
});

row!(responds_404_to_an_unknown_path, |send| {
    for format in Format::ALL {
        for path in ["/", "/nowhere", "/echo/", "/r0", "/r0/", "/r0/a/b"] {
            let response =
                send(TestRequest::new("GET", path).with("accept", media_type(format))).await;
            is_problem(&response, 404, format);
        }
    }
});

row!(responds_to_head_like_get_without_content, |send| {
    let response = send(TestRequest::new("HEAD", "/r0/abc")).await;
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-length"), Some("3"));
    assert_eq!(response.header("content-type"), Some("text/plain; charset=utf-8"));
    assert!(response.body.is_empty());
    let response = send(TestRequest::new("HEAD", "/nowhere")).await;
    assert_eq!(response.status, 404);
    assert!(response.body.is_empty());
});

row!(responds_413_to_a_large_body, |send| {
    for format in Format::ALL {
        let body = vec![b' '; 3 << 20];
        let found = is_problem(&send(echo(format).body(body)).await, 413, format);
        assert!(found.detail().expect("a detail").contains("2097152"));
        // The body is small while coded, and too large when decoded.
        let mut coded = Vec::new();
        let mut encoder = Encoder::new(Coding::Zstd.into()).expect("an encoder");
        encoder.encode(&vec![b' '; 9 << 20], &mut coded).expect("coded");
        let request = echo(format).with("content-encoding", "zstd").body(coded);
        is_problem(&send(request).await, 413, format);
    }
});

row!(sends_text_in_the_requested_charset, |send| {
    for (charset, content_type, body) in [
        ("iso-8859-1", "text/plain; charset=iso-8859-1", &b"Z\xFCrich"[..]),
        ("utf-16, *;q=0.1", "text/plain; charset=utf-16", b"\xFE\xFF\0Z\0\xFC\0r\0i\0c\0h"),
        ("koi8-r", "text/plain; charset=utf-8", "Zürich".as_bytes()),
    ] {
        let request = TestRequest::new("GET", "/r0/Z%C3%BCrich").with("accept-charset", charset);
        let response = send(request).await;
        assert_eq!(response.header("content-type"), Some(content_type));
        assert_eq!(response.header("vary"), Some("accept, accept-charset, accept-encoding"));
        assert_eq!(response.body, body);
    }
    // A charset that lacks a character is passed over.
    let request = TestRequest::new("GET", "/r0/%E2%82%AC").with("accept-charset", "iso-8859-1");
    let response = send(request).await;
    assert_eq!(response.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(response.body, "€");
});
