//! Values of Python: from dynamic values, and back.
//!
//! Each value of a format has one counterpart, or is refused with its path:
//!
//! | value | Python |
//! |---|---|
//! | integer | `int` |
//! | float | `float` |
//! | decimal fraction that no float equals | `decimal.Decimal` |
//! | bytes | `bytes` |
//! | array | `list` |
//! | map | `dict` |
//! | timestamp | `Timestamp` of the package |
//! | extension | `Extension` of the package |
//!
//! In the other direction, `bytearray`, `memoryview`, `tuple` and a `datetime` with a time zone are
//! accepted, too. Anything else that Python has, such as a set or an object of a class, is refused.

use manywire_bindings::{
    DEPTH_MAX, Error, code_number, code_of_number, decimal, key_text, space_name, space_of_name,
};
use manywire_shape::fidelity::has_duplicate_keys;
use manywire_shape::{Arena, Ext, Value};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMemoryView, PyString, PyTuple,
    PyType,
};

use crate::classes::{Extension, Timestamp};
use crate::raised;

/// Returns the value in Python.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    written(py, value).map_err(Fault::raised)
}

/// The reason why a conversion stops: a value has no counterpart, or Python raised an exception.
enum Fault {
    Refused(Error),
    Raised(PyErr),
}

impl Fault {
    #[cold]
    fn new(message: impl std::fmt::Display) -> Fault {
        Fault::Refused(Error::at("$", message))
    }

    /// Puts a step in front of the path, while the fault leaves a part of a value.
    #[cold]
    fn under(self, step: impl FnOnce(Error) -> Error) -> Fault {
        match self {
            Fault::Refused(error) => Fault::Refused(step(error)),
            raised @ Fault::Raised(_) => raised,
        }
    }

    #[cold]
    fn raised(self) -> PyErr {
        match self {
            Fault::Refused(error) => raised(error),
            Fault::Raised(error) => error,
        }
    }
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Self {
        Fault::Raised(error)
    }
}

impl From<std::convert::Infallible> for Fault {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

/// A class of the standard library, which is imported at its first use.
struct Class {
    cell: PyOnceLock<Py<PyType>>,
    module: &'static str,
    name: &'static str,
}

impl Class {
    const fn new(module: &'static str, name: &'static str) -> Class {
        Class { cell: PyOnceLock::new(), module, name }
    }

    fn get<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyType>> {
        self.cell.import(py, self.module, self.name)
    }
}

static DECIMAL: Class = Class::new("decimal", "Decimal");
static DATETIME: Class = Class::new("datetime", "datetime");

fn written<'py>(py: Python<'py>, value: &Value<'_>) -> Result<Bound<'py, PyAny>, Fault> {
    Ok(match *value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(truth) => PyBool::new(py, truth).to_owned().into_any(),
        Value::I64(number) | Value::Long(number) => number.into_pyobject(py)?.into_any(),
        Value::U64(number) => number.into_pyobject(py)?.into_any(),
        Value::Number(text) => long_number(py, text)?,
        Value::F32(number) => PyFloat::new(py, f64::from(number)).into_any(),
        Value::F64(number) => PyFloat::new(py, number).into_any(),
        Value::Str(text) => PyString::new(py, text).into_any(),
        Value::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for (index, item) in items.iter().enumerate() {
                let item = written(py, item);
                let item = item.map_err(|fault| fault.under(|error| error.under_index(index)))?;
                list.append(item)?;
            }
            list.into_any()
        }
        Value::Map(entries) => map(py, entries)?,
        Value::Timestamp(time) => Bound::new(py, Timestamp::from(time))?.into_any(),
        Value::Ext(ext) => {
            let content = written(py, &ext.content)?.unbind();
            let (space, code) =
                (space_name(ext.space).to_owned(), code_number(ext.space, ext.code));
            Bound::new(py, Extension { space, code, content })?.into_any()
        }
    })
}

