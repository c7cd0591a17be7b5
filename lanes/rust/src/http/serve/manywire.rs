//! The server of the `manywire` library with its defaults.

use std::sync::Arc;

use bytes::Bytes;
use manywire::content::Raw;
use manywire::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use manywire::{Api, HeaderValue, Problem, Reply, StatusCode, get};
use tokio::runtime::Runtime;

use super::{Body, NoBody, ServerState};
use crate::error::Result;

/// Starts the server and returns its port.
pub(super) fn start(runtime: &Runtime, state: Arc<ServerState>) -> Result<u16> {
    let mut api = Api::new("lane");
    for (pattern, encodes) in
        [("/transport/{offer}/{nonce}", false), ("/endpoint/{offer}/{nonce}", true)]
    {
        let endpoint = get(pattern)
            .path::<String>()
            .path::<String>()
            .header::<Option<String>>(ACCEPT_ENCODING.as_str())
            .returns::<Raw>();
        let state = Arc::clone(&state);
        api =
            api.serve(endpoint.to(move |offer: String, nonce: String, coding: Option<String>| {
                let gzip = coding.as_deref() == Some("gzip");
                let body = state.body(encodes, &offer, &nonce, gzip);
                std::future::ready(body.map(|body| reply(body, gzip)).map_err(problem))
            }));
    }
    let service = api.build()?;
    let server = runtime.block_on(service.bind("127.0.0.1:0"))?;
    let port = server.local_address().port();
    runtime.spawn(server.run());
    Ok(port)
}

fn reply(Body { bytes, media_type }: Body, gzip: bool) -> Reply<Bytes> {
    let reply = Reply::new(bytes).with_header(CONTENT_TYPE, media_type);
    match gzip {
        true => reply.with_header(CONTENT_ENCODING, HeaderValue::from_static("gzip")),
        false => reply,
    }
}

fn problem(no_body: NoBody) -> Problem {
    match no_body {
        NoBody::NotFound => Problem::new(StatusCode::NOT_FOUND),
        NoBody::Encoding(error) => Problem::internal(error.clone()).with_detail(error),
    }
}
