//! What runs elsewhere and fails: errors that SDKs report, grouped, and alerts
//! that monitoring tools send.
//!
//! Each area has a folder of its own with the same files as a room; what they
//! share stands here. [`errors`] receives events, groups and counts them, and
//! shows them; start with [`errors::ingest`]. [`alerts`] receives alerts,
//! groups them and makes incidents; start with [`alerts::receive`].
//! [`on_call`] knows who is on call, and pages them.
//!
//! Tables (migration 0040): `error_tracking_settings`,
//! `error_tracking_client_keys`, `error_tracking_errors`,
//! `error_tracking_events`, `error_tracking_hours`, `error_tracking_users`,
//! `error_tracking_quotas`, `error_tracking_drops`; (migration 0041)
//! `error_tracking_issues`; (migration 0043) `error_tracking_counts`;
//! (migration 0042)
//! `alert_integrations`, `alerts`, `alert_settings`, `alert_windows`,
//! `alert_deliveries`, `alert_metric_images`; (migration 0044) `alert_hours`;
//! (migration 0046)
//! `on_call_schedules`, `on_call_rotations`, `on_call_participants`,
//! `escalation_policies`, `escalation_rules`, `escalations`,
//! `escalation_pages`.
//! Jobs: `monitoring.forget_events`, `monitoring.raise_incident`,
//! `monitoring.close_incident`, `monitoring.tell_owners`,
//! `monitoring.tell_owner`, `monitoring.watch_alerts`,
//! `monitoring.forget_alerts`, `monitoring.escalate`,
//! `monitoring.tell_on_call`. Settings: `error_tracking`, `alerts`.
//! Hooks: [`errors::jobs::CONTENTS`], [`errors::limits::PART`],
//! [`alerts::jobs::CONTENTS`], [`alerts::limits::PART`],
//! [`alerts::rules::incidents::issue_closed`], [`alerts::graph::named`],
//! [`alerts::graph::KIND`], [`on_call::user_destroying`].

pub mod access;
pub mod alerts;
pub mod errors;
mod hours;
mod mail;
pub mod on_call;
mod rows;
pub mod search;
pub mod tasks;

use kernel::http::Routes;

pub fn routes(r: &mut Routes) {
    errors::routes(r);
    alerts::routes(r);
    on_call::routes(r);
}

pub fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    errors::jobs::register(registry);
    alerts::jobs::register(registry);
    on_call::jobs::register(registry);
}

pub fn graph(g: &mut kernel::graph::Graph) {
    errors::graph::graph(g);
    alerts::graph::graph(g);
    on_call::graph::graph(g);
}
