//! The clients, in another process than the server: by hand for HTTP/1.1, and hyper's for HTTP/2.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::handshake;
use hyper_util::rt::{TokioExecutor, TokioIo};

use super::exchange::Exchange;

/// Sends the same request `times` times on one connection, each after the previous response, and
/// checks the body of every response.
///
/// # Errors
/// Returns an error if the connection fails or a response is wrong.
pub fn exchange(address: &str, exchange: &Exchange, times: usize) -> io::Result<()> {
    if exchange.is_http2 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        return runtime.block_on(exchange_http2(address, exchange, times));
    }
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    exchange_on(&mut stream, exchange, times)
}

async fn exchange_http2(address: &str, exchange: &Exchange, times: usize) -> io::Result<()> {
    let stream = tokio::net::TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let shaken = handshake(TokioExecutor::new(), TokioIo::new(stream)).await;
    let (mut sender, connection) = shaken.map_err(io::Error::other)?;
    // An error of the connection fails the request that it affects.
    tokio::spawn(async move { drop(connection.await) });
    for _ in 0..times {
        let mut request = Request::builder()
            .method(exchange.method)
            .uri(format!("http://{address}{}", exchange.path));
        for (name, value) in &exchange.fields {
            request = request.header(*name, *value);
        }
        let body = Full::new(Bytes::from(exchange.body.clone()));
        let request = request.body(body).map_err(io::Error::other)?;
        let response = sender.send_request(request).await.map_err(io::Error::other)?;
        let content = response.into_body().collect().await.map_err(io::Error::other)?;
        check(exchange, &content.to_bytes())?;
    }
    Ok(())
}

fn check(exchange: &Exchange, content: &[u8]) -> io::Result<()> {
    if content == exchange.answer {
        return Ok(());
    }
    let (expected, found) = (exchange.answer.len(), String::from_utf8_lossy(content));
    Err(io::Error::other(format!("expected {expected} bytes, found {found}")))
}

/// Sends the same request `times` times over HTTP/1.1 on an open connection, and checks the body of
/// every response.
///
/// # Errors
/// Returns an error if the connection fails or a response is wrong.
pub fn exchange_on(stream: &mut TcpStream, exchange: &Exchange, times: usize) -> io::Result<()> {
    let request = exchange.request();
    for _ in 0..times {
        stream.write_all(&request)?;
        check(exchange, &answer(stream)?)?;
    }
    Ok(())
}

/// Reads the body of one response by its `Content-Length`.
fn answer(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(16 << 10);
    let mut chunk = [0; 16 << 10];
    loop {
        let count = stream.read(&mut chunk)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&chunk[..count]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]);
        let length = head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            .and_then(|(_, value)| value.parse::<usize>().ok())
            .unwrap_or_default();
        let start = end + 4;
        if bytes.len() >= start + length {
            return Ok(bytes.split_off(start));
        }
    }
}
