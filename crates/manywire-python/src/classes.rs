//! Classes of values that Python does not have: timestamps, and values that one format has.

use manywire_bindings::{Error, code_of_number, space_of_name};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;

use crate::raised;

/// A point in time, as MessagePack, CBOR, BSON and Avro have them, in nanoseconds.
#[pyclass(frozen, eq, ord, hash, module = "manywire")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Timestamp {
    /// Whole seconds since 1970, negative before.
    #[pyo3(get)]
    pub(crate) seconds: i64,
    /// Nanoseconds after `seconds`, 0 to 999,999,999.
    #[pyo3(get)]
    pub(crate) nanoseconds: u32,
}

#[pymethods]
impl Timestamp {
    #[new]
    #[pyo3(signature = (seconds, nanoseconds = 0))]
    fn new(seconds: i64, nanoseconds: u32) -> PyResult<Timestamp> {
        let time = manywire_shape::Timestamp::new(seconds, nanoseconds);
        let time = time.ok_or_else(|| raised(Error::new("nanoseconds are 0 to 999,999,999")))?;
        Ok(Timestamp::from(time))
    }

    fn __repr__(&self) -> String {
        format!("Timestamp({}, {})", self.seconds, self.nanoseconds)
    }

    /// Returns the time as RFC 3339 has it.
    fn __str__(&self) -> String {
        manywire_shape::Timestamp::from(*self).to_string()
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> (Py<PyAny>, (i64, u32)) {
        let time = slf.get();
        (slf.get_type().into_any().unbind(), (time.seconds, time.nanoseconds))
    }
}

impl From<manywire_shape::Timestamp> for Timestamp {
    fn from(time: manywire_shape::Timestamp) -> Self {
        Timestamp { seconds: time.seconds, nanoseconds: time.nanoseconds }
    }
}

impl From<Timestamp> for manywire_shape::Timestamp {
    fn from(time: Timestamp) -> Self {
        manywire_shape::Timestamp { seconds: time.seconds, nanoseconds: time.nanoseconds }
    }
}

/// A value that only one format has: an extension type, a tag or a special type.
#[pyclass(frozen, module = "manywire")]
#[derive(Debug)]
pub(crate) struct Extension {
    /// The format that the value belongs to.
    #[pyo3(get)]
    pub(crate) space: String,
    /// The type of MessagePack, the tag or simple value of CBOR, or the element type of BSON.
    #[pyo3(get)]
    pub(crate) code: i128,
    /// The content.
    #[pyo3(get)]
    pub(crate) content: Py<PyAny>,
}

#[pymethods]
impl Extension {
    #[new]
    #[pyo3(signature = (space, code, content = None))]
    fn new(
        py: Python<'_>,
        space: String,
        code: i128,
        content: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let known = space_of_name(&space).ok_or_else(|| {
            raised(Error::new(format_args!(
                "expected msgpack, cbor-tag, cbor-simple or bson, found {space:?}"
            )))
        })?;
        if code_of_number(known, code).is_none() {
            return Err(raised(Error::new(format_args!("{space} has no code {code}"))));
        }
        Ok(Extension { space, code, content: content.unwrap_or_else(|| py.None()) })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let content = self.content.bind(py).repr()?;
        Ok(format!("Extension('{}', {}, {content})", self.space, self.code))
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<Extension>() else { return Ok(py.NotImplemented()) };
        let other = other.get();
        let same = self.space == other.space
            && self.code == other.code
            && self.content.bind(py).eq(&other.content)?;
        match op {
            CompareOp::Eq => Ok(same.into_pyobject(py)?.to_owned().into_any().unbind()),
            CompareOp::Ne => Ok((!same).into_pyobject(py)?.to_owned().into_any().unbind()),
            _ => Ok(py.NotImplemented()),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.space.as_str(), self.code, self.content.clone_ref(py)).into_pyobject(py)?.hash()
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> (Py<PyAny>, (String, i128, Py<PyAny>)) {
        let (py, own) = (slf.py(), slf.get());
        let arguments = (own.space.clone(), own.code, own.content.clone_ref(py));
        (slf.get_type().into_any().unbind(), arguments)
    }
}
