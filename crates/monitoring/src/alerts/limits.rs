//! What administrators set for alerts.

use kernel::error::{Error, Result};

kernel::setting! {
    /// How much projects may receive, what they may set, and how long it is kept:
    /// what each means stands at its name in the settings, below.
    /// Nothing is forgotten unless somebody says so.
    #[derive(PartialEq, Eq)]
    pub struct AlertLimits = "alerts" {
        pub multiple: bool = true,
        pub fingerprints: bool = true,
        pub limited: bool = false,
        pub requests: i64 = 3_600,
        pub period_seconds: i64 = 3_600,
        pub stale_hours: i64 = 0,
        pub retention_days: i64 = 0,
    }
}

identity::settings_part! {
    AlertLimits {
        /// Projects may have several alert integrations of a kind, and map the fields of payloads.
        multiple_alert_integrations_enabled: bool => multiple,
        /// Alerts without a fingerprint of their own are told apart by their payload.
        generic_alert_fingerprinting_enabled: bool => fingerprints,
        /// Requests with alerts are limited.
        project_alerts_rate_limit_enabled: bool => limited,
        /// Requests with alerts that a project may receive in a period.
        project_alerts_requests_per_period: i64 => requests,
        /// Length of that period, in seconds.
        project_alerts_period_seconds: i64 => period_seconds,
        /// Hours after which an alert that is sent no more is resolved; 0 for never.
        alerts_stale_hours: i64 => stale_hours,
        /// Days a resolved alert is kept; 0 for ever.
        alerts_retention_days: i64 => retention_days,
    } sealed {}
}

impl AlertLimits {
    fn validate(&self) -> Result<()> {
        for (key, value, least, most) in [
            ("project_alerts_requests_per_period", self.requests, 1, 10_000_000),
            ("project_alerts_period_seconds", self.period_seconds, 1, 86_400),
            ("alerts_stale_hours", self.stale_hours, 0, 87_600),
            ("alerts_retention_days", self.retention_days, 0, 3_650),
        ] {
            if !(least..=most).contains(&value) {
                return Err(Error::invalid(key, format!("must be between {least} and {most}")));
            }
        }
        Ok(())
    }
}
