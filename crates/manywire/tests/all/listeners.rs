//! Listening on sockets, and the limit of connections.

use std::io::ErrorKind;
use std::time::Duration;

use manywire::content::Text;
use manywire::{Api, Limits, Service, get};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::listening;

fn service(limits: Limits) -> Service {
    let hello = get("/hello").returns::<Text>().to(|| async { "hello".to_owned() });
    Api::new("Hello").limits(limits).serve(hello).build().expect("a valid API")
}

async fn send(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> String {
    let request = b"GET /hello HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("text");
    answer
}

#[cfg(unix)]
#[tokio::test]
async fn serves_a_unix_socket_and_removes_its_file() {
    use tokio::net::UnixStream;

    let folder = std::env::temp_dir().join(format!("manywire-unix-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("socket");
    // A stale file of a killed server.
    drop(std::os::unix::net::UnixListener::bind(&path).expect("a socket"));
    assert!(path.exists());
    let server = service(Limits::DEFAULT).bind_unix(&path).await.expect("the path is free");
    assert_eq!(server.path(), path);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(server.run_until(async { drop(stopped.await) }));
    let mut stream = UnixStream::connect(&path).await.expect("a connection");
    let answer = send(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("hello"), "{answer}");
    // A socket with a listener and a file that is not a socket are not removed.
    let plain = folder.join("plain");
    std::fs::write(&plain, "kept").expect("a file");
    for taken in [&path, &plain] {
        let error =
            service(Limits::DEFAULT).bind_unix(taken).await.expect_err("the socket is in use");
        assert_eq!(error.kind(), ErrorKind::AddrInUse);
    }
    assert_eq!(std::fs::read_to_string(&plain).expect("still there"), "kept");
    stop.send(()).expect("the server accepts the connection");
    serving.await.expect("no panic").expect("a clean end");
    assert!(!path.exists(), "the file is gone");
    std::fs::remove_dir_all(folder).expect("removed");
}

#[tokio::test]
async fn limits_the_number_of_connections() {
    let limits = Limits::DEFAULT.with_connections(1);
    let address = listening(service(limits)).await;
    let mut first = TcpStream::connect(address).await.expect("a connection");
    first.write_all(b"GET /hello HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    first.read_u8().await.expect("it is served");
    let mut second = TcpStream::connect(address).await.expect("the system buffers it");
    second.write_all(b"GET /hello HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    let waited = timeout(Duration::from_millis(300), second.read_u8()).await;
    assert!(waited.is_err(), "one connection at a time");
    drop(first);
    timeout(Duration::from_secs(10), second.read_u8()).await.expect("its turn").expect("an answer");
}
