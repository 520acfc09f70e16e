//! What the operating system lets this process have.

use crate::http::connections::ConnectionLimits;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files for the database, the jobs and the log, beside all connections.
const RESERVE: usize = 128;
/// Files of a connection: its own, and one that it sends or receives.
const PER_CONNECTION: usize = 2;

/// Raises the limit of open files as far as it goes, and lowers the number of
/// connections to what fits below it.
pub fn fitting(connections: ConnectionLimits) -> ConnectionLimits {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let files = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(error) => {
            tracing::warn!(%error, "the limit of open files cannot be raised");
            limit.current
        }
    };
    within(files, connections)
}

fn within(files: Option<u64>, connections: ConnectionLimits) -> ConnectionLimits {
    let files = files.map_or(usize::MAX, |files| files.try_into().unwrap_or(usize::MAX));
    let total = connections.total.min(files.saturating_sub(RESERVE) / PER_CONNECTION);
    ConnectionLimits { total, ..connections }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_for_the_rest() {
        let total = |files| within(files, ConnectionLimits::default()).total;
        assert_eq!(total(None), 4096);
        assert_eq!(total(Some(20_000)), 4096);
        assert_eq!(total(Some(1024)), 448);
        assert_eq!(total(Some(64)), 0);
    }
}
