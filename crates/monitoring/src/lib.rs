//! What runs elsewhere and fails: errors that SDKs report, grouped.
//!
//! Each area has a folder of its own with the same files as a room; what they
//! share stands here. [`errors`] receives events, groups and counts them, and
//! shows them; start with [`errors::ingest`].
//!
//! Tables (migration 0040): `error_tracking_settings`,
//! `error_tracking_client_keys`, `error_tracking_errors`,
//! `error_tracking_events`, `error_tracking_hours`, `error_tracking_users`,
//! `error_tracking_quotas`, `error_tracking_drops`.
//! Jobs: `monitoring.forget_events`. Settings: `error_tracking`.
//! Hooks: [`errors::jobs::CONTENTS`], [`errors::limits::PART`].

pub mod errors;

use kernel::http::Routes;

/// The room's routes.
pub fn routes(r: &mut Routes) {
    errors::routes(r);
}

/// The room's jobs.
pub fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    errors::jobs::register(registry);
}

/// The room's types and fields in GraphQL.
pub fn graph(g: &mut kernel::graph::Graph) {
    errors::graph::graph(g);
}
