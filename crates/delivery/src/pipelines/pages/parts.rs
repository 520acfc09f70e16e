//! What pages of pipelines and jobs are made of beside the parts of all pages.

use crate::formats::log::clock;
use crate::pipelines::entity::{DetailedStatus, between};
use crate::pipelines::model::Pipeline;
use crate::pipelines::status::{Mode, Status, Tally};
use crate::pipelines::store::lists::StageCount;
use askama::Template;
use askama::filters::HtmlSafe;
use code::hooks::Look;
use identity::User;
use jiff::Timestamp;
use kernel::html::ui::{self, Icon, StateDot, icon, state_dot};
use std::collections::BTreeMap;

/// How far something is.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/ci_status.html")]
pub struct StatusMark {
    text: String,
    group: String,
    icon: Icon,
    url: Option<String>,
}

impl HtmlSafe for StatusMark {}

/// The picture of a status.
pub fn picture(status: Status) -> &'static str {
    match status {
        Status::Success => "check",
        Status::Failed => "close",
        Status::Running | Status::Canceling => "redo",
        Status::Canceled => "stop",
        Status::Skipped => "right",
        Status::Manual => "gear",
        Status::Scheduled => "calendar",
        Status::Created => "more",
        Status::Pending | Status::Preparing | Status::WaitingForResource => "clock",
    }
}

impl StatusMark {
    pub fn of(status: Status) -> StatusMark {
        let words = DetailedStatus::of(status, String::new());
        StatusMark {
            text: words.text,
            group: words.group,
            icon: icon(picture(status)),
            url: None,
        }
    }

    /// Leads to what it is the status of.
    pub fn at(self, url: impl Into<String>) -> StatusMark {
        StatusMark { url: Some(url.into()), ..self }
    }
}

/// How a status is shown beside commits.
pub fn look(status: Status) -> Look {
    let words = DetailedStatus::of(status, String::new());
    Look {
        text: words.label,
        group: words.group,
        picture: picture(status),
    }
}

/// The stages of a pipeline in one line.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "ui/ci_stages.html")]
pub struct StageDots {
    dots: Vec<StateDot>,
}

impl HtmlSafe for StageDots {}

impl StageDots {
    /// Those of each pipeline, out of the counts of all.
    pub fn of(counts: Vec<StageCount>, url: impl Fn(i64) -> String) -> BTreeMap<i64, StageDots> {
        let mut stages: BTreeMap<(i64, i64), (String, Tally)> = BTreeMap::new();
        for one in counts {
            let stage = stages
                .entry((one.pipeline_id, one.stage_index))
                .or_insert_with(|| (one.stage.clone(), Tally::default()));
            (0..one.count).for_each(|_| stage.1.add(one.status, one.allow_failure));
        }
        let mut found: BTreeMap<i64, StageDots> = BTreeMap::new();
        for ((pipeline, _), (name, tally)) in stages {
            let status = tally.status(Mode::Stages);
            let Look { text, group, picture } = look(status);
            let dot = state_dot(format!("{name}: {text}"), group, picture, url(pipeline));
            found.entry(pipeline).or_default().dots.push(dot);
        }
        found
    }
}

/// Seconds that a pipeline took or takes.
pub fn took(pipeline: &Pipeline, now: Timestamp) -> Option<String> {
    let running = || {
        let goes_on = pipeline.finished_at.is_none();
        between(pipeline.started_at, goes_on.then_some(now)).map(|seconds| seconds as i64)
    };
    pipeline.duration.or_else(running).map(|seconds| clock(seconds.unsigned_abs()))
}

/// Who began something.
pub fn who(user: &User) -> ui::PersonLink {
    ui::person(&user.name, format!("/{}", user.username))
}

/// The first digits of the name of a commit.
pub fn short(sha: &str) -> &str {
    sha.get(..8).unwrap_or(sha)
}
