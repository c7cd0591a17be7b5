//! The memory and the descriptors of a server over time, with clients that disconnect at any point.
//!
//! `cargo bench -p manywire-http-benches --bench soak` takes five minutes; `-- --seconds 20` is
//! quicker and less reliable. It fails if memory grows or descriptors remain open. It needs Linux.

use std::env;
use std::fs;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use manywire::content::Items;
use manywire::{Api, Format, Service, get, post};
use manywire_http_benches::bench;
use manywire_http_benches::documents::{Hotel, Person, hotels, json, person};
use manywire_http_benches::process::{SERVE, address, memory_kb};

/// The default duration in seconds.
const SECONDS: u64 = 300;

/// The number of concurrent clients.
const CLIENTS: usize = 32;

/// The number of rows of the printed table.
const SAMPLES: u32 = 20;

/// The maximum growth between the second quarter and the last, in kB, that counts as flat. An
/// allocator may keep about this amount of freed memory between requests.
const GROWTH_KB_MAX: u64 = 4 << 10;

/// The time for the server to notice that all clients are gone.
const PATIENCE: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    bench::run(|words| match words {
        [flag] if *flag == SERVE => server().map(|()| true),
        words => soak(bench::number(words, "--seconds", SECONDS, 4)?),
    })
}

fn service() -> Service {
    let echo = post("/echo").body::<Person>().returns::<Person>();
    let all = get("/hotels").returns::<Vec<Hotel>>();
    let stream = get("/stream").returns::<Items<Hotel>>();
    Api::new("Soak")
        .formats([Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf])
        .serve(echo.to(|person| async move { person }))
        .serve(all.to(|| async { hotels() }))
        .serve(stream.to(|| async { Items::from_values((0..200).flat_map(|_| hotels())) }))
        .build()
        .unwrap_or_else(|error| panic!("{error}"))
}

fn server() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = service().bind("127.0.0.1:0").await?;
        println!("{}", server.local_address());
        server.run().await
    })
}

/// Sends requests to a server for `seconds`. Returns true if its memory grew by at most
/// [`GROWTH_KB_MAX`], no more descriptors are open than before, and some requests were answered and
/// some aborted.
fn soak(seconds: u64) -> io::Result<bool> {
    let mut process =
        Command::new(env::current_exe()?).arg(SERVE).stdout(Stdio::piped()).spawn()?;
    let result = address(&mut process).and_then(|address| watch(&process, &address, seconds));
    process.kill()?;
    process.wait()?;
    result
}

fn watch(process: &Child, address: &str, seconds: u64) -> io::Result<bool> {
    let (stopped, answered, aborted) =
        (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let at_rest = descriptors(process)?;
    println!("{seconds} s, {CLIENTS} clients, {at_rest} descriptors at rest");
    println!(
        "{:>9}{:>12}{:>13}{:>12}{:>12}",
        "seconds", "memory kB", "descriptors", "answered", "aborted"
    );
    let mut memory = Vec::new();
    thread::scope(|scope| -> io::Result<()> {
        for client in 0..CLIENTS {
            let (stopped, answered, aborted) = (&stopped, &answered, &aborted);
            scope.spawn(move || {
                let mut turn = client;
                while !stopped.load(Ordering::Relaxed) {
                    turn += 1;
                    match converse(address, turn) {
                        Ok(answers) => _ = answered.fetch_add(answers, Ordering::Relaxed),
                        Err(_) => _ = aborted.fetch_add(1, Ordering::Relaxed),
                    }
                }
            });
        }
        let started = Instant::now();
        let sampled = (1..=SAMPLES).try_for_each(|sample| {
            let at = Duration::from_secs(seconds) * sample / SAMPLES;
            thread::sleep(at.saturating_sub(started.elapsed()));
            memory.push(memory_kb(process.id())?);
            println!(
                "{:>9.1}{:>12}{:>13}{:>12}{:>12}",
                started.elapsed().as_secs_f64(),
                memory.last().copied().unwrap_or_default(),
                descriptors(process)?,
                answered.load(Ordering::Relaxed),
                aborted.load(Ordering::Relaxed)
            );
            Ok(())
        });
        stopped.store(true, Ordering::Relaxed);
        sampled
    })?;
    let started = Instant::now();
    while descriptors(process)? > at_rest && started.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(50));
    }
    let left_over = descriptors(process)?.saturating_sub(at_rest);
    // In the first quarter the server grows to the size that the load needs.
    let quarter = memory.len() / 4;
    let before = median(&memory[quarter..2 * quarter]);
    let after = median(&memory[3 * quarter..]);
    let grown = after.saturating_sub(before);
    println!(
        "memory: {before} kB in the second quarter, {after} kB in the last; at most {GROWTH_KB_MAX} kB more"
    );
    println!("descriptors left over: {left_over}");
    let idle = answered.load(Ordering::Relaxed) == 0 || aborted.load(Ordering::Relaxed) == 0;
    if idle {
        println!("the clients did not get to do what they are for");
    }
    Ok(!idle && grown <= GROWTH_KB_MAX && left_over == 0)
}

/// Runs one connection. Returns the number of responses, or an error if the client disconnected
/// early.
fn converse(address: &str, turn: usize) -> io::Result<u64> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let left = || Err(io::ErrorKind::ConnectionAborted.into());
    let get = |path: &str, close: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nhost: a\r\naccept-encoding: gzip\r\nconnection: {close}\r\n\r\n"
        )
    };
    let body = String::from_utf8_lossy(&json(&person())).into_owned();
    let head = format!(
        "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    match turn % 8 {
        // The client disconnects in the middle of the head, the body, the response or a stream.
        0 => {
            stream.write_all(&head.as_bytes()[..20])?;
            left()
        }
        1 => {
            stream.write_all(format!("{head}{}", &body[..body.len() / 2]).as_bytes())?;
            left()
        }
        2 => {
            stream.write_all(get("/hotels", "close").as_bytes())?;
            stream.read_exact(&mut [0; 10])?;
            left()
        }
        3 => {
            stream.write_all(get("/stream", "close").as_bytes())?;
            stream.read_exact(&mut [0; 20_000])?;
            left()
        }
        4 => {
            // Many requests at once, with all responses read.
            let requests = format!("{head}{body}").repeat(50) + &get("/hotels", "close");
            stream.write_all(requests.as_bytes())?;
            ended(&mut stream)?;
            Ok(51)
        }
        5 => {
            stream.write_all(get("/stream", "close").as_bytes())?;
            ended(&mut stream)?;
            Ok(1)
        }
        _ => {
            stream.write_all(get("/hotels", "close").as_bytes())?;
            ended(&mut stream)?;
            Ok(1)
        }
    }
}

/// Reads to the end of a connection.
fn ended(stream: &mut TcpStream) -> io::Result<()> {
    let mut chunk = [0; 16 << 10];
    while stream.read(&mut chunk)? > 0 {}
    Ok(())
}

fn median(values: &[u64]) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Returns the number of open descriptors of a process.
fn descriptors(process: &Child) -> io::Result<usize> {
    Ok(fs::read_dir(format!("/proc/{}/fd", process.id()))?.count())
}
