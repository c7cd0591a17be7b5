//! `application/x-www-form-urlencoded` forms, compared with an independent parser and written
//! again.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use http::{Method, StatusCode};
use manywire::content::Form;
use manywire::{Api, Format, Service, Shaped, post};
use serde::{Deserialize, Serialize};

use super::client::{Request, call, problem};
use crate::target::{CheckResult, Violation, ensure};

const FORM: &str = "application/x-www-form-urlencoded";

/// The service's limit on names and values of a form.
const PAIRS_MAX: usize = 1_024;

type Named = BTreeMap<String, Vec<String>>;

#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Booking {
    name: String,
    nights: u8,
    breakfast: Option<bool>,
    #[serde(default)]
    extras: Vec<i16>,
    rate: Option<f64>,
    letter: Option<char>,
    board: Option<Board>,
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
#[serde(rename_all = "lowercase")]
enum Board {
    Half,
    Full,
}

static SERVICE: LazyLock<Service> = LazyLock::new(|| {
    let named = post("/named").body::<Form<Named>>().returns::<Named>();
    let typed = post("/typed").body::<Form<Booking>>().returns::<Form<Booking>>();
    let api = Api::new("Forms")
        .formats([Format::Json])
        .serve(named.to(|named| async move { named }))
        .serve(typed.to(|booking| async move { booking }));
    api.build().unwrap_or_else(|error| panic!("{error}"))
});

pub(crate) fn check(bytes: &[u8]) -> CheckResult {
    let pairs = pairs(bytes);
    let answer = call(&SERVICE, &Request::with_body(Method::POST, "/named", FORM, bytes), None)?;
    match &pairs {
        None => ensure!(
            answer.status == StatusCode::BAD_REQUEST,
            "an invalid form got {}",
            answer.status
        ),
        Some(pairs) => {
            ensure!(answer.status == StatusCode::OK, "a valid form got {}", answer.status);
            let mut expected = Named::new();
            for (name, value) in pairs {
                expected.entry(name.clone()).or_default().push(value.clone());
            }
            let found: Named = serde_json::from_slice(&answer.body)
                .map_err(|error| Violation(format!("the response is not JSON: {error}")))?;
            ensure!(found == expected, "{expected:?} was read as {found:?}");
        }
    }
    problem(&answer)?;
    typed(bytes, pairs.is_some())
}

/// Checks a round trip of a record: the form that the service writes must read as the same form.
fn typed(bytes: &[u8], is_form: bool) -> CheckResult {
    let ask = |bytes: &[u8]| {
        call(&SERVICE, &Request::with_body(Method::POST, "/typed", FORM, bytes), None)
    };
    let answer = ask(bytes)?;
    if answer.status == StatusCode::OK {
        let again = ask(&answer.body)?;
        let text = String::from_utf8_lossy(&answer.body);
        let found = String::from_utf8_lossy(&again.body);
        ensure!(again.status == StatusCode::OK, "{text} was written and then got {}", again.status);
        ensure!(again.body == answer.body, "{text} was written first and then {found}");
        return Ok(());
    }
    let expected = match is_form {
        true => StatusCode::UNPROCESSABLE_ENTITY,
        false => StatusCode::BAD_REQUEST,
    };
    ensure!(answer.status == expected, "{expected} was expected, not {}", answer.status);
    problem(&answer)
}

/// Parses the names and values of a form (WHATWG URL, section 5.1). Unlike that specification, it
/// requires UTF-8 and two digits after each percent sign.
fn pairs(bytes: &[u8]) -> Option<Vec<(String, String)>> {
    std::str::from_utf8(bytes).ok()?;
    let written = bytes.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    let mut pairs = Vec::new();
    for pair in written {
        let mut halves = pair.splitn(2, |byte| *byte == b'=');
        let mut half = || decoded(halves.next().unwrap_or_default());
        pairs.push((half()?, half()?));
    }
    (pairs.len() <= PAIRS_MAX).then_some(pairs)
}

fn decoded(text: &[u8]) -> Option<String> {
    let mut pieces = text.split(|byte| *byte == b'%');
    let spaced = |piece: &[u8]| -> Vec<u8> {
        piece.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect()
    };
    let mut out = spaced(pieces.next()?);
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok().filter(|it| !it.starts_with('+'))?;
        out.push(u8::from_str_radix(digits, 16).ok()?);
        out.extend(spaced(rest));
    }
    String::from_utf8(out).ok()
}
