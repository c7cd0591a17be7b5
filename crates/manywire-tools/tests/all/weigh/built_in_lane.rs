//! The built-in lane answers the requests of `lanes/CONTRACT.md`, and refuses invalid ones without
//! ending.

use manywire_format::{FORMATS, Format};
use manywire_tools::payload::Payload;
use manywire_tools::weigh::lanes::{LaneInput, digest};
use manywire_tools::weigh::payload::Sample;
use manywire_tools::weigh::worker::work;
use serde_json::{Value, json};

/// Its keys are sorted, as serde_json's map keeps them.
const DOCUMENT: &[u8] = br#"{"id":7,"name":"Ada","none":null,"tags":["a","b"]}"#;

/// Sends frames to the lane and returns those of its answers.
fn converse(frames: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut input = Vec::new();
    for frame in frames {
        input.extend((frame.len() as u32).to_be_bytes());
        input.extend(*frame);
    }
    let mut output = Vec::new();
    work(&mut &input[..], &mut output).expect("the lane ends with its input");
    let mut rest = &output[..];
    let mut answers = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let (frame, after) = after.split_at(u32::from_be_bytes(*length) as usize);
        answers.push(frame.to_vec());
        rest = after;
    }
    answers
}

/// Sends requests without frames of bytes and returns the answers.
fn ask(requests: &[Value]) -> Vec<Value> {
    let requests: Vec<Vec<u8>> =
        requests.iter().map(|request| request.to_string().into_bytes()).collect();
    let frames: Vec<&[u8]> = requests.iter().map(Vec::as_slice).collect();
    converse(&frames).iter().map(|answer| serde_json::from_slice(answer).expect("JSON")).collect()
}

/// Returns the index of a subject in `describe`.
fn subject(library: &str, format: Format) -> usize {
    let described = ask(&[json!({ "verb": "describe" })]).remove(0);
    let subjects = described["ok"]["subjects"].as_array().expect("subjects").clone();
    let is_it =
        |subject: &Value| subject["library"] == library && subject["format"] == format.name();
    subjects.iter().position(is_it).expect("a subject")
}

#[test]
fn every_subject_reads_and_writes_the_bytes_of_our_codecs() {
    let payload = Payload::new("user.json", Format::Json, DOCUMENT.to_vec());
    let input = LaneInput::every(&[payload], None).expect("encodable");
    let (schema, descriptors) = input.schema_request();
    let described = ask(&[json!({ "verb": "describe" })]).remove(0);
    let subjects = described["ok"]["subjects"].as_array().expect("subjects").clone();
    // Our codecs in every format, serde_json and rmp-serde.
    assert_eq!(subjects.len(), FORMATS.len() + 2, "{described}");
    for (index, subject) in subjects.iter().enumerate() {
        let format: Format = subject["format"].as_str().expect("a name").parse().expect("a format");
        let bytes = &input.encoded(format).expect("every format holds it")[0];
        let load = json!({ "verb": "load", "subject": index, "payloads": 1 }).to_string();
        let of = |verb: &str| json!({ "verb": verb, "subject": index }).to_string();
        let (digest, encode) = (of("digest"), of("encode"));
        let run = json!({
            "verb": "run", "subject": index, "operation": "decode", "coding": "zstd:3",
            "window": [0, 0], "repeats": 2,
        });
        let answers = converse(&[
            schema.to_string().as_bytes(),
            descriptors,
            load.as_bytes(),
            bytes,
            digest.as_bytes(),
            encode.as_bytes(),
            run.to_string().as_bytes(),
        ]);
        let json =
            |index: usize| -> Value { serde_json::from_slice(&answers[index]).expect("JSON") };
        assert_eq!((json(0), json(1)), (json!({"ok": {}}), json!({"ok": {}})), "{subject}");
        let digests = input.digests(format).expect("digests");
        assert_eq!(json(2), json!({ "ok": { "digests": digests } }), "{subject}");
        assert_eq!(json(3), json!({ "ok": { "payloads": 1 } }), "{subject}");
        assert_eq!(&answers[4], bytes, "{subject}");
        assert!(json(5)["ok"]["wall_ns"].as_f64() > Some(0.0), "{subject}: {}", json(5));
    }
}

#[test]
fn requests_that_cannot_be_executed_are_refused() {
    let own = subject("manywire", Format::Json);
    let load = json!({ "verb": "load", "subject": own, "payloads": 1 }).to_string();
    for (request, reason) in [
        (json!({ "verb": "serve" }), "unknown variant `serve`"),
        (json!({ "verb": "encode", "subject": 99 }), "subject 99 has no payloads"),
        (json!({ "verb": "load", "subject": 99 }), "no subject 99"),
        (
            json!({ "verb": "run", "subject": own, "operation": "encode", "window": [1], "repeats": 1 }),
            "no payload 1; there are 1",
        ),
        (
            json!({ "verb": "run", "subject": own, "operation": "encode", "coding": "rot13", "window": [0], "repeats": 1 }),
            "rot13",
        ),
        (
            json!({ "verb": "memory", "subject": own, "operation": "sing" }),
            "unknown variant `sing`",
        ),
    ] {
        let text = request.to_string();
        let digest = json!({ "verb": "digest", "subject": own }).to_string();
        let answers = converse(&[load.as_bytes(), DOCUMENT, text.as_bytes(), digest.as_bytes()]);
        let refusal: Value = serde_json::from_slice(&answers[1]).expect("JSON");
        let refusal = refusal["error"].as_str().expect("an error");
        assert!(refusal.contains(reason), "{request}: {refusal}");
        // The lane is ready for the next request.
        let next: Value = serde_json::from_slice(&answers[2]).expect("JSON");
        let arena = manywire_shape::Arena::new();
        let sample = Sample::read("", Format::Json, DOCUMENT, None, &arena).expect("a value");
        let expected = digest_of(&sample);
        assert_eq!(next, json!({ "ok": { "digests": [expected] } }), "{request}");
    }
}

fn digest_of(sample: &Sample<'_>) -> String {
    digest(&sample.value).expect("a digest")
}

#[test]
fn payloads_that_a_library_cannot_hold_are_refused_with_their_number() {
    let index = subject("rmp-serde", Format::MsgPack);
    let load = json!({ "verb": "load", "subject": index, "payloads": 2 }).to_string();
    // A number, then an extension, for which `serde_json::Value` has no variant.
    let answers = converse(&[load.as_bytes(), &[1], &[0xd4, 5, 0]]);
    let refusal: Value = serde_json::from_slice(&answers[0]).expect("JSON");
    let refusal = refusal["error"].as_str().expect("an error");
    assert!(refusal.starts_with("payload 2: "), "{refusal}");
}

#[test]
fn input_that_is_no_request_ends_the_lane() {
    let mut output = Vec::new();
    for (input, reason) in [
        (&b"\0\0"[..], "expected the four bytes of a length, found 2"),
        (b"\0\0\0\x05{}", "a frame that ends after 2 of 5 bytes"),
        (b"\0\0\0\x02{]", "malformed request"),
        (b"\0\0\0\x22{\"verb\":\"load\",\"payloads\":9999999}", "input ends before a payload"),
    ] {
        let error = work(&mut &input[..], &mut output).expect_err(reason);
        assert!(error.to_string().contains(reason), "{error}");
    }
}
