//! [`Socket`]: one type for every kind of connection at either end, so that the protocols above are
//! compiled once.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
#[cfg(all(feature = "server", unix))]
use tokio::net::UnixStream;

/// A connection.
pub(crate) enum Socket {
    Tcp(TcpStream),
    #[cfg(all(feature = "server", unix))]
    Unix(UnixStream),
    #[cfg(any(feature = "tls", feature = "client-tls"))]
    Tls(Box<tokio_rustls::TlsStream<Socket>>),
}

/// Evaluates `$call` with the inner stream of the socket as `$stream`.
macro_rules! with_stream {
    ($socket:ident, $stream:ident => $call:expr) => {
        match $socket.get_mut() {
            Socket::Tcp($stream) => $call,
            #[cfg(all(feature = "server", unix))]
            Socket::Unix($stream) => $call,
            #[cfg(any(feature = "tls", feature = "client-tls"))]
            Socket::Tls($stream) => $call,
        }
    };
}

impl AsyncRead for Socket {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        with_stream!(self, stream => Pin::new(stream).poll_read(context, buffer))
    }
}

impl AsyncWrite for Socket {
    #[inline]
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        with_stream!(self, stream => Pin::new(stream).poll_write(context, bytes))
    }

    #[inline]
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        with_stream!(self, stream => Pin::new(stream).poll_write_vectored(context, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Socket::Tcp(stream) => stream.is_write_vectored(),
            #[cfg(all(feature = "server", unix))]
            Socket::Unix(stream) => stream.is_write_vectored(),
            #[cfg(any(feature = "tls", feature = "client-tls"))]
            Socket::Tls(stream) => stream.is_write_vectored(),
        }
    }

    #[inline]
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        with_stream!(self, stream => Pin::new(stream).poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        with_stream!(self, stream => Pin::new(stream).poll_shutdown(context))
    }
}
