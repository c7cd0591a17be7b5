//! The instructions of content negotiation for three kinds of `Accept`: one media type, three
//! quality values that were seen before, and three that were not.

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::{env, io};

use manywire::MediaType;
use manywire::negotiate::{Offer, Offers};

use super::callgrind::Profile;

/// The argument that makes a process negotiate, so that callgrind can count its instructions.
pub const NEGOTIATE: &str = "--negotiate";

const FEW: usize = 1_000;
const MANY: usize = 11_000;

/// An `Accept` with three quality values.
const THREE: &str = "application/json;q=0.5, application/cbor;q=0.9, application/vnd.msgpack";

/// The number of fields that were not seen before: more than the cache holds, so that a field has
/// been evicted before it comes again.
const UNSEEN: usize = 1_000;

/// Negotiates repeatedly.
pub fn run(kind: &str, times: &str) {
    let names =
        ["application/json", "application/vnd.msgpack", "application/cbor", "application/protobuf"];
    let offers =
        Offers::new(names.iter().filter_map(|name| MediaType::parse(name).ok()).map(Offer::new));
    let fields: Vec<String> = match kind {
        "exact" => vec![names[0].to_owned()],
        "cached" => vec![THREE.to_owned()],
        // The three values, with another quality of `application/cbor` in each field.
        _ => (0..UNSEEN).map(|number| THREE.replace("0.9", &format!("0.{number:03}"))).collect(),
    };
    let times = times.parse::<usize>().unwrap_or_default();
    for field in fields.iter().cycle().take(times) {
        black_box(offers.choose(black_box(Some(field.as_bytes()))));
    }
}

/// Prints the costs. Returns false if a target is missed.
///
/// # Errors
/// Returns an error if valgrind fails.
pub fn report() -> io::Result<bool> {
    let exact = count("exact")?;
    let mut met = true;
    println!("\ninstructions a choice: {exact:.0} by a media type alone");
    for (kind, target, words) in [
        ("cached", 100.0, "by three quality values, remembered"),
        ("unseen", 600.0, "by three quality values, not seen before"),
    ] {
        let over = count(kind)? - exact;
        let word = if over <= target { "holds" } else { "MISSED" };
        met &= over <= target;
        println!("  {over:.0} more {words} (target {target:.0}: {word})");
    }
    Ok(met)
}

fn count(kind: &str) -> io::Result<f64> {
    let few = total(kind, FEW)?;
    Ok((total(kind, MANY)? - few) / (MANY - FEW) as f64)
}

fn total(kind: &str, times: usize) -> io::Result<f64> {
    let profile = Profile::new("negotiation");
    let status = Command::new("valgrind")
        .args(profile.options())
        .arg(env::current_exe()?)
        .args([NEGOTIATE, kind, &times.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(io::Error::other(format!("valgrind: {status}")));
    }
    Ok(profile.read()?.instructions)
}
