//! The state of the page when it opens.

use manywire_format::{FORMS, Form};
use manywire_shape::Shaped;
use serde::{Deserialize, Serialize};

use crate::request::{PAYLOAD_BYTES_MAX, ViewRequest};

/// The state of the page when it opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct Start {
    /// The name of the file that is shown first.
    pub name: Option<String>,
    /// The request to view that file.
    pub request: Option<ViewRequest>,
    /// The maximum length of a payload in bytes.
    pub payload_bytes_max: u64,
    /// The forms that a payload can be read in.
    pub forms: Vec<FormChoice>,
}

/// A form in the list of the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct FormChoice {
    /// The name, as `--from` has it.
    pub name: String,
    /// The title of the format for its usual form, and the name for the others.
    pub title: String,
}

/// The state without a file.
impl Default for Start {
    fn default() -> Self {
        Start {
            name: None,
            request: None,
            payload_bytes_max: PAYLOAD_BYTES_MAX as u64,
            forms: FORMS.iter().map(|row| FormChoice::from(row.form)).collect(),
        }
    }
}

impl From<Form> for FormChoice {
    fn from(form: Form) -> Self {
        let title = match form == Form::of(form.format) {
            true => form.format.row().title,
            false => form.name(),
        };
        FormChoice { name: form.name().to_owned(), title: title.to_owned() }
    }
}
