//! The server of axum over hyper: its router, its extractors, and its own loop of connections.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use tokio::runtime::Runtime;

use super::{Body, NoBody, ServerState, listen};
use crate::error::Result;

/// Starts the server and returns its port.
pub(super) fn start(runtime: &Runtime, state: Arc<ServerState>) -> Result<u16> {
    let (listener, port) = listen(runtime)?;
    let router = Router::new()
        .route("/transport/{offer}/{nonce}", get(transport))
        .route("/endpoint/{offer}/{nonce}", get(endpoint))
        .with_state(state);
    // The other servers set TCP_NODELAY too. A failure to set it changes only the latency.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    runtime.spawn(async { axum::serve(listener, router).await });
    Ok(port)
}

type Segments = Path<(String, String)>;

async fn transport(path: Segments, headers: HeaderMap, state: State<Arc<ServerState>>) -> Response {
    respond(&state, false, &path, &headers)
}

async fn endpoint(path: Segments, headers: HeaderMap, state: State<Arc<ServerState>>) -> Response {
    respond(&state, true, &path, &headers)
}

fn respond(
    state: &ServerState,
    encodes: bool,
    Path((offer, nonce)): &Segments,
    headers: &HeaderMap,
) -> Response {
    let gzip = headers.get(ACCEPT_ENCODING).is_some_and(|coding| coding == "gzip");
    match state.body(encodes, offer, nonce, gzip) {
        Ok(Body { bytes, media_type }) if gzip => (
            [
                (CONTENT_TYPE, media_type),
                (CONTENT_ENCODING, axum::http::HeaderValue::from_static("gzip")),
            ],
            bytes,
        )
            .into_response(),
        Ok(Body { bytes, media_type }) => ([(CONTENT_TYPE, media_type)], bytes).into_response(),
        Err(NoBody::NotFound) => StatusCode::NOT_FOUND.into_response(),
        Err(NoBody::Encoding(error)) => (StatusCode::INTERNAL_SERVER_ERROR, error).into_response(),
    }
}
