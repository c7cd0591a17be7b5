//! [`Limits`]: the bounds on everything that comes from the other end of a connection.

use std::time::Duration;

/// The limits on what the other end of a connection may send: clients to a server, a server to a
/// client.
///
/// A time of more than a year counts as a year, so [`Duration::MAX`] turns a limit off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The size of a body on the wire, in bytes: 2 MiB. In a stream of values, the limit applies to
    /// each value, and in a multipart form to each part.
    pub body_bytes: usize,
    /// The size of a body without its content codings, in bytes: 8 MiB.
    pub decoded_bytes: usize,
    /// The time for decoding one content coding of a body: 2 seconds. For a stream of values or
    /// bytes, the longest decoding time without any output.
    pub inflate_timeout: Duration,
    /// The size of a multipart form as a whole, in bytes: 16 MiB, both on the wire and without its
    /// codings.
    pub multipart_bytes: usize,
    /// The nesting depth of values: 128 containers.
    pub depth: usize,
    /// The size of the request line and the header fields, in bytes: 16 KiB.
    pub header_bytes: usize,
    /// The number of header fields of a request: 100. A request with more is refused with status
    /// 431.
    pub header_fields: usize,
    /// The time in which the request line and the header fields must arrive: 10 seconds.
    pub header_timeout: Duration,
    /// The longest pause in a request body, and the longest time that a client may leave its
    /// response unread: 15 seconds; in HTTP/2, a stream whose window stays closed for that long is
    /// reset. An HTTP/2 connection that is silent for that long is sent a ping.
    pub body_idle_timeout: Duration,
    /// The total time that a request body may keep the server waiting: 5 minutes. This limit does
    /// not apply to streams of values or bytes, which may be endless, or to the bodies of
    /// [`Endpoint::slow_body`](crate::Endpoint::slow_body).
    pub body_timeout: Duration,
    /// The minimum rate, in bytes per second, at which a client must send request bodies and read
    /// responses: 500. A client may fall behind this rate by
    /// [`body_idle_timeout`](Limits::body_idle_timeout). With 0, every rate is permitted.
    /// [`Endpoint::slow_body`](crate::Endpoint::slow_body) exempts the bodies of one endpoint.
    pub bytes_per_second_min: u32,
    /// The number of open connections: 10,000. To accept a further one, the server closes the
    /// connection that has waited longest for its client. A connection waits for its client while
    /// no request waits for the server and the client sends or reads fewer than
    /// [`bytes_per_second_min`](Limits::bytes_per_second_min), or while its socket is full because
    /// the client does not read. A connection is not closed in its first second. If no connection
    /// may be closed, further ones wait to be accepted.
    pub connections: usize,
    /// The number of open connections of one peer, which is an IPv4 address or an IPv6 network of
    /// 64 bits: 1,000. To accept a further one, the server closes a connection of that peer that
    /// waits for its client, or refuses the new one if each of them waits for the server or is
    /// younger than one second. Behind a proxy, all clients are one peer: set `usize::MAX` there,
    /// and let the proxy limit its clients.
    pub peer_connections: usize,
    /// The number of concurrent requests on one HTTP/2 connection: 200.
    pub concurrent_streams: u32,
    /// The time for which the server still accepts connections and reads requests when it shuts
    /// down: 250 milliseconds. In HTTP/1.1, responses close their connections from the beginning of
    /// the shutdown. Set a longer time if a load balancer needs it to notice the shutdown.
    pub shutdown_grace: Duration,
    /// The time that active requests may take to finish when the server shuts down: 30 seconds.
    pub shutdown_timeout: Duration,
}

