//! The servers. Each prints its address and serves until its standard input ends.

mod axum;
mod ours;
mod raw;
mod server;
#[cfg(feature = "peers")]
mod typeway;
#[cfg(feature = "peers")]
mod warp;

use std::io;

use hyper_util::service::TowerToHyperService;

use crate::Scenario;

use server::{Protection, listen};

pub use ours::manywire;

/// The name of the base.
pub const BASE: &str = "hyper";

/// The name of hyper without the timers and limits that protect a server.
pub const BARE: &str = "bare";

/// The name of our service behind its own `Server`.
pub const OURS: &str = "manywire";

/// The name of our service on the same connection code as the base, without our server.
pub const MOUNTED: &str = "mounted";

/// The stacks, the base first.
pub const STACKS: &[&str] = &[
    BASE,
    BARE,
    OURS,
    MOUNTED,
    "axum",
    #[cfg(feature = "peers")]
    "warp",
    #[cfg(feature = "peers")]
    "typeway",
];

/// Returns true if a stack supports a scenario.
pub fn has(stack: &str, scenario: Scenario) -> bool {
    match scenario {
        // Only these stacks support every format.
        Scenario::Catalogue(_) => [BASE, BARE, OURS, MOUNTED].contains(&stack),
        // This framework defines an API as a tuple of at most 25 types.
        Scenario::Last => stack != "typeway",
        _ => true,
    }
}

/// Serves a scenario, by its name on the command line, on this thread.
///
/// # Errors
/// Returns an error for an unknown stack or scenario, or if no port can be bound.
pub fn run(stack: &str, scenario: &str) -> io::Result<()> {
    let scenario = Scenario::named(scenario).ok_or_else(|| io::Error::other("no such scenario"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(stack, scenario))
}

async fn serve(stack: &str, scenario: Scenario) -> io::Result<()> {
    match stack {
        OURS => ours::run(scenario).await,
        MOUNTED => {
            listen(TowerToHyperService::new(manywire(scenario)), Protection::Full, scenario).await
        }
        "axum" => {
            listen(TowerToHyperService::new(axum::router(scenario)), Protection::Full, scenario)
                .await
        }
        #[cfg(feature = "peers")]
        "warp" => {
            listen(TowerToHyperService::new(warp::service(scenario)), Protection::Full, scenario)
                .await
        }
        #[cfg(feature = "peers")]
        "typeway" => {
            listen(TowerToHyperService::new(typeway::service()), Protection::Full, scenario).await
        }
        BASE => raw::run(scenario, Protection::Full).await,
        BARE => raw::run(scenario, Protection::None).await,
        other => Err(io::Error::other(format!("there is no stack {other}"))),
    }
}
