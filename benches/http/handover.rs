//! The body size from which decoding on another thread pays.
//!
//! `cargo bench -p manywire-http-benches --bench handover` takes half a minute; `-- --smoke` a
//! second. The service decodes short bodies on the thread that serves many connections, all of
//! which wait meanwhile. It hands long bodies to another thread, which costs two thread switches.
//! The table has the times of decoding in place and of handing over. The service should hand over
//! bodies from the size at which the switches add at most a tenth.
//!
//! Times are processor time of the whole process, medians over rounds in which all cases take
//! turns.

use std::hint::black_box;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use manywire_codec::coding::{DecodeLimits, Decoder, Encoder};
use manywire_codec::json;
use manywire_format::{Coding, CodingLevel};
use manywire_http_benches::bench;
use manywire_http_benches::documents::{self, Hotel, hotels};
use manywire_tools::weigh::statistics::median;
use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::Runtime;
use tokio::task::spawn_blocking;

/// The sizes of bodies without content coding, in bytes.
const SIZES: [usize; 8] =
    [2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10];

/// The number of measured rounds.
const ROUNDS: usize = 60;

/// The number of bytes to decode in a turn, enough to hide the cost of reading the clock.
const TURN_BYTES: usize = 1 << 20;

/// The maximum cost of a handover relative to decoding in place.
const ADDED_MAX: f64 = 1.10;

fn main() -> ExitCode {
    bench::run(|words| match words {
        [] => report(ROUNDS).map(|()| true),
        ["--smoke"] => report(1).map(|()| true),
        other => Err(io::Error::other(format!("expected no arguments, found {other:?}"))),
    })
}

/// A request body.
struct Body {
    content: Vec<u8>,
    coding: Option<Coding>,
    /// The length without content coding.
    plain_bytes: usize,
}

impl Body {
    /// Builds a list of hotels of about `plain_bytes` bytes of JSON.
    fn new(plain_bytes: usize, coding: Option<Coding>) -> io::Result<Body> {
        let one: Vec<Hotel> = hotels().into_iter().take(19).collect();
        let each = documents::json(&one).len() / one.len();
        // The names differ, as those of real hotels do, because repetitive text decompresses too
        // quickly.
        let hotel = |number: usize| {
            let mut hotel = one[number % one.len()].clone();
            hotel.id = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
            hotel.name = format!("Hotel {:x}", hotel.id.wrapping_mul(0x2545_F491_4F6C_DD1D));
            hotel
        };
        let all: Vec<Hotel> = (0..plain_bytes.div_ceil(each)).map(hotel).collect();
        let plain = documents::json(&all);
        let mut content = Vec::new();
        match coding {
            None => content.clone_from(&plain),
            Some(coding) => Encoder::new(CodingLevel::from(coding))
                .and_then(|mut encoder| encoder.encode(&plain, &mut content))
                .map_err(io::Error::other)?,
        }
        Ok(Body { content, coding, plain_bytes: plain.len() })
    }

    /// Decodes the body as the service does. Returns the number of hotels.
    fn decode(&self) -> manywire_codec::Result<usize> {
        let Some(coding) = self.coding else {
            return Ok(json::from_slice::<Vec<Hotel>>(&self.content)?.len());
        };
        let mut plain = Vec::new();
        Decoder::new(coding, DecodeLimits::DEFAULT)?.decode(&self.content, &mut plain)?;
        Ok(json::from_slice::<Vec<Hotel>>(&plain)?.len())
    }
}

/// Prints the table.
fn report(rounds: usize) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let mut bodies = Vec::new();
    for coding in [None, Some(Coding::Gzip), Some(Coding::Zstd), Some(Coding::Brotli)] {
        for bytes in SIZES {
            bodies.push(Arc::new(Body::new(bytes, coding)?));
        }
    }
    let mut found = vec![[const { Vec::new() }; 2]; bodies.len()];
    for round in 0..rounds {
        for (body, found) in bodies.iter().zip(&mut found) {
            for turn in 0..2 {
                let is_handed_over = (round + turn) % 2 == 1;
                found[usize::from(is_handed_over)].push(turns(&runtime, body, is_handed_over)?);
            }
        }
    }
    println!(
        "{:<9}{:>12}{:>12}{:>13}{:>15}{:>8}",
        "coding", "bytes", "as coded", "decoded in", "handed over", "ratio"
    );
    let mut crossed: Vec<(Option<Coding>, &Body)> = Vec::new();
    for (body, found) in bodies.iter().zip(&found) {
        let [here, there] = [0, 1].map(|which| median(&found[which]).unwrap_or_default());
        let ratio = there / here;
        if ratio <= ADDED_MAX && !crossed.iter().any(|(coding, _)| *coding == body.coding) {
            crossed.push((body.coding, body));
        }
        println!(
            "{:<9}{:>12}{:>12}{here:>10.1} µs{there:>12.1} µs{ratio:>8.2}",
            body.coding.map_or("none", Coding::name),
            body.plain_bytes,
            body.content.len(),
        );
    }
    println!("\nhanding over adds at most a tenth from");
    for (coding, body) in crossed {
        let coding = coding.map_or("none", |coding| coding.name());
        println!("  {} bytes, coding {coding}: {} as coded", body.plain_bytes, body.content.len());
    }
    Ok(())
}

/// Returns the processor time of decoding once, in microseconds.
fn turns(runtime: &Runtime, body: &Arc<Body>, is_handed_over: bool) -> io::Result<f64> {
    let count = (TURN_BYTES / body.plain_bytes).max(1);
    let before = processor_us();
    runtime.block_on(async {
        for _ in 0..count {
            let decoded = match is_handed_over {
                true => {
                    let body = Arc::clone(body);
                    spawn_blocking(move || body.decode()).await.map_err(io::Error::other)?
                }
                false => body.decode(),
            };
            black_box(decoded.map_err(io::Error::other)?);
        }
        Ok::<(), io::Error>(())
    })?;
    Ok((processor_us() - before) / count as f64)
}

/// Returns the processor time of this process.
fn processor_us() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}
