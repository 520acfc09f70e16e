//! Merge requests as rows of lists.

use crate::approvals::store::given;
use crate::entity::{Base, Glance, Related};
use crate::model::{MergeRequest, State};
use crate::store::facts;
use ::store::Tx;
use askama::Template;
use askama::filters::HtmlSafe;
use code::hooks::Look;
use code::visible::visible;
use delivery::pipelines::look;
use delivery::pipelines::model::Pipeline;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::Moment;
use kernel::html::ui::{self, StateDot, state_dot};
use planning::pages::notes::Person;
use spaces::pages::Space;
use std::borrow::Cow;

/// A merge request as a row.
#[derive(Debug)]
pub struct RequestRow {
    pub request: MergeRequest,
    pub glance: Glance,
    /// `!5`, in groups with the project's path.
    pub reference: String,
    /// The list that its labels and people lead to.
    pub list: String,
    pub author: Person,
    pub created_at: Moment,
    pub updated_at: Moment,
    /// When it was merged or closed, if it was.
    pub ended_at: Option<Moment>,
    pub pipeline: Option<StateDot>,
    /// How many approved it.
    pub approvals: u64,
    /// Threads that are not resolved.
    pub open_threads: u64,
}

impl RequestRow {
    /// Its state in a word.
    pub fn state(&self) -> &'static str {
        match self.request.state {
            State::Opened => "Open",
            State::Locked => "Merging",
            State::Merged => "Merged",
            State::Closed => "Closed",
        }
    }

    /// The picture of its state.
    pub fn picture(&self) -> &'static str {
        match self.request.state {
            State::Opened => "merge",
            State::Locked => "clock",
            State::Merged => "check",
            State::Closed => "stop",
        }
    }

    /// What happened to it last, and when.
    pub fn last(&self) -> (&'static str, &Moment) {
        match (&self.ended_at, self.request.state) {
            (Some(at), State::Merged) => ("merged", at),
            (Some(at), _) => ("closed", at),
            (None, _) => ("updated", &self.updated_at),
        }
    }

    /// Its branches, as they are read.
    pub fn source(&self) -> Cow<'_, str> {
        visible(&self.request.source_branch)
    }

    pub fn target(&self) -> Cow<'_, str> {
        visible(&self.request.target_branch)
    }

    /// Somebody approved it, and nobody has to any more.
    pub fn is_approved(&self) -> bool {
        self.approvals > 0 && self.glance.has_approvals
    }
}

/// Rows of merge requests, on pages of other rooms.
#[derive(Debug, Template)]
#[template(path = "merge_request/row_list.html")]
pub struct RequestRows {
    pub rows: Vec<RequestRow>,
}

impl HtmlSafe for RequestRows {}

/// Merge requests as rows of the list of a project or group, or of any place, in a fixed
/// number of statements.
pub fn read_rows(
    tx: &mut Tx<'_>, viewer: &Viewer, requests: Vec<MergeRequest>, space: Option<&Space>,
) -> Result<Vec<RequestRow>> {
    if requests.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = requests.iter().map(|request| request.id).collect();
    let known = match space {
        Some(Space::Project(project, _)) => Some(project),
        _ => None,
    };
    let around = Related::read_in(tx, viewer, Base::Project, known, &requests)?;
    let approvals = given::of(tx, &ids)?;
    let threads = facts::open_threads_of(tx, &ids)?;
    let now = tx.now();
    let row = |request: MergeRequest| {
        let glance = around.glance(&request);
        RequestRow {
            reference: match space {
                Some(Space::Project(..)) => request.reference(),
                _ => format!("{}{}", request.project_path, request.reference()),
            },
            list: match space {
                Some(space) => format!("{}/-/merge_requests", space.url()),
                None => format!("/{}/-/merge_requests", request.project_path),
            },
            author: Person::of(glance.author.as_ref()),
            created_at: Moment::new(request.created_at, now),
            updated_at: Moment::new(request.updated_at, now),
            ended_at: match request.state {
                State::Merged => Moment::maybe(request.merged_at, now),
                State::Closed => Moment::maybe(request.closed_at, now),
                State::Opened | State::Locked => None,
            },
            pipeline: glance.pipeline.as_ref().map(dot),
            approvals: approvals.get(&request.id).map_or(0, |given| given.len() as u64),
            open_threads: threads.get(&request.id).map_or(0, |count| count.unsigned_abs()),
            glance,
            request,
        }
    };
    Ok(requests.into_iter().map(row).collect())
}

/// How far a pipeline is, leading to it.
fn dot((pipeline, project): &(Pipeline, String)) -> StateDot {
    let Look { text, group, picture } = look(pipeline.status);
    let url = format!("/{project}/-/pipelines/{}", pipeline.id);
    state_dot(format!("Pipeline: {text}"), group, picture, url)
}