/// The longest time of a limit. A clock may be unable to represent a point in time that is later.
const TIME_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Declares the setters of fields that may have any value.
macro_rules! setters {
    ($($setter:ident $field:ident: $type:ty),+ $(,)?) => {$(
        #[doc = concat!("Sets [`", stringify!($field), "`](Limits::", stringify!($field), ").")]
        #[must_use]
        pub const fn $setter(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
    )+};
}

impl Limits {
    /// The defaults, which each field documents.
    pub const DEFAULT: Limits = Limits {
        body_bytes: 2 << 20,
        decoded_bytes: 8 << 20,
        inflate_timeout: Duration::from_secs(2),
        multipart_bytes: 16 << 20,
        depth: 128,
        header_bytes: 16 << 10,
        header_fields: 100,
        header_timeout: Duration::from_secs(10),
        body_idle_timeout: Duration::from_secs(15),
        body_timeout: Duration::from_secs(5 * 60),
        bytes_per_second_min: 500,
        connections: 10_000,
        peer_connections: 1_000,
        concurrent_streams: 200,
        shutdown_grace: Duration::from_millis(250),
        shutdown_timeout: Duration::from_secs(30),
    };

    setters! {
        with_body_bytes body_bytes: usize,
        with_decoded_bytes decoded_bytes: usize,
        with_inflate_timeout inflate_timeout: Duration,
        with_multipart_bytes multipart_bytes: usize,
        with_depth depth: usize,
        with_header_timeout header_timeout: Duration,
        with_body_idle_timeout body_idle_timeout: Duration,
        with_body_timeout body_timeout: Duration,
        with_bytes_per_second_min bytes_per_second_min: u32,
        with_connections connections: usize,
        with_peer_connections peer_connections: usize,
        with_concurrent_streams concurrent_streams: u32,
        with_shutdown_grace shutdown_grace: Duration,
        with_shutdown_timeout shutdown_timeout: Duration,
    }

    /// Sets [`header_bytes`](Limits::header_bytes) to at least 8 KiB, the minimum with which HTTP/1
    /// can be read.
    #[must_use]
    pub const fn with_header_bytes(mut self, bytes: usize) -> Self {
        self.header_bytes = if bytes < 8 << 10 { 8 << 10 } else { bytes };
        self
    }

    /// Sets [`header_fields`](Limits::header_fields), at most 10,000.
    #[must_use]
    pub const fn with_header_fields(mut self, fields: usize) -> Self {
        self.header_fields = if fields > 10_000 { 10_000 } else { fields };
        self
    }

    /// Limits each time to [`TIME_MAX`], so that adding it to the current time cannot overflow.
    pub(crate) fn with_finite_times(mut self) -> Self {
        for time in [
            &mut self.inflate_timeout,
            &mut self.header_timeout,
            &mut self.body_idle_timeout,
            &mut self.body_timeout,
            &mut self.shutdown_grace,
            &mut self.shutdown_timeout,
        ] {
            *time = TIME_MAX.min(*time);
        }
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Limits};

    #[test]
    fn every_limit_has_a_setter() {
        let seconds = Duration::from_secs;
        let set = Limits::DEFAULT
            .with_body_bytes(1)
            .with_decoded_bytes(2)
            .with_inflate_timeout(seconds(3))
            .with_multipart_bytes(4)
            .with_depth(5)
            .with_header_bytes(9 << 10)
            .with_header_fields(6)
            .with_header_timeout(seconds(7))
            .with_body_idle_timeout(seconds(8))
            .with_body_timeout(seconds(9))
            .with_bytes_per_second_min(10)
            .with_connections(11)
            .with_peer_connections(12)
            .with_concurrent_streams(13)
            .with_shutdown_grace(seconds(14))
            .with_shutdown_timeout(seconds(15));
        // A further field does not compile here, so that its setter is not forgotten.
        let expected = Limits {
            body_bytes: 1,
            decoded_bytes: 2,
            inflate_timeout: seconds(3),
            multipart_bytes: 4,
            depth: 5,
            header_bytes: 9 << 10,
            header_fields: 6,
            header_timeout: seconds(7),
            body_idle_timeout: seconds(8),
            body_timeout: seconds(9),
            bytes_per_second_min: 10,
            connections: 11,
            peer_connections: 12,
            concurrent_streams: 13,
            shutdown_grace: seconds(14),
            shutdown_timeout: seconds(15),
        };
        assert_eq!(set, expected);
    }
}
