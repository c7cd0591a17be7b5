//! The types of the standard library and their serialized values.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{CString, OsString};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::{NonZero, Saturating, Wrapping};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU16};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, SystemTime};

use manywire_shape::{Arena, Shape, Shaped, Timestamp, Value};
use serde::Serialize;

use super::agree;

/// Checks the outline of a type, and that the values fit it.
#[track_caller]
fn check<T: Shaped + Serialize>(outline: &str, values: &[T]) {
    assert_eq!(Shape::of::<T>().to_string().trim_end(), outline);
    agree(values);
}

#[test]
fn numbers() {
    check("i8", &[1i8]);
    check("i16", &[1i16]);
    check("i32", &[1i32]);
    check("i64", &[1i64]);
    check("i128", &[1i128]);
    check("i64", &[1isize]);
    check("u8", &[1u8]);
    check("u16", &[1u16]);
    check("u32", &[1u32]);
    check("u64", &[1u64]);
    check("u128", &[1u128]);
    check("u64", &[1usize]);
    check("f32", &[1f32]);
    check("f64", &[1f64]);
    check("u16", &[NonZero::<u16>::MIN]);
    check("i128", &[NonZero::<i128>::MIN]);
    check("i8", &[Wrapping(1i8)]);
    check("u64", &[Saturating(1u64)]);
    check("u16", &[AtomicU16::new(1)]);
    check("bool", &[AtomicBool::new(true)]);
}

#[test]
fn text_and_bytes() {
    check("bool", &[true]);
    check("char", &['a']);
    check("str", &["text"]);
    check("str", &[String::new()]);
    check("str", &[Cow::Borrowed("text")]);
    check("str", &[Path::new("a/b")]);
    check("str", &[PathBuf::from("a/b")]);
    check("bytes", &[CString::default()]);
    check("bytes", &[&b"bytes"[..]]);
    check("[u8]", &[b"bytes".to_vec()]);
    check("[u8]", &[Cow::Borrowed(&b"bytes"[..])]);
    check("OsString = {\n  Unix([u8])\n  Windows([u16])\n}", &[OsString::from("a")]);
}

#[test]
fn wrappers() {
    check("u8", &[Box::new(1u8)]);
    check("u8", &[&&1u8]);
    check("u8", &[&mut 1u8]);
    check("u8", &[Cell::new(1u8)]);
    check("u8", &[RefCell::new(1u8)]);
    check("u8", &[Mutex::new(1u8)]);
    check("u8", &[RwLock::new(1u8)]);
    check("u8", &[Reverse(1u8)]);
    check("u8?", &[Some(1u8), None]);
    check("u8??", &[Some(Some(1u8)), Some(None), None]);
    check("null", &[()]);
    check("null", &[PhantomData::<Mutex<()>>]);
    // Serde implements these only with a feature; their shape is that of their content.
    assert_eq!(Shape::of::<std::rc::Rc<str>>(), Shape::of::<str>());
    assert_eq!(Shape::of::<std::sync::Arc<[i8]>>(), Shape::of::<[i8]>());
}

#[test]
fn collections() {
    check("[i8]", &[vec![1i8], vec![]]);
    check("[i8]", &[&[1i8, 2][..]]);
    check("[i8]", &[VecDeque::from([1i8])]);
    check("[i8]", &[LinkedList::from([1i8])]);
    check("[i8]", &[BinaryHeap::from([1i8])]);
    check("[i8]", &[BTreeSet::from([1i8])]);
    check("[i8]", &[HashSet::from([1i8])]);
    check("[i8]", &[vec![1i8].into_boxed_slice()]);
    check("[i8; 3]", &[[1i8, 2, 3]]);
    check("[i8; 0]", &[[0i8; 0]]);
    check("{str: [u8]}", &[BTreeMap::from([("a", vec![1u8])])]);
    check("{u32: str?}", &[HashMap::from([(1u32, Some("a"))])]);
    check("(u8,)", &[(1u8,)]);
    check("(u8, str, (f32, null))", &[(1u8, "a", (1f32, ()))]);
    check(
        "(u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, bool)",
        &[(0u8, 1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8, 8u8, 9u8, 10u8, 11u8, 12u8, 13u8, 14u8, true)],
    );
}

#[test]
fn records_and_enums() {
    check("Duration {\n  secs: u64\n  nanos: u32\n}", &[Duration::from_millis(1)]);
    check(
        "SystemTime {\n  secs_since_epoch: u64\n  nanos_since_epoch: u32\n}",
        &[SystemTime::UNIX_EPOCH],
    );
    check("Range {\n  start: u8\n  end: u8\n}", std::slice::from_ref(&(0u8..9)));
    check("RangeInclusive {\n  start: u8\n  end: u8\n}", &[0u8..=9]);
    check("RangeFrom {\n  start: u8\n}", &[0u8..]);
    check("RangeTo {\n  end: u8\n}", &[..9u8]);
    check(
        "Bound = {\n  Unbounded\n  Included(u8)\n  Excluded(u8)\n}",
        &[Bound::Unbounded, Bound::Included(1u8), Bound::Excluded(2)],
    );
    check("Result = {\n  Ok(u8)\n  Err(str)\n}", &[Ok(1u8), Err("no")]);
}

#[test]
fn addresses_are_octets_in_binary_formats_and_text_in_others() {
    let (v4, v6) = (Ipv4Addr::LOCALHOST, Ipv6Addr::LOCALHOST);
    check("[u8; 4]", &[v4]);
    check("[u8; 16]", &[v6]);
    check("IpAddr = {\n  V4([u8; 4])\n  V6([u8; 16])\n}", &[IpAddr::V4(v4), IpAddr::V6(v6)]);
    check(
        "SocketAddr = {\n  V4(([u8; 4], u16))\n  V6(([u8; 16], u16))\n}",
        &[SocketAddr::from((v4, 80)), SocketAddr::from((v6, 80))],
    );
    assert_eq!(Shape::of_readable::<SocketAddr>().to_string().trim_end(), "str");
}

#[test]
fn timestamps_and_dynamic_values() {
    let arena = Arena::new();
    let items = arena.alloc_slice_copy(&[Value::Null, Value::from(1i64)]);
    check("any", &[Value::Null, Value::Array(items), Value::Bytes(b"x")]);
    check("timestamp", &[Timestamp { seconds: -1, nanoseconds: 5 }]);
}
