//! [`Limits`]: the bounds on everything that comes from the other end of a connection.

use std::time::Duration;

/// What a server takes from clients it cannot trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// A body as it comes over the wire, in bytes: 2 MiB. Of a stream each value, of a form of parts
    /// each part.
    pub body_bytes: usize,
    /// A body without its content codings, in bytes: 8 MiB.
    pub decoded_bytes: usize,
    /// How long taking one content coding off a body may take: 2 seconds. Of a stream that may have
    /// no end, how long without anything that comes of it.
    pub inflate_timeout: Duration,
    /// A form of parts, all together, in bytes: 16 MiB, over the wire and without its codings.
    pub multipart_bytes: usize,
    /// How many containers of a value may stand inside each other: 128.
    pub depth: usize,
    /// The line and the header fields of a request, in bytes: 16 KiB.
    pub header_bytes: usize,
    /// How long a client may take for them: 10 seconds.
    pub header_timeout: Duration,
    /// How long a body may pause, a client may leave its answer unread (in HTTP/2, keep a stream
    /// from going on by its window, whereupon that stream is reset), and an HTTP/2 connection may be
    /// silent before it is asked whether it is still there: 15 seconds.
    pub body_idle_timeout: Duration,
    /// How many connections are open at once: 10,000. More wait to be accepted.
    pub connections: usize,
    /// How many requests of one HTTP/2 connection are at work at once: 200.
    pub concurrent_streams: u32,
    /// How long requests at work may take to end when the server is shut down: 30 seconds.
    pub shutdown_timeout: Duration,
}

impl Limits {
    /// What each field says.
    pub const DEFAULT: Limits = Limits {
        body_bytes: 2 << 20,
        decoded_bytes: 8 << 20,
        inflate_timeout: Duration::from_secs(2),
        multipart_bytes: 16 << 20,
        depth: 128,
        header_bytes: 16 << 10,
        header_timeout: Duration::from_secs(10),
        body_idle_timeout: Duration::from_secs(15),
        connections: 10_000,
        concurrent_streams: 200,
        shutdown_timeout: Duration::from_secs(30),
    };

    /// These limits with another size of bodies, in bytes, over the wire.
    #[must_use]
    pub const fn with_body_bytes(mut self, bytes: usize) -> Self {
        self.body_bytes = bytes;
        self
    }

    /// These limits with another size of bodies, in bytes, without their codings.
    #[must_use]
    pub const fn with_decoded_bytes(mut self, bytes: usize) -> Self {
        self.decoded_bytes = bytes;
        self
    }

    /// These limits with another time for taking a content coding off a body.
    #[must_use]
    pub const fn with_inflate_timeout(mut self, timeout: Duration) -> Self {
        self.inflate_timeout = timeout;
        self
    }

    /// These limits with another size of forms of parts, in bytes.
    #[must_use]
    pub const fn with_multipart_bytes(mut self, bytes: usize) -> Self {
        self.multipart_bytes = bytes;
        self
    }

    /// These limits with another depth of values.
    #[must_use]
    pub const fn with_depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// These limits with another size of the head, in bytes: at least 8 KiB, below which HTTP/1
    /// cannot be read.
    #[must_use]
    pub const fn with_header_bytes(mut self, bytes: usize) -> Self {
        self.header_bytes = if bytes < 8 << 10 { 8 << 10 } else { bytes };
        self
    }

    /// These limits with another time for the head.
    #[must_use]
    pub const fn with_header_timeout(mut self, timeout: Duration) -> Self {
        self.header_timeout = timeout;
        self
    }

    /// These limits with another pause of bodies.
    #[must_use]
    pub const fn with_body_idle_timeout(mut self, timeout: Duration) -> Self {
        self.body_idle_timeout = timeout;
        self
    }

    /// These limits with another number of connections.
    #[must_use]
    pub const fn with_connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// These limits with another time to shut down.
    #[must_use]
    pub const fn with_shutdown_timeout(mut self, timeout: Duration) -> Self {
        self.shutdown_timeout = timeout;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}
