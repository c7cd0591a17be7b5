use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use pin_project_lite::pin_project;
use tokio::io::{AsyncRead, ReadBuf};

pin_project! {
    /// What is read, piece by piece, each when it is asked for.
    pub(super) struct Reader<R> {
        #[pin]
        reader: R,
        piece: Box<[u8]>,
    }
}

/// How much is read at a time, in bytes.
const PIECE_BYTES: usize = 16 << 10;

impl<R> Reader<R> {
    pub(super) fn new(reader: R) -> Self {
        Reader { reader, piece: vec![0; PIECE_BYTES].into() }
    }
}

impl<R: AsyncRead> Stream for Reader<R> {
    type Item = io::Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        let mut buffer = ReadBuf::new(this.piece);
        if let Err(error) = ready!(this.reader.poll_read(context, &mut buffer)) {
            return Poll::Ready(Some(Err(error)));
        }
        let read = buffer.filled();
        Poll::Ready((!read.is_empty()).then(|| Ok(Bytes::copy_from_slice(read))))
    }
}
