//! What the page of a merge request shows: plain view models of its templates.

use super::approvals::Approvals;
use super::fields::Fields;
use super::merge_box::MergeBox;
use super::review::Review;
use crate::pages::frame::Frame;
use askama::Template;
use code::pages::parts::commit_rows::CommitRows;
use delivery::pipelines::pages::rows::PipelineRows;
use kernel::html::ui;
use kernel::html::{Errors, Page, Pages};
use planning::pages::reactions::Reactions;
use planning::pages::talk::TalkView;

/// `…/-/merge_requests/<number>`.
#[derive(Template)]
#[template(path = "merge_request/show.html")]
pub struct Request {
    pub page: Page,
    pub frame: Frame,
    pub url: String,
    /// The list that its labels lead to.
    pub list: String,
    /// As safe HTML, or empty.
    pub description: String,
    pub reactions: Reactions,
    pub merge_box: MergeBox,
    pub approvals: Approvals,
    pub review: Option<Review>,
    pub talk: TalkView,
    pub side: Fields,
    pub is_signed_in: bool,
    pub is_locked: bool,
    pub is_draft: bool,
    /// It may be made a draft, or ready.
    pub may_edit: bool,
    /// One discussion or note is shown alone.
    pub is_part: bool,
    pub errors: Errors,
}

/// `…/commits`.
#[derive(Template)]
#[template(path = "merge_request/commits.html")]
pub struct Commits {
    pub page: Page,
    pub frame: Frame,
    pub rows: CommitRows,
    /// There are more than are listed, this many in all.
    pub all: Option<i64>,
}

/// `…/pipelines`.
#[derive(Template)]
#[template(path = "merge_request/pipelines.html")]
pub struct Pipelines {
    pub page: Page,
    pub frame: Frame,
    /// The viewer may run one.
    pub may_run: bool,
    pub rows: PipelineRows,
    pub pages: Pages,
}
