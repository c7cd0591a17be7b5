//! An HTTP/1.1 client written by hand, in another process than the server.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use super::exchange::Exchange;

/// Sends the same request `times` times on one connection, each after the previous response, and
/// checks the body of every response.
///
/// # Errors
/// Returns an error if the connection fails or a response is wrong.
pub fn exchange(address: &str, exchange: &Exchange, times: usize) -> io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    exchange_on(&mut stream, exchange, times)
}

/// Does the same on an open connection.
///
/// # Errors
/// Returns an error if the connection fails or a response is wrong.
pub fn exchange_on(stream: &mut TcpStream, exchange: &Exchange, times: usize) -> io::Result<()> {
    let request = exchange.request();
    for _ in 0..times {
        stream.write_all(&request)?;
        let content = answer(stream)?;
        if content != exchange.answer {
            let (expected, found) = (exchange.answer.len(), String::from_utf8_lossy(&content));
            return Err(io::Error::other(format!("expected {expected} bytes, found {found}")));
        }
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
