//! [`Activity`]: what a connection is doing, shared between its requests and the server that may
//! have to close it.

#![cfg_attr(not(feature = "server"), allow(dead_code, reason = "only a server has connections"))]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// The activity of one connection. The server reads the activity to choose a connection to close,
/// and notes the shutdown there.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    /// The number of requests that wait for the server: their handler is prepared or runs, or their
    /// response is still streamed.
    working: AtomicUsize,
    /// The number of bytes sent and received.
    moved_bytes: AtomicU64,
    /// Indicates whether the next response of HTTP/1 is the last one.
    is_closing: AtomicBool,
    /// Indicates whether a service gave a response of HTTP/1, or a part of one, that looks like
    /// hyper's own response to a malformed request.
    has_bare_errors: AtomicBool,
    /// Indicates whether a request of HTTP/1 has arrived since the connection last began to wait
    /// for a head.
    has_new_request: AtomicBool,
    /// The number of request bodies of HTTP/1 that were not read to their end.
    open_bodies: AtomicUsize,
}

/// Marks a request of a connection as waiting for the server, until the mark is dropped.
#[derive(Debug)]
pub(crate) struct Work(Arc<Activity>);

/// The start of hyper's own responses to malformed requests of HTTP/1.
const ERROR_START: &[u8] = b"HTTP/1.1 4";

/// Returns whether these bytes may be a response of hyper to a request that it cannot parse.
#[inline]
pub(crate) fn may_be_error(bytes: &[u8]) -> bool {
    bytes.starts_with(ERROR_START)
}

/// A request body of HTTP/1 that was not read to its end.
#[derive(Debug)]
pub(crate) struct OpenBody(Arc<Activity>);

impl Activity {
    /// Notes that a request waits for the server, until the result is dropped.
    #[inline]
    pub(crate) fn work(self: &Arc<Self>) -> Work {
        self.working.fetch_add(1, Ordering::Relaxed);
        Work(Arc::clone(self))
    }

    /// Returns whether a request of the connection waits for the server. Unless the socket is full,
    /// the connection then does not wait for its client.
    pub(crate) fn is_working(&self) -> bool {
        self.working.load(Ordering::Relaxed) > 0
    }

    /// Notes bytes that were sent or received. Only the task of the connection calls this, so no
    /// bytes are lost between the load and the store.
    #[inline]
    pub(crate) fn add_bytes(&self, bytes: usize) {
        let moved = self.moved_bytes.load(Ordering::Relaxed);
        self.moved_bytes.store(moved.wrapping_add(bytes as u64), Ordering::Relaxed);
    }

    /// Returns the number of bytes sent and received.
    pub(crate) fn moved_bytes(&self) -> u64 {
        self.moved_bytes.load(Ordering::Relaxed)
    }

    /// Notes that the server shuts down.
    pub(crate) fn set_closing(&self) {
        self.is_closing.store(true, Ordering::Relaxed);
    }

    /// Notes content that is about to be sent. A write may begin with it.
    #[inline]
    pub(crate) fn note_content(&self, content: &[u8]) {
        if may_be_error(content) {
            self.set_bare_errors();
        }
    }

    /// Notes that a service gave a response that looks like hyper's own to a malformed request.
    #[cold]
    pub(crate) fn set_bare_errors(&self) {
        self.has_bare_errors.store(true, Ordering::Relaxed);
    }

    /// Returns whether a service gave a response that looks like hyper's own to a malformed
    /// request.
    pub(crate) fn has_bare_errors(&self) -> bool {
        self.has_bare_errors.load(Ordering::Relaxed)
    }

    /// Notes that the head of a request of HTTP/1 has arrived.
    #[inline]
    pub(crate) fn add_request(&self) {
        self.has_new_request.store(true, Ordering::Relaxed);
    }

    /// Notes that a request of HTTP/1 has a body, until the result is dropped.
    #[inline]
    pub(crate) fn open_body(self: &Arc<Self>) -> OpenBody {
        self.open_bodies.fetch_add(1, Ordering::Relaxed);
        OpenBody(Arc::clone(self))
    }

    /// Returns whether the client may still send a part of a body.
    #[inline]
    pub(crate) fn has_open_body(&self) -> bool {
        self.open_bodies.load(Ordering::Relaxed) > 0
    }

    /// Returns true once for each wait for the head of an HTTP/1 request after the first one of the
    /// connection: at the first call after a request has arrived and no body is open. Only the task
    /// of the connection calls this, when it waits for bytes.
    #[inline]
    pub(crate) fn begins_to_wait_for_head(&self) -> bool {
        let begins = self.has_new_request.load(Ordering::Relaxed) && !self.has_open_body();
        if begins {
            self.has_new_request.store(false, Ordering::Relaxed);
        }
        begins
    }

    /// Returns whether the server shuts down.
    #[inline]
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }
}

impl Work {
    /// Notes a chunk of a response that is about to be sent.
    #[inline]
    pub(crate) fn note_content(&self, chunk: &[u8]) {
        self.0.note_content(chunk);
    }
}

impl Drop for Work {
    #[inline]
    fn drop(&mut self) {
        self.0.working.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for OpenBody {
    #[inline]
    fn drop(&mut self) {
        self.0.open_bodies.fetch_sub(1, Ordering::Relaxed);
    }
}
