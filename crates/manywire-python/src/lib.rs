//! The native half of the Python package `manywire`.
//!
//! `classes` has the classes of values that Python does not have, `values` converts values between both
//! languages, `schema` has the class of schemas, and the functions here call [`manywire_bindings`]. Results
//! without values of the user are JSON, which the package parses. Functions over whole payloads release the
//! interpreter's lock; `loads` and `dumps` hold it, because they make values of Python or read them.

mod classes;
mod schema;
mod values;

use manywire_bindings::{ConvertOptions, Error, Payload, json};
use manywire_shape::Arena;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use classes::{Extension, Timestamp};
use schema::Schema;
use values::{from_python, to_python};

pyo3::import_exception!(manywire._error, ManywireError);

/// Returns an error as the exception that is raised.
#[cold]
fn raised(error: Error) -> PyErr {
    let text = error.to_string();
    let Error { message, path, offset, line, column } = error;
    ManywireError::new_err((text, message, path, offset, line, column))
}

/// Returns the schema of an argument.
fn parsed(schema: Option<&Schema>) -> Option<&manywire_bindings::Schema> {
    schema.map(|schema| &schema.0)
}

/// Returns the table of formats as JSON.
#[pyfunction]
fn formats() -> PyResult<String> {
    json(&manywire_bindings::formats()).map_err(raised)
}

/// Reads one value.
#[pyfunction]
fn loads<'py>(
    py: Python<'py>,
    format: &str,
    bytes: &[u8],
    schema: Option<&Schema>,
) -> PyResult<Bound<'py, PyAny>> {
    let arena = Arena::new();
    let value = manywire_bindings::read_value(format, bytes, parsed(schema), &arena);
    to_python(py, &value.map_err(raised)?)
}

/// Writes one value.
#[pyfunction]
fn dumps<'py>(
    py: Python<'py>,
    format: &str,
    value: &Bound<'py, PyAny>,
    schema: Option<&Schema>,
) -> PyResult<Bound<'py, PyBytes>> {
    let arena = Arena::new();
    let value = from_python(value, &arena)?;
    let bytes = manywire_bindings::write_value(format, &value, parsed(schema)).map_err(raised)?;
    Ok(PyBytes::new(py, &bytes))
}

/// Returns the meaning of each byte as JSON.
#[pyfunction]
fn explain(
    py: Python<'_>,
    bytes: &[u8],
    form: Option<&str>,
    schema: Option<&Schema>,
) -> PyResult<String> {
    let schema = parsed(schema);
    let found =
        py.detach(|| json(&manywire_bindings::explain(Payload::new(bytes, form, schema)?)?));
    found.map_err(raised)
}

/// Returns the sizes of a payload in each format as JSON.
#[pyfunction]
fn sizes(
    py: Python<'_>,
    bytes: &[u8],
    form: Option<&str>,
    schema: Option<&Schema>,
) -> PyResult<String> {
    let schema = parsed(schema);
    let found = py.detach(|| json(&manywire_bindings::sizes(Payload::new(bytes, form, schema)?)?));
    found.map_err(raised)
}

/// Returns the inferred schema of a payload in a language.
#[pyfunction]
fn shape(
    py: Python<'_>,
    bytes: &[u8],
    language: &str,
    form: Option<&str>,
    schema: Option<&Schema>,
) -> PyResult<String> {
    let schema = parsed(schema);
    let found =
        py.detach(|| manywire_bindings::shape(Payload::new(bytes, form, schema)?, language));
    found.map_err(raised)
}

/// Converts a payload. Returns the bytes, and the rest of the result as JSON.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the package calls it with all options")]
fn convert<'py>(
    py: Python<'py>,
    bytes: &[u8],
    to: &str,
    form: Option<&str>,
    schema: Option<&Schema>,
    lossy: bool,
    pretty: bool,
    compression: Option<&str>,
) -> PyResult<(Bound<'py, PyBytes>, String)> {
    let schema = parsed(schema);
    let converted = py.detach(|| {
        let options = ConvertOptions::parse(to, compression)?;
        let options = ConvertOptions { lossy, pretty, ..options };
        manywire_bindings::convert(Payload::new(bytes, form, schema)?, options)
    });
    let converted = converted.map_err(raised)?;
    Ok((PyBytes::new(py, &converted.bytes), json(&converted).map_err(raised)?))
}

/// The native module.
#[pymodule]
fn _manywire(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Timestamp>()?;
    module.add_class::<Extension>()?;
    module.add_class::<Schema>()?;
    module.add_function(wrap_pyfunction!(formats, module)?)?;
    module.add_function(wrap_pyfunction!(loads, module)?)?;
    module.add_function(wrap_pyfunction!(dumps, module)?)?;
    module.add_function(wrap_pyfunction!(explain, module)?)?;
    module.add_function(wrap_pyfunction!(sizes, module)?)?;
    module.add_function(wrap_pyfunction!(shape, module)?)?;
    module.add_function(wrap_pyfunction!(convert, module)?)?;
    Ok(())
}
