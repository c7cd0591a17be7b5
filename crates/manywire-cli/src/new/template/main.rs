//! Serves at the address in the variable `ADDRESS`, until SIGTERM or Ctrl-C.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::var("ADDRESS").unwrap_or_else(|_| "127.0.0.1:8080".to_owned());
    let server = {crate}::api().build()?.bind(&address).await?;
    println!("listening on http://{}", server.local_address());
    Ok(server.run().await?)
}