/// The message for an integer with too many digits. Python limits the digits of an integer in a
/// text, because the conversion takes time that is quadratic in their number.
const TOO_MANY_DIGITS: &str =
    "the integer has more digits than Python allows: see sys.set_int_max_str_digits";

/// Returns a number that no 64-bit type holds: an `int`, or a `Decimal` if it has a fraction.
#[cold]
fn long_number<'py>(py: Python<'py>, text: &str) -> Result<Bound<'py, PyAny>, Fault> {
    let is_integer = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if is_integer {
        let number = py.get_type::<PyInt>().call1((text,));
        return number.map_err(|_| Fault::new(TOO_MANY_DIGITS));
    }
    Ok(DECIMAL.get(py)?.call1((text,))?)
}

fn map<'py>(
    py: Python<'py>,
    entries: &[(Value<'_>, Value<'_>)],
) -> Result<Bound<'py, PyAny>, Fault> {
    if has_duplicate_keys(entries) {
        return Err(Fault::new("a key occurs twice, which Python cannot hold"));
    }
    let dict = PyDict::new(py);
    for (key, value) in entries {
        let shown = key_text(key);
        let value = written(py, value);
        let value = value.map_err(|fault| fault.under(|error| error.under_key(&shown)))?;
        let key = written(py, key)?;
        if key.is_instance_of::<PyList>() || key.is_instance_of::<PyDict>() {
            return Err(Fault::new(format_args!("the key {shown} cannot be a key of a dict")));
        }
        if dict.contains(&key)? {
            return Err(Fault::new(format_args!(
                "the key {shown} and another are equal in Python"
            )));
        }
        dict.set_item(key, value)?;
    }
    Ok(dict.into_any())
}

/// Returns the value of Python as a dynamic value in the arena.
pub(crate) fn from_python<'a>(value: &Bound<'_, PyAny>, arena: &'a Arena) -> PyResult<Value<'a>> {
    read(value, arena, 0).map_err(Fault::raised)
}

fn read<'a>(value: &Bound<'_, PyAny>, arena: &'a Arena, depth: usize) -> Result<Value<'a>, Fault> {
    if value.is_none() {
        return Ok(Value::Null);
    }
    // A bool is an int, so it comes first.
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return match text.to_cow() {
            Ok(text) => Ok(Value::Str(arena.alloc_str(&text))),
            Err(_) => Err(Fault::new("the string has a surrogate, which UTF-8 cannot encode")),
        };
    }
    if let Ok(number) = value.cast::<PyInt>() {
        return integer(number, arena);
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(Value::F64(number.value()));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Value::Bytes(arena.alloc_slice_copy(bytes.as_bytes())));
    }
    if value.is_instance_of::<PyByteArray>() || value.is_instance_of::<PyMemoryView>() {
        let bytes = value.py().get_type::<PyBytes>().call1((value,))?;
        let bytes = bytes.cast::<PyBytes>().map_err(PyErr::from)?;
        return Ok(Value::Bytes(arena.alloc_slice_copy(bytes.as_bytes())));
    }
    if let Ok(time) = value.cast::<Timestamp>() {
        return Ok(Value::Timestamp((*time.get()).into()));
    }
    if depth == DEPTH_MAX {
        return Err(Fault::new(format_args!("the value nests deeper than {DEPTH_MAX} levels")));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return array(value, arena, depth);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return entries(dict, arena, depth);
    }
    if let Ok(extension) = value.cast::<Extension>() {
        return ext(extension.get(), value.py(), arena, depth);
    }
    let py = value.py();
    if value.is_instance(DATETIME.get(py)?)? {
        return time_of_datetime(value);
    }
    if value.is_instance(DECIMAL.get(py)?)? {
        return decimal(&value.str()?.to_cow()?, arena).map_err(Fault::Refused);
    }
    Err(no_counterpart(value))
}

