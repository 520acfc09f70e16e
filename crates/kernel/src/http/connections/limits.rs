//! How much of the server clients may take.

use std::time::Duration;

/// What clients may take of the server's connections.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// Connections at the same time.
    pub total: usize,
    /// Of them from one address; proxies that are trusted count by none.
    pub per_address: usize,
    /// How long a request's head may take.
    pub head: Duration,
    /// How long a body may go without bringing 16 KiB or its end, and an
    /// answer without a byte of it being taken.
    pub progress: Duration,
    /// How long a connection is kept between two requests.
    pub idle: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> ConnectionLimits {
        ConnectionLimits {
            total: 4096,
            per_address: 256,
            head: Duration::from_secs(10),
            progress: Duration::from_secs(30),
            idle: Duration::from_secs(75),
        }
    }
}
