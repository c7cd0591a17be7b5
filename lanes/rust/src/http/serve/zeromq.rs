//! The server over ZeroMQ instead of HTTP: a REP socket of the crate `zeromq`, which answers one request at a time.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use zeromq::{Endpoint, RepSocket, Socket, SocketRecv, SocketSend, ZmqError, ZmqMessage};

use super::{Body, ErrorsInRow, NoBody, ServerState, end};
use crate::error::Result;

/// The time limit of receiving, after which the socket receives again, and that of sending.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The media type of a response that describes a failure.
const FAILURE: Bytes = Bytes::from_static(b"text/plain");

/// The name of the coding that leaves a body unchanged.
const IDENTITY: Bytes = Bytes::from_static(b"identity");

/// Starts the server and returns its port.
pub(super) fn start(runtime: &Runtime, state: Arc<ServerState>) -> Result<u16> {
    let mut socket = RepSocket::new();
    let port = match runtime.block_on(socket.bind("tcp://127.0.0.1:0"))? {
        Endpoint::Tcp(_, port) => port,
        other => return Err(format!("bound to {other}, which has no port").into()),
    };
    runtime.spawn(async move { end(&serve(socket, state).await) });
    Ok(port)
}

/// Answers requests until too many errors follow each other, and returns the last one. An error
/// concerns one peer, whose connection has ended; the library repeats it forever if that peer
/// ended in the middle of a message.
async fn serve(mut socket: RepSocket, state: Arc<ServerState>) -> ZmqError {
    let mut errors = ErrorsInRow::default();
    loop {
        let received = match timeout(TIMEOUT, socket.recv()).await {
            Ok(Ok(request)) => Some(request),
            Ok(Err(error)) => match errors.pause(error).await {
                Ok(()) => continue,
                Err(error) => return error,
            },
            Err(_) => None,
        };
        errors = ErrorsInRow::default();
        let Some(request) = received else { continue };
        let response = respond(&state, &request.into_vec())
            .unwrap_or_else(|words| vec![FAILURE, IDENTITY, Bytes::from(words)]);
        let Ok(response) = ZmqMessage::try_from(response) else { continue };
        // A peer that does not read its response loses it.
        drop(timeout(TIMEOUT, socket.send(response)).await);
    }
}

/// Returns the frames of a response, or a message for people.
fn respond(state: &ServerState, request: &[Bytes]) -> Result<Vec<Bytes>, String> {
    let [media_type, coding, target] = request else {
        return Err(format!("expected a request of 3 frames, found {}", request.len()));
    };
    let shown = |frame: &Bytes| String::from_utf8_lossy(&frame[..frame.len().min(80)]).into_owned();
    let unknown = || format!("unknown target {:?}", shown(target));
    let gzip = match coding.as_ref() {
        b"identity" => false,
        b"gzip" => true,
        _ => {
            return Err(format!(
                "unknown content coding {:?}: expected identity or gzip",
                shown(coding)
            ));
        }
    };
    let text = std::str::from_utf8(target).map_err(|_| unknown())?;
    let mut segments = text.split('/');
    let path = (segments.next(), segments.next(), segments.next(), segments.next());
    let (Some(""), Some(meter), Some(offer), Some(nonce)) = path else { return Err(unknown()) };
    let encodes = match (meter, segments.next()) {
        ("transport", None) => false,
        ("endpoint", None) => true,
        _ => return Err(unknown()),
    };
    let expected = &state.offer(offer).ok_or_else(unknown)?.media_type;
    if media_type != expected.as_bytes() {
        let found = shown(media_type);
        return Err(format!("expected the media type {expected:?}, found {found:?}"));
    }
    match state.body(encodes, offer, nonce, gzip) {
        Ok(Body { bytes, .. }) => Ok(vec![media_type.clone(), coding.clone(), bytes]),
        Err(NoBody::NotFound) => Err(unknown()),
        Err(NoBody::Encoding(error)) => Err(error),
    }
}
