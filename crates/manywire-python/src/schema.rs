//! The class of schemas, which reads, infers and writes them.

use manywire_shape::Arena;
use pyo3::prelude::*;

use crate::raised;
use crate::values::from_python;

/// A schema, parsed once.
#[pyclass(frozen, module = "manywire")]
#[derive(Debug)]
pub(crate) struct Schema(pub(crate) manywire_bindings::Schema);

#[pymethods]
impl Schema {
    /// Reads a .proto, an .avsc or a JSON Schema. `message` is the root of a .proto with several.
    #[new]
    #[pyo3(signature = (text, *, message = None))]
    fn new(text: &str, message: Option<&str>) -> PyResult<Schema> {
        manywire_bindings::Schema::read(text, message).map(Schema).map_err(raised)
    }

    /// Infers the schema of a value.
    #[staticmethod]
    fn infer(value: &Bound<'_, PyAny>) -> PyResult<Schema> {
        let arena = Arena::new();
        Ok(Schema(manywire_bindings::Schema::infer(&from_python(value, &arena)?)))
    }

    /// Returns the schema in a language.
    #[pyo3(signature = (language = "outline"))]
    fn text(&self, language: &str) -> PyResult<String> {
        self.0.text(language).map_err(raised)
    }
}
