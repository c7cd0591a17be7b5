//! The relay: takes connections on loopback and makes them go over a line.
//!
//! Threads and not an asynchronous runtime: its timers have steps of a millisecond, and there is a
//! profile of a fifth of one. A connection is set up without delay, and the kernel's own slow start
//! does not notice the line: what is emulated is a connection that has been open for a while.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use super::Link;
use super::line::{Line, Passage, wait_until};

/// A relay in front of a server; it takes no more connections when this is dropped.
#[derive(Debug)]
pub struct Relay {
    port: u16,
    stopped: Arc<AtomicBool>,
}

/// Bytes taken from a connection at a time.
const CHUNK_BYTES: usize = 16 << 10;

/// Chunks that wait beyond those that fill the line.
const QUEUE_CHUNKS: usize = 4;

/// Connections at once; more are refused, since each takes threads.
const CONNECTIONS_MAX: usize = 256;

/// Both directions.
#[derive(Debug)]
struct Lines {
    up: Line,
    down: Line,
}

impl Relay {
    /// Starts a relay to a port of this machine.
    ///
    /// # Errors
    ///
    /// A system that gives no port.
    pub fn start(link: &Link, port: u16) -> std::io::Result<Relay> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let own = listener.local_addr()?.port();
        let stopped = Arc::new(AtomicBool::new(false));
        let lines = Arc::new(Lines { up: Line::new(link), down: Line::new(link) });
        let stop = Arc::clone(&stopped);
        thread::spawn(move || accept(&listener, port, &lines, &stop));
        Ok(Relay { port: own, stopped })
    }

    /// The port that stands in for the server's.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // The thread waits for a connection; this is one.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
    }
}

fn accept(listener: &TcpListener, port: u16, lines: &Arc<Lines>, stopped: &AtomicBool) {
    let open = Arc::new(AtomicUsize::new(0));
    for connection in listener.incoming() {
        if stopped.load(Ordering::Relaxed) {
            return;
        }
        let Ok(client) = connection else { continue };
        if open.load(Ordering::Relaxed) >= CONNECTIONS_MAX {
            continue;
        }
        let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { continue };
        open.fetch_add(1, Ordering::Relaxed);
        let (lines, open) = (Arc::clone(lines), Arc::clone(&open));
        thread::spawn(move || {
            // A connection that the system refuses to share ends here, and its client sees that.
            drop(carry(&client, &server, &lines));
            drop(client.shutdown(Shutdown::Both));
            drop(server.shutdown(Shutdown::Both));
            open.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

fn carry(client: &TcpStream, server: &TcpStream, lines: &Lines) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    thread::scope(|scope| {
        for (from, to, line) in [(client, server, &lines.up), (server, client, &lines.down)] {
            let chunks = line.holds() / CHUNK_BYTES + QUEUE_CHUNKS;
            // What is on the line keeps whoever sends from sending more.
            let (sender, receiver) = sync_channel(chunks);
            scope.spawn(move || take_in(from, line, &sender));
            scope.spawn(move || let_out(to, &receiver));
        }
    });
    Ok(())
}

fn take_in(mut from: &TcpStream, line: &Line, sender: &SyncSender<(Vec<u8>, Passage)>) {
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                let passage = line.admit(count, Instant::now());
                if sender.send((buffer[..count].to_vec(), passage)).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn let_out(mut to: &TcpStream, receiver: &Receiver<(Vec<u8>, Passage)>) {
    for (bytes, passage) in receiver {
        let mut done = 0;
        while done < bytes.len() {
            let (out, next) = passage.out(bytes.len(), Instant::now());
            if out == done {
                wait_until(next);
                continue;
            }
            if to.write_all(&bytes[done..out]).is_err() {
                break;
            }
            done = out;
        }
        if done < bytes.len() {
            break;
        }
    }
    // The other end is told that this one has said all; its own answer may be still to come.
    drop(to.shutdown(Shutdown::Write));
}
