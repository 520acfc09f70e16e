//! What administrators set for error tracking.

use kernel::error::{Error, Result};
use kernel::settings::Setting;
use serde::{Deserialize, Serialize};

const MIB: u64 = 1 << 20;

/// How much projects may send, and how long it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ErrorLimits {
    pub integrated: bool,
    pub per_five_minutes: i64,
    pub per_hour: i64,
    pub retention_days: i64,
    pub sent_mib: i64,
    pub decoded_mib: i64,
}

impl Default for ErrorLimits {
    // Quotas as a peer has them, sizes as the protocol says (docs/interface/monitoring.md 6.5).
    fn default() -> ErrorLimits {
        ErrorLimits {
            integrated: true,
            per_five_minutes: 1_000,
            per_hour: 5_000,
            retention_days: 90,
            sent_mib: 20,
            decoded_mib: 100,
        }
    }
}

impl Setting for ErrorLimits {
    const KEY: &'static str = "error_tracking";
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
