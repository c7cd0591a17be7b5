//! Listening on a Unix socket.

use std::future::Future;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;

use super::{Acceptor, Listener, Serve};
use crate::server::service::Service;

/// A service with a bound Unix socket that does not accept connections yet. Dropping it removes the
/// socket file.
#[derive(Debug)]
pub struct UnixServer<S = Service> {
    acceptor: Acceptor<S>,
    file: SocketFile,
}

/// The file of a bound socket.
#[derive(Debug)]
struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::debug!(%error, path = %self.0.display(), "cannot remove the socket file");
        }
    }
}

impl Service {
    /// Binds a Unix socket. A stale file, left behind by a server that ended without removing it,
    /// is replaced. A socket with a listener is not.
    ///
    /// # Errors
    /// Returns an error if the path cannot be bound.
    pub async fn bind_unix(self, path: impl AsRef<Path>) -> io::Result<UnixServer> {
        UnixServer::bind_service(self, path.as_ref())
    }
}

impl<S: Serve> UnixServer<S> {
    pub(super) fn bind_service(service: S, path: &Path) -> io::Result<UnixServer<S>> {
        let listener = match UnixListener::bind(path) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_stale_socket(path) => {
                std::fs::remove_file(path)?;
                UnixListener::bind(path)?
            }
            bound => bound?,
        };
        let acceptor = Acceptor::new(service, Listener::Unix(listener));
        Ok(UnixServer { acceptor, file: SocketFile(path.to_owned()) })
    }
}

/// Returns whether a path is a socket without a listener.
fn is_stale_socket(path: &Path) -> bool {
    let is_socket = std::fs::metadata(path).is_ok_and(|it| it.file_type().is_socket());
    let refused = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
    is_socket && std::os::unix::net::UnixStream::connect(path).is_err_and(refused)
}

impl<S: Serve> UnixServer<S> {
    /// Returns the bound path.
    pub fn path(&self) -> &Path {
        &self.file.0
    }

    /// Serves as [`Server::run`](crate::Server::run) does.
    ///
    /// # Errors
    /// Returns the errors of [`Server::run`](crate::Server::run).
    pub async fn run(self) -> io::Result<()> {
        // The file is removed when this function ends.
        self.acceptor.run().await
    }

    /// Serves as [`Server::run_until`](crate::Server::run_until) does.
    ///
    /// # Errors
    /// Returns the errors of [`Server::run_until`](crate::Server::run_until).
    pub async fn run_until(self, signal: impl Future<Output = ()>) -> io::Result<()> {
        // The file is removed when this function ends.
        self.acceptor.run_until(signal).await
    }
}
