use std::fmt;
use std::io;
use std::pin::Pin;

use bytes::Bytes;
use futures_core::Stream;
use tokio::io::AsyncRead;

use crate::content::reader::Reader;

/// A file that is sent as it is read: no more of it is held than a piece.
///
/// ```no_run
/// # async fn file() -> std::io::Result<()> {
/// use manywire::content::FileStream;
///
/// let file = tokio::fs::File::open("view.png").await?;
/// let photo = FileStream::from_reader(file).with_name("view.png").with_content_type("image/png");
/// # drop(photo);
/// # Ok(())
/// # }
/// ```
pub struct FileStream {
    pub(super) name: Option<String>,
    pub(super) content_type: Option<String>,
    pub(super) content: Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>,
}

impl FileStream {
    /// A file whose content comes in these pieces. An error breaks the request off.
    pub fn new(content: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> FileStream {
        FileStream { name: None, content_type: None, content: Box::pin(content) }
    }

    /// A file whose content is read from here, such as a `tokio::fs::File`.
    pub fn from_reader(reader: impl AsyncRead + Send + 'static) -> FileStream {
        FileStream::new(Reader::new(reader))
    }

    /// The name that the file has here, for showing.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> FileStream {
        self.name = Some(name.into());
        self
    }

    /// The media type of its content; else the other end is told `application/octet-stream`.
    #[must_use]
    pub fn with_content_type(mut self, media_type: impl Into<String>) -> FileStream {
        self.content_type = Some(media_type.into());
        self
    }
}

impl fmt::Debug for FileStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("FileStream");
        shown.field("name", &self.name).field("content_type", &self.content_type);
        shown.finish_non_exhaustive()
    }
}
