//! A document to compare, with the subjects that every library adds for it.

use std::fmt::Debug;
use std::hint::black_box;

use crate::Subject;
use crate::subject::{Buffer, assert_round_trip};

/// A document to compare, and the bytes that all libraries decode.
pub(super) struct Case<T: 'static> {
    pub(super) document: &'static str,
    pub(super) format: &'static str,
    pub(super) value: &'static T,
    pub(super) bytes: &'static [u8],
}

impl<T: PartialEq> Case<T> {
    pub(super) fn group(&self, work: &str) -> String {
        format!("{}/{work}/{}", self.document, self.format)
    }

    /// Adds the subjects of one library: encoding into a fresh buffer, into a reused buffer, and
    /// decoding.
    ///
    /// The types of the functions are generic, so the library is compiled into the measured loop.
    pub(super) fn library<V: Debug, E: Debug, D: Debug>(
        &self,
        subjects: &mut Vec<Subject>,
        name: &str,
        to_vec: impl Fn(&T) -> Result<Vec<u8>, V> + 'static,
        encode: impl Fn(&T, &mut Vec<u8>) -> Result<(), E> + 'static,
        decode: impl Fn(&'static [u8]) -> Result<T, D> + 'static,
    ) {
        let &Case { document, value, bytes, .. } = self;
        let to_vec = move |value: &T| to_vec(value).expect("encoding succeeds");
        let encode =
            move |value: &T, out: &mut Vec<u8>| encode(value, out).expect("encoding succeeds");
        let decode = move |bytes: &'static [u8]| decode(bytes).expect("decoding succeeds");
        assert_round_trip(name, document, value, &decode(bytes));
        let written = to_vec(value);
        assert_round_trip(name, document, value, &decode(leak(written.clone())));
        let mut again = Vec::new();
        encode(value, &mut again);
        assert_eq!(again, written, "{name} writes {document} in two ways");

        let group = self.group("encode");
        let size = written.len();
        let reused = reusing(size, move |out| encode(value, out));
        subjects.push(Subject::new(&group, name, Buffer::Fresh, size, move || to_vec(value)));
        subjects.push(Subject::new(&group, name, Buffer::Reused, size, reused));
        let decoding = move || decode(bytes);
        let group = self.group("decode");
        subjects.push(Subject::new(&group, name, Buffer::None, bytes.len(), decoding));
    }

    /// Adds the floor rows of both groups.
    pub(super) fn floors(&self, subjects: &mut Vec<Subject>) {
        floor(subjects, &self.group("encode"), self.bytes);
        floor(subjects, &self.group("decode"), self.bytes);
    }
}

/// Returns an operation that encodes into one reused buffer and returns the number of bytes.
pub(super) fn reusing(
    capacity: usize,
    mut encode: impl FnMut(&mut Vec<u8>) + 'static,
) -> impl FnMut() -> usize + 'static {
    let mut buffer = Vec::with_capacity(capacity);
    move || {
        buffer.clear();
        encode(&mut buffer);
        // The bytes are read, so that the compiler cannot remove writing them.
        black_box(buffer.as_slice());
        buffer.len()
    }
}

/// Adds the floor rows of a group: a copy of the encoded bytes, and a validation of their UTF-8.
pub(super) fn floor(subjects: &mut Vec<Subject>, group: &str, bytes: &'static [u8]) {
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

pub(super) fn leak(bytes: Vec<u8>) -> &'static [u8] {
    Box::leak(bytes.into_boxed_slice())
}
