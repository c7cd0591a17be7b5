//! The subjects, format by format.

mod json;
mod msgpack;
mod pickle;
mod values;

use std::hint::black_box;

use crate::Subject;
use crate::documents::Documents;
use crate::subject::Buffer;

/// Every subject, each after its round trip.
pub fn subjects(documents: Documents) -> Vec<Subject> {
    let mut subjects = Vec::new();
    msgpack::add(&mut subjects, documents);
    json::add(&mut subjects, documents);
    pickle::add(&mut subjects, documents);
    values::add(&mut subjects, documents);
    subjects
}

/// An encoder with a buffer that is used again.
fn reusing(
    capacity: usize,
    mut encode: impl FnMut(&mut Vec<u8>) + 'static,
) -> impl FnMut() -> usize + 'static {
    let mut buffer = Vec::with_capacity(capacity);
    move || {
        buffer.clear();
        encode(&mut buffer);
        // The bytes are looked at, so that writing them is not left out.
        black_box(buffer.as_slice());
        buffer.len()
    }
}

/// The floor rows of a group: what copying the encoded bytes costs, and checking their UTF-8.
fn floor(subjects: &mut Vec<Subject>, group: &str, bytes: &'static [u8]) {
    let size = bytes.len();
    let mut copy = vec![0; size];
    let copying = move || {
        copy.copy_from_slice(black_box(bytes));
        black_box(copy.as_slice());
    };
    subjects.push(Subject::new(group, "floor: memcpy", Buffer::None, size, copying));
    let checking = move || simdutf8::basic::from_utf8(black_box(bytes)).is_ok();
    subjects.push(Subject::new(group, "floor: UTF-8", Buffer::None, size, checking));
}

fn leak(bytes: Vec<u8>) -> &'static [u8] {
    Box::leak(bytes.into_boxed_slice())
}
