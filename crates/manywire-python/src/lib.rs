//! The native half of the Python package `manywire`.
//!
//! `classes` has the classes of values that Python does not have, `values` converts values between both
//! languages, `schema` has the class of schemas, and the functions here call [`manywire_bindings`]. Results
//! without values of the user are JSON, which the package parses. Functions over whole payloads release the
//! interpreter's lock; `loads` and `dumps` hold it, because they make values of Python or read them.

mod classes;
mod schema;
mod values;

use manywire_bindings::{ConvertOptions, Error, Payload};
use manywire_format::{FORMATS, Form, Format};
use manywire_shape::Arena;
use manywire_shape::fidelity::Loss;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;

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

fn form_of(name: &str) -> Result<Form, Error> {
    name.parse().map_err(Error::new)
}

fn format_of(name: &str) -> Result<Format, Error> {
    name.parse().map_err(Error::new)
}

fn json(result: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(result).map_err(Error::new)
}

/// Returns the payload of some bytes.
fn payload<'p>(
    bytes: &'p [u8],
    form: Option<&str>,
    schema: Option<&'p Schema>,
) -> Result<Payload<'p>, Error> {
    let form = form.map(form_of).transpose()?;
    Ok(Payload { bytes, form, schema: schema.map(|schema| &schema.0) })
}

/// Returns the table of formats as JSON.
#[pyfunction]
fn formats() -> PyResult<String> {
    #[derive(Serialize)]
    struct Row {
        name: &'static str,
        title: &'static str,
        media_type: &'static str,
    }
    let rows = FORMATS.iter().map(|row| Row {
        name: row.name,
        title: row.title,
        media_type: row.media_type,
    });
    json(&rows.collect::<Vec<_>>()).map_err(raised)
}

/// Reads one value.
#[pyfunction]
fn loads<'py>(
    py: Python<'py>,
    format: &str,
    bytes: &[u8],
    schema: Option<&Schema>,
) -> PyResult<Bound<'py, PyAny>> {
    let format = format_of(format).map_err(raised)?;
    let arena = Arena::new();
    let schema = schema.map(|schema| &schema.0);
    let value = manywire_bindings::read_value(format, bytes, schema, &arena).map_err(raised)?;
    to_python(py, &value)
}

/// Writes one value.
#[pyfunction]
fn dumps<'py>(
    py: Python<'py>,
    format: &str,
    value: &Bound<'py, PyAny>,
    schema: Option<&Schema>,
) -> PyResult<Bound<'py, PyBytes>> {
    let format = format_of(format).map_err(raised)?;
    let arena = Arena::new();
    let value = from_python(value, &arena)?;
    let schema = schema.map(|schema| &schema.0);
    let bytes = manywire_bindings::write_value(format, &value, schema).map_err(raised)?;
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
    let found = py.detach(|| json(&manywire_bindings::explain(payload(bytes, form, schema)?)?));
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
    let found = py.detach(|| json(&manywire_bindings::sizes(payload(bytes, form, schema)?)?));
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
    let found = py.detach(|| manywire_bindings::shape(payload(bytes, form, schema)?, language));
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
    #[derive(Serialize)]
    struct Rest<'c> {
        values: u64,
        losses: &'c [Loss],
        losses_unlisted: u64,
        schema: Option<&'c str>,
    }
    let converted = py.detach(|| {
        let compression = compression.map_or(Ok(Default::default()), str::parse);
        let compression = compression.map_err(Error::new)?;
        let options =
            ConvertOptions { lossy, pretty, compression, ..ConvertOptions::to(form_of(to)?) };
        manywire_bindings::convert(payload(bytes, form, schema)?, options)
    });
    let converted = converted.map_err(raised)?;
    let rest = Rest {
        values: converted.values,
        losses: &converted.losses,
        losses_unlisted: converted.losses_unlisted,
        schema: converted.schema.as_deref(),
    };
    Ok((PyBytes::new(py, &converted.bytes), json(&rest).map_err(raised)?))
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
