//! The server of `serve` and `play`.

use std::io;
use std::net::SocketAddr;

use manywire::Api;

use crate::exit::{CommandError, Exit, failed};
use crate::signals::Signals;

/// Listens at an address, and serves until the user or the system ends the command. `on_start`
/// receives the address with its actual port.
pub(crate) fn listen(
    api: Api,
    address: &str,
    on_start: impl FnOnce(SocketAddr),
) -> Result<Exit, CommandError> {
    let service = api.build().map_err(failed)?;
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| failed(format!("cannot start the threads of the server: {error}")))?;
    runtime.block_on(async {
        let bind_error = |error: io::Error| failed(format!("{address}: {error}"));
        let signals = Signals::listen();
        let server = service.bind(address).await.map_err(bind_error)?;
        on_start(server.local_address());
        let mut exit = Exit::Done;
        let shutdown = async { exit = signals.wait().await };
        if let Err(error) = server.run_until(shutdown).await {
            eprintln!("warning: {error}");
        }
        Ok(exit)
    })
}
