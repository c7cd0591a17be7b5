use std::time::Duration;

/// What one fetch may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Redirects that are followed.
    pub redirects: usize,
    /// Until there is a connection, name and TLS included.
    pub connect: Duration,
    /// Without a byte of the answer.
    pub idle: Duration,
    /// For everything.
    pub total: Duration,
    /// Bytes of the body as they come.
    pub body_bytes: usize,
    /// Bytes of the body without its codings.
    pub decoded_bytes: usize,
}

impl Limits {
    /// For a payload that somebody is waiting for.
    pub const DEFAULT: Limits = Limits {
        // What browsers follow is 20; real services redirect once or twice.
        redirects: 10,
        connect: Duration::from_secs(10),
        idle: Duration::from_secs(30),
        total: Duration::from_secs(300),
        // All of it is held; larger ones are for a file.
        body_bytes: 256 << 20,
        decoded_bytes: 256 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}
