//! What a server may take of ours when it is asked for a repository. How many bytes it may
//! send is what a push may bring.

use std::time::Duration;

kernel::setting! {
    /// Bounds of what is fetched from elsewhere.
    #[derive(Copy)]
    pub struct PullLimits = "repositories.pull_limits" {
        /// Seconds that it may take to tell of its refs.
        pub listing: u64 = 60,
        /// Seconds that it may take to send what differs.
        pub fetching: u64 = 3600,
        /// Branches and tags that it may have.
        pub refs: usize = 100_000,
    }
}

impl PullLimits {
    pub(super) fn listing(self) -> Duration {
        Duration::from_secs(self.listing)
    }

    pub(super) fn fetching(self) -> Duration {
        Duration::from_secs(self.fetching)
    }
}
