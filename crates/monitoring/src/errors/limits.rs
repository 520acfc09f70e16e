//! What administrators set for error tracking.

use kernel::error::{Error, Result};

const MIB: u64 = 1 << 20;

kernel::setting! {
    /// How much projects may send, and how long it is kept.
    /// Quotas as a peer has them, sizes as the protocol says (docs/interface/monitoring.md 6.5).
    #[derive(PartialEq, Eq)]
    pub struct ErrorLimits = "error_tracking" {
        pub integrated: bool = true,
        pub per_five_minutes: i64 = 1_000,
        pub per_hour: i64 = 5_000,
        pub retention_days: i64 = 90,
        pub sent_mib: i64 = 20,
        pub decoded_mib: i64 = 100,
    }
}

identity::settings_part! {
    ErrorLimits {
        /// Projects may receive errors of SDKs themselves.
        integrated_error_tracking_enabled: bool => integrated,
        /// Events a project may receive in five minutes.
        error_tracking_events_per_five_minutes: i64 => per_five_minutes,
        /// Events a project may receive in an hour.
        error_tracking_events_per_hour: i64 => per_hour,
        /// Days an event is kept.
        error_tracking_retention_days: i64 => retention_days,
        /// Largest envelope of an SDK as it is sent, in MiB.
        error_tracking_max_sent_size: i64 => sent_mib,
        /// Largest envelope of an SDK once decompressed, in MiB.
        error_tracking_max_decompressed_size: i64 => decoded_mib,
    } sealed {}
}

impl ErrorLimits {
    fn validate(&self) -> Result<()> {
        for (key, value, most) in [
            ("events_per_five_minutes", self.per_five_minutes, 10_000_000),
            ("events_per_hour", self.per_hour, 100_000_000),
            ("retention_days", self.retention_days, 3_650),
            ("max_sent_size", self.sent_mib, 200),
            ("max_decompressed_size", self.decoded_mib, 1_000),
        ] {
            if !(1..=most).contains(&value) {
                let key = format!("error_tracking_{key}");
                return Err(Error::invalid(&key, format!("must be between 1 and {most}")));
            }
        }
        Ok(())
    }

    /// Most bytes of an envelope as it is sent.
    pub fn sent(&self) -> u64 {
        self.sent_mib.unsigned_abs() * MIB
    }

    /// Most bytes of an envelope once decompressed.
    pub fn decoded(&self) -> u64 {
        self.decoded_mib.unsigned_abs() * MIB
    }
}
