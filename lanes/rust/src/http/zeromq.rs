//! The client over ZeroMQ: REQ sockets of the crate `zeromq`, one for each connection.

use bytes::Bytes;
use tokio::sync::Mutex;
use zeromq::{ReqSocket, Socket, SocketRecv, SocketSend, ZmqMessage};

use super::Answer;
use crate::error::Result;

/// The beginning of a URL over ZeroMQ.
pub(super) const SCHEME: &str = "tcp://";

/// The connections of one fetch.
pub(super) struct Connections {
    endpoint: String,
    target: String,
    media_type: Bytes,
    coding: Bytes,
    /// A socket is absent before its first request and after a failure: a REQ socket without its response cannot
    /// send again.
    sockets: Vec<Mutex<Option<ReqSocket>>>,
}

impl Connections {
    /// Returns connections that open with their first requests. `Accept` becomes the first frame, and
    /// `Accept-Encoding` the second.
    pub(super) fn new(
        url: &str,
        headers: &[(String, String)],
        connections: usize,
    ) -> Result<Connections> {
        let address = url.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/'));
        let (host, target) = address.ok_or_else(|| format!("invalid URL {url}"))?;
        let field = |name: &str| {
            let found = headers.iter().find(|(found, _)| found.eq_ignore_ascii_case(name));
            found.map(|(_, value)| Bytes::copy_from_slice(value.as_bytes()))
        };
        let media_type = field("accept").ok_or("no media type; expected a header field Accept")?;
        Ok(Connections {
            endpoint: format!("{SCHEME}{host}"),
            target: format!("/{target}"),
            media_type,
            coding: field("accept-encoding").unwrap_or(Bytes::from_static(b"identity")),
            sockets: (0..connections).map(|_| Mutex::new(None)).collect(),
        })
    }

    /// Sends a request over a connection. If the future is dropped, as after the time limit, the
    /// socket is dropped, too.
    pub(super) async fn get(&self, connection: usize, nonce: &str) -> Result<Answer, String> {
        let mut slot = self.sockets[connection].lock().await;
        let socket = slot.take();
        let answered = self.exchange(socket, nonce).await.map_err(|error| error.to_string());
        let (socket, response) = answered?;
        let answer = self.check(response.into_vec())?;
        *slot = Some(socket);
        Ok(answer)
    }

    async fn exchange(
        &self,
        socket: Option<ReqSocket>,
        nonce: &str,
    ) -> zeromq::ZmqResult<(ReqSocket, ZmqMessage)> {
        let mut socket = match socket {
            Some(socket) => socket,
            None => {
                let mut socket = ReqSocket::new();
                socket.connect(&self.endpoint).await?;
                socket
            }
        };
        let mut request = ZmqMessage::from(self.media_type.clone());
        request.push_back(self.coding.clone());
        request.push_back(Bytes::from(format!("{}{nonce}", self.target)));
        socket.send(request).await?;
        let response = socket.recv().await?;
        Ok((socket, response))
    }

    fn check(&self, response: Vec<Bytes>) -> Result<Answer, String> {
        let count = response.len();
        let Ok([media_type, coding, body]) = <[Bytes; 3]>::try_from(response) else {
            return Err(format!("expected a response of 3 frames, found {count}"));
        };
        let shown =
            |frame: &Bytes| String::from_utf8_lossy(&frame[..frame.len().min(200)]).into_owned();
        if media_type != self.media_type {
            let [expected, found, body] = [&self.media_type, &media_type, &body].map(shown);
            return Err(format!("expected {expected}, found {found:?}: {body:?}"));
        }
        if coding != "identity" && coding != self.coding {
            return Err(format!("unexpected content coding {:?}", shown(&coding)));
        }
        Ok(Answer { body, coding: Some(coding) })
    }
}
