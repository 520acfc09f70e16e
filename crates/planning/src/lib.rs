//! Planning: labels, milestones, issues, epics, and the notes about them.
//!
//! Tables (migration 0030): `internal_ids`, `labels`, `label_priorities`,
//! `milestones`, `subscriptions`, `issues`, `issue_assignees`, `issue_labels`,
//! `issue_events`, `issue_links`, `notes`, `award_emoji`, `todos`; of epics
//! (0065) `epics`, `epic_issues`, `epic_labels`, `epic_events`, `epic_links`; of
//! boards (0066) `boards`, `board_lists`; of
//! notifications (0063, 0064) `notification_settings`, `notification_counts`,
//! `notification_days`, `sent_notifications`, `digest_news`.
//! Jobs: `planning.notify`, `planning.tell`, `planning.tell_due`,
//! `planning.tell_moved`, `planning.tell_moved_to`, `planning.send_digest`.
//! Hooks: [`hooks::CONTENTS`], [`hooks::project_destroying`],
//! [`hooks::group_destroying`], [`hooks::project_moved`],
//! [`hooks::hand_over`], [`hooks::open_issues`], [`hooks::references`]; rooms above follow issues
//! by [`hooks::Hooks`], plug in what else has notes and to-dos by
//! [`targets::TargetKinds`], and say of merge requests what is asked here by
//! [`requests::Requests`].
//!
//! Start with [`access`], which says who sees and does what, and [`rules`];
//! rooms above make and close issues, write system notes and remind people
//! inside their own transactions by [`issues`], [`notes`] and
//! [`todos`].

pub mod access;
pub mod activity;
pub mod entity;
pub mod formats;
pub mod graph;
pub mod guarded;
pub mod hooks;
mod jobs;
pub mod mail;
pub mod model;
pub mod notifications;
pub mod pages;
pub mod requests;
mod rest;
pub mod rules;
pub mod search;
pub mod store;
mod suggest;
pub mod targets;
pub mod tasks;
pub mod transfer;

pub use jobs::jobs;
pub use rest::{
    Eventful, Measured, Named, Noted, RequestAbout, Subscribes, Wish, begin_thread,
    discussion_routes, event_routes, mark_todo, talk_routes, time_routes,
};
pub use rules::{issues, notes, todos};
pub use store::notes::Noteable;

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
    suggest::routes(r);
}
