use std::fmt;

/// What is wrong with a text, and of which parameter, where there are several.
#[derive(Debug)]
pub(crate) struct TextError {
    pub(crate) name: Option<String>,
    pub(crate) message: String,
}

impl TextError {
    #[cold]
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        TextError { name: None, message: message.to_string() }
    }

    #[cold]
    pub(super) fn under(mut self, name: &str) -> Self {
        self.name.get_or_insert_with(|| name.to_owned());
        self
    }

    /// No text where there must be one.
    #[cold]
    pub(super) fn missing() -> Self {
        TextError::new("this is required, and was not sent")
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TextError {}

impl serde::de::Error for TextError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        TextError::new(message)
    }

    fn missing_field(field: &'static str) -> Self {
        TextError::missing().under(field)
    }
}

impl serde::ser::Error for TextError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        TextError::new(message)
    }
}
