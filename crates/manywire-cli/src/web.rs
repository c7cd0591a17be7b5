//! Inputs that are URLs.

use std::path::Path;

use manywire_fetch::{Content, FetchError, Limits, Request, fetch, is_url};
use manywire_format::{FORMS, Form};
use manywire_payload::InputError;

use crate::arguments::Web;

/// The URL that an argument is, if it is one and not a file.
pub(crate) fn url(argument: &Path) -> Option<&str> {
    argument.to_str().filter(|argument| is_url(argument))
}

/// Asks for content in the form that was named, or else in any that is read, and says which it is
/// in: the one that was named wins over what the server says.
pub(crate) fn content(
    url: &str,
    from: Option<Form>,
    reads: impl Fn(Form) -> bool,
    web: &Web,
) -> Result<(Content, Form), InputError> {
    let content = bytes(url, from, &reads, web)?;
    let form = from.or(content.form).ok_or_else(|| {
        let what = match &content.media_type {
            Some(media_type) => format!("the server sent {}", media_type.essence()),
            None => "the server did not say what it sent".to_owned(),
        };
        let message = format_args!("{what}: name the format with --from, if it is one");
        InputError::whole(&content.name, message)
    })?;
    Ok((content, form))
}

/// Asks for content in the form that was named, or else in any that is read.
pub(crate) fn bytes(
    url: &str,
    from: Option<Form>,
    reads: impl Fn(Form) -> bool,
    web: &Web,
) -> Result<Content, InputError> {
    let accept: Vec<Form> = match from {
        Some(form) => vec![form],
        None => FORMS.iter().map(|row| row.form).filter(|form| reads(*form)).collect(),
    };
    let limits = Limits::DEFAULT;
    let request = Request { url, accept: &accept, headers: &web.headers, limits };
    fetch(&request).map_err(|FetchError { name, message }| InputError::whole(&name, message))
}