fn integer<'a>(number: &Bound<'_, PyInt>, arena: &'a Arena) -> Result<Value<'a>, Fault> {
    if let Ok(number) = number.extract::<i64>() {
        return Ok(Value::I64(number));
    }
    if let Ok(number) = number.extract::<u64>() {
        return Ok(Value::U64(number));
    }
    // The text of a subclass, such as an enumeration, is not its number.
    let text = number.py().get_type::<PyInt>().call_method1("__repr__", (number,));
    let text = text.map_err(|_| Fault::new(TOO_MANY_DIGITS))?;
    Ok(Value::Number(arena.alloc_str(&text.extract::<String>()?)))
}

fn array<'a>(items: &Bound<'_, PyAny>, arena: &'a Arena, depth: usize) -> Result<Value<'a>, Fault> {
    let mut values = Vec::new();
    for (index, item) in items.try_iter()?.enumerate() {
        let value = read(&item?, arena, depth + 1);
        values.push(value.map_err(|fault| fault.under(|error| error.under_index(index)))?);
    }
    Ok(Value::Array(arena.alloc_slice_copy(&values)))
}

fn entries<'a>(
    dict: &Bound<'_, PyDict>,
    arena: &'a Arena,
    depth: usize,
) -> Result<Value<'a>, Fault> {
    let mut entries = Vec::with_capacity(dict.len());
    for (key, value) in dict.iter() {
        let key = read(&key, arena, depth + 1)?;
        let value = read(&value, arena, depth + 1);
        let value = value.map_err(|fault| fault.under(|error| error.under_key(&key_text(&key))))?;
        entries.push((key, value));
    }
    Ok(Value::Map(arena.alloc_slice_copy(&entries)))
}

fn ext<'a>(
    extension: &Extension,
    py: Python<'_>,
    arena: &'a Arena,
    depth: usize,
) -> Result<Value<'a>, Fault> {
    let space = space_of_name(&extension.space);
    let code = space.and_then(|space| code_of_number(space, extension.code));
    let (Some(space), Some(code)) = (space, code) else {
        return Err(Fault::new("the extension has no known space or code"));
    };
    let content = read(extension.content.bind(py), arena, depth + 1)?;
    Ok(Value::Ext(arena.alloc(Ext { space, code, content })))
}

/// Returns the time of a `datetime`, which must have a time zone.
fn time_of_datetime(value: &Bound<'_, PyAny>) -> Result<Value<'static>, Fault> {
    let py = value.py();
    let offset = value.call_method0(intern!(py, "utcoffset"))?;
    if offset.is_none() {
        return Err(Fault::new("the datetime has no time zone: use one with tzinfo"));
    }
    let date = value.call_method0(intern!(py, "toordinal"))?.extract::<i64>()?;
    let part = |name: &str| value.getattr(name)?.extract::<i64>();
    let clock = part("hour")? * 3_600 + part("minute")? * 60 + part("second")?;
    let microseconds =
        ((date - ORDINAL_OF_1970) * 86_400 + clock) * 1_000_000 + part("microsecond")?;
    let part = |name: &str| offset.getattr(name)?.extract::<i64>();
    let offset = (part("days")? * 86_400 + part("seconds")?) * 1_000_000 + part("microseconds")?;
    let microseconds = microseconds - offset;
    let nanoseconds = microseconds.rem_euclid(1_000_000) as u32 * 1_000;
    let seconds = microseconds.div_euclid(1_000_000);
    Ok(Value::Timestamp(manywire_shape::Timestamp { seconds, nanoseconds }))
}

/// The proleptic Gregorian ordinal of 1970-01-01, as `date.toordinal` counts.
const ORDINAL_OF_1970: i64 = 719_163;

/// Returns the error for a value that no format can represent.
#[cold]
fn no_counterpart(value: &Bound<'_, PyAny>) -> Fault {
    match value.get_type().name() {
        Ok(class) => Fault::new(format_args!(
            "an object of the class {class} has no counterpart in any format"
        )),
        Err(error) => Fault::Raised(error),
    }
}
