//! Metrics of connections.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::service::{samples, service, value};
use crate::support::listening;

#[tokio::test]
async fn counts_open_and_accepted_connections() {
    let service = service();
    let address = listening(service.clone()).await;
    let mut streams = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream.write_all(b"GET /items/1 HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("it is sent");
        assert_ne!(stream.read(&mut [0; 1 << 10]).await.expect("an answer"), 0);
        streams.push(stream);
    }
    let samples_after = samples(&service).await;
    assert_eq!(value(&samples_after, "http_server_open_connections", ""), 3.0);
    assert_eq!(value(&samples_after, "http_server_connections_total", ""), 3.0);
    streams.truncate(1);
    // The time until the server notices closed connections is unspecified.
    for _ in 0..200 {
        if value(&samples(&service).await, "http_server_open_connections", "") == 1.0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("two connections are closed: {:?}", samples(&service).await);
}
