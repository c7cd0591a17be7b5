//! The server of hyper alone, as a program that knows its two paths would write it.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, server::conn::http1};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use super::{Body, ErrorsInRow, NoBody, ServerState, end, listen};
use crate::error::Result;

/// Starts the server and returns its port.
pub(super) fn start(runtime: &Runtime, state: Arc<ServerState>) -> Result<u16> {
    let (listener, port) = listen(runtime)?;
    runtime.spawn(async move { end(&accept_all(listener, state).await) });
    Ok(port)
}

/// Accepts connections until too many errors follow each other, and returns the last one. Other
/// errors concern one connection, or last until descriptors become free.
async fn accept_all(listener: TcpListener, state: Arc<ServerState>) -> io::Error {
    let mut errors = ErrorsInRow::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                errors = ErrorsInRow::default();
                tokio::spawn(connection(stream, Arc::clone(&state)));
            }
            Err(error) => {
                if let Err(error) = errors.pause(error).await {
                    return error;
                }
            }
        }
    }
}

async fn connection(stream: TcpStream, state: Arc<ServerState>) {
    // A failure to set TCP_NODELAY changes only the latency.
    drop(stream.set_nodelay(true));
    let service = service_fn(move |request| {
        let response = respond(&state, &request);
        async { Ok::<_, Infallible>(response) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service);
    // Errors are not reported: the client sees the end of the connection.
    drop(served.await);
}

fn respond<B>(state: &ServerState, request: &Request<B>) -> Response<Full<Bytes>> {
    let gzip = request.headers().get(ACCEPT_ENCODING).is_some_and(|coding| coding == "gzip");
    let mut segments = request.uri().path().split('/').skip(1);
    let path = (segments.next(), segments.next(), segments.next(), segments.next());
    let encodes = match path.0 {
        Some("transport") => false,
        Some("endpoint") => true,
        _ => return status(StatusCode::NOT_FOUND, Bytes::new()),
    };
    let (Some(offer), Some(nonce), None) = (path.1, path.2, path.3) else {
        return status(StatusCode::NOT_FOUND, Bytes::new());
    };
    if request.method() != Method::GET {
        return status(StatusCode::METHOD_NOT_ALLOWED, Bytes::new());
    }
    match state.body(encodes, offer, nonce, gzip) {
        Ok(Body { bytes, media_type }) => {
            let mut response = Response::new(Full::new(bytes));
            response.headers_mut().insert(CONTENT_TYPE, media_type);
            if gzip {
                response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            }
            response
        }
        Err(NoBody::NotFound) => status(StatusCode::NOT_FOUND, Bytes::new()),
        Err(NoBody::Encoding(error)) => status(StatusCode::INTERNAL_SERVER_ERROR, error.into()),
    }
}

fn status(status: StatusCode, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response
}
