//! The external MessagePack suite: every encoding is read, ours is one of them, and no prefix is
//! accepted.

use std::path::PathBuf;

use manywire_codec::{Limits, Result, msgpack};
use manywire_shape::{Arena, Ext, Space, Timestamp, Value, ValueSeed};
use serde_json::Value as Json;

fn read<'a>(bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>> {
    msgpack::from_slice_seed(
        &mut ValueSeed::new(arena),
        bytes,
        msgpack::ExtraItems::Skipped,
        Limits::DEFAULT,
    )
}

fn unhex(hex: &str) -> Vec<u8> {
    hex.split('-')
        .filter(|byte| !byte.is_empty())
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect()
}

/// Returns the value of a case, or `None` if this test does not know its type.
fn value<'a>(case: &'a Json, arena: &'a Arena) -> Option<Value<'a>> {
    let (kind, content) = case.as_object()?.iter().find(|(key, _)| *key != "msgpack")?;
    Some(match (kind.as_str(), content) {
        ("bignum", Json::String(text)) => match text.parse::<i64>() {
            Ok(number) => Value::I64(number),
            Err(_) => Value::U64(text.parse().ok()?),
        },
        ("binary", Json::String(hex)) => Value::Bytes(arena.alloc_slice_copy(&unhex(hex))),
        ("timestamp", Json::Array(parts)) => Value::Timestamp(Timestamp::new(
            parts.first()?.as_i64()?,
            parts.get(1)?.as_u64()?.try_into().ok()?,
        )?),
        ("ext", Json::Array(parts)) => Value::Ext(arena.alloc(Ext {
            space: Space::MessagePack,
            code: parts.first()?.as_i64()?.cast_unsigned(),
            content: Value::Bytes(arena.alloc_slice_copy(&unhex(parts.get(1)?.as_str()?))),
        })),
        ("nil" | "bool" | "number" | "string" | "array" | "map", json) => plain(json, arena)?,
        _ => return None,
    })
}

fn plain<'a>(json: &'a Json, arena: &'a Arena) -> Option<Value<'a>> {
    Some(match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::I64(number),
            None => Value::F64(number.as_f64()?),
        },
        Json::String(text) => Value::Str(text),
        Json::Array(items) => Value::Array(arena.alloc_slice_fill_iter(
            items.iter().map(|item| plain(item, arena)).collect::<Option<Vec<_>>>()?,
        )),
        Json::Object(entries) => Value::Map(
            arena.alloc_slice_fill_iter(
                entries
                    .iter()
                    .map(|(key, item)| Some((Value::Str(key), plain(item, arena)?)))
                    .collect::<Option<Vec<_>>>()?,
            ),
        ),
    })
}

/// Compares values; the suite lists integer and float encodings of one number together.
fn same(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (number(left), number(right)) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}

fn number(value: &Value<'_>) -> Option<f64> {
    match *value {
        Value::I64(value) => Some(value as f64),
        Value::U64(value) => Some(value as f64),
        Value::F32(value) => Some(value.into()),
        Value::F64(value) => Some(value),
        _ => None,
    }
}

#[test]
fn reads_every_encoding_and_writes_one_of_them() {
    let Some(suites) = std::env::var_os("MANYWIRE_SUITES") else {
        return println!("skipped: no suites");
    };
    let path = PathBuf::from(suites).join("msgpack/msgpack-test-suite.json");
    let suite: Json = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let (mut values, mut encodings, mut prefixes, mut skipped) = (0, 0, 0, 0);
    let mut failures = Vec::new();
    let cases =
        suite.as_object().unwrap().iter().flat_map(|(group, cases)| {
            cases.as_array().unwrap().iter().map(move |case| (group, case))
        });
    for (group, case) in cases {
        let arena = Arena::new();
        let forms: Vec<Vec<u8>> = case["msgpack"]
            .as_array()
            .unwrap()
            .iter()
            .map(|form| unhex(form.as_str().unwrap()))
            .collect();
        let Some(expected) = value(case, &arena) else {
            skipped += 1;
            println!("skipped: {group}: {case}");
            continue;
        };
        values += 1;
        let written = msgpack::to_vec(&expected).unwrap();
        if !forms.contains(&written) {
            failures.push(format!("{group}: {expected:?} was written {written:02x?}"));
        }
        for form in &forms {
            encodings += 1;
            match read(form, &arena) {
                Ok(found) if same(&found, &expected) => {}
                other => failures.push(format!("{group}: {form:02x?} was read {other:?}")),
            }
            for end in 0..form.len() {
                prefixes += 1;
                if let Ok(found) = read(&form[..end], &arena) {
                    failures.push(format!("{group}: {:02x?} was read {found:?}", &form[..end]));
                }
            }
        }
    }
    println!(
        "{values} values written, {encodings} encodings read, {prefixes} prefixes refused: \
         {} failed, {skipped} skipped",
        failures.len()
    );
    assert!(failures.is_empty(), "{failures:#?}");
    assert_eq!((values, encodings, skipped), (85, 233, 0));
}
