//! Merge requests: a branch is to be merged into another one, people review and approve
//! it, and it is merged.
//!
//! Start with [`access`], which says who sees and does what, and [`rules`]; [`versions`]
//! of what differs are made by [`rules::versions`] out of what [`diffs`] finds, whether
//! one can be merged is asked of [`merging`], and who has to agree of [`approvals`]. What
//! people say of commits, which need no merge request for that, is in [`commits`]. Those that
//! come from elsewhere or go there do so by [`transfer`].
//!
//! [`versions`]: rules::versions
//!
//! Tables: `merge_requests`, `merge_request_assignees`, `merge_request_reviewers`,
//! `merge_request_labels`, `merge_request_versions`, `merge_request_commits`,
//! `merge_request_closing_issues`, `merge_request_blocks`, `merge_request_events`,
//! `merge_request_settings` (migration 0111), `approval_rules`, `approval_rule_users`,
//! `approval_rule_groups`, `approval_rule_branches`, `approval_rule_approvers`,
//! `merge_request_approvals`, `merge_request_committers`, `approval_settings`
//! (migration 0112), `review_threads`, `draft_notes` (migration 0113),
//! `merge_request_viewed_files` (migration 0114), `merge_request_context_commits`
//! (migration 0116), `suggestions`, `suggestion_commits` (migration 0117),
//! `discussed_commits`, `commit_threads` (migration 0119).
//! Jobs: `reviews.make_version`, `reviews.check`, `reviews.follow_source`,
//! `reviews.follow_target`, `reviews.follow_threads`, `reviews.begin_pipeline`,
//! `reviews.auto_merge`, `reviews.rebase`, `reviews.remove_source`, `reviews.sweep`,
//! `reviews.create_of_issue`.
//! Settings: [`diffs::PART`]. Hooks: [`hooks::pushed`], [`hooks::answer`],
//! [`hooks::opened`], [`hooks::of_banned`], [`hooks::of_pipelines`], [`hooks::CONTENTS`],
//! [`hooks::MERGE_SETTINGS`], [`hooks::panels`], [`hooks::REQUESTS`],
//! [`hooks::labels_replaced`], [`hooks::milestones_replaced`], [`hooks::made_by`],
//! [`hooks::project_destroying`], [`hooks::hand_over`], [`talk::KIND`], [`hooks::COMMITS`],
//! [`commits::talk::KIND`], [`commits::pages::below`].

pub mod access;
pub mod activity;
pub mod approvals;
pub mod commits;
pub mod conflicts;
pub mod diffs;
pub mod entity;
pub mod graph;
pub mod hooks;
pub mod hostile;
mod jobs;
pub mod merging;
pub mod model;
pub mod noteable;
mod pages;
mod place;
pub mod positions;
mod rest;
pub mod rules;
pub mod search;
pub mod store;
pub mod suggestions;
pub mod talk;
pub mod tasks;
pub mod threads;
pub mod transfer;

pub use jobs::jobs;

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    approvals::routes(r);
    diffs::routes(r);
    threads::routes(r);
    suggestions::routes(r);
    commits::routes(r);
    pages::routes(r);
}
