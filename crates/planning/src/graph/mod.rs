//! Issues, labels, notes and to-dos in GraphQL (docs/interface/graphql.md 9). The rules and the
//! visible sets are those of REST: what is hidden there
//! is null here.
//!
//! Rooms above give their own types notes and to-dos by [`noteable`] and
//! [`todoable`].

mod absent;
mod awards;
mod beside;
mod change;
mod enums;
mod issue;
mod labels;
mod lists;
mod milestones;
mod notes;
mod standing;
mod todos;
mod write;

pub use notes::noteable;
pub use todos::todoable;

use crate::entity::issues::web_path;
use crate::guarded::Writer;
use crate::model::{Issue, Milestone};
use crate::store::issues as rows;
use crate::store::notes::Note;
use identity::graph::{caller, viewer};
use kernel::app::App;
use kernel::error::Error;
use kernel::graph::context::Loader;
use kernel::graph::{Context, Fault, GlobalId, Graph, object};
use kernel::http::RequestContext;
use kernel::markup;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::collections::HashMap;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

/// Global IDs of issues.
pub const ISSUE_ID: GlobalId = GlobalId::new("IssueID", "Issue");
/// Global IDs of milestones.
pub const MILESTONE_ID: GlobalId = GlobalId::new("MilestoneID", "Milestone");
/// Global IDs of notes.
pub const NOTE_ID: GlobalId = GlobalId::new("NoteID", "Note");
/// Global IDs of to-dos.
pub const TODO_ID: GlobalId = GlobalId::new("TodoID", "Todo");

/// Registers the room's types and fields.
pub fn graph(g: &mut Graph) {
    for id in [ISSUE_ID, MILESTONE_ID, NOTE_ID, TODO_ID] {
        id.register(g);
    }
    absent::graph(g);
    enums::graph(g);
    labels::graph(g);
    milestones::graph(g);
    notes::graph(g);
    awards::graph(g);
    issue::graph(g);
    lists::graph(g);
    beside::graph(g);
    standing::graph(g);
    todos::graph(g);
    change::graph(g);
    write::graph(g);
    g.node::<Issues, _>(ISSUE_ID, object("Issue"));
}

/// An issue as the interface shows it.
pub struct IssueView {
    pub issue: Issue,
    web_url: String,
    web_path: String,
}

impl IssueView {
    /// An issue that the viewer may see.
    pub fn new(app: &App, issue: Issue) -> IssueView {
        let web_path = web_path(&issue);
        IssueView {
            web_url: app.url(&web_path),
            web_path,
            issue,
        }
    }
}

/// A milestone as the interface shows it.
pub struct MilestoneView {
    pub milestone: Milestone,
    web_path: String,
}

impl MilestoneView {
    fn new(milestone: Milestone) -> MilestoneView {
        let web_path = format!("/{}/-/milestones/{}", milestone.parent_path, milestone.iid);
        MilestoneView {
            milestone,
            web_path,
        }
    }
}

/// Issues by id: those the viewer may see.
pub struct Issues;

impl Loader for Issues {
    type Key = i64;
    type Value = Arc<IssueView>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<IssueView>>, Fault> {
        let (app, viewer) = caller(&context)?;
        let found = app.read(move |tx| rows::visible_by_ids(tx, &viewer, &ids));
        let found = found.await?.into_iter();
        Ok(found
            .map(|issue| (issue.id, Arc::new(IssueView::new(&app, issue))))
            .collect())
    }
}

/// Notes by id: those the viewer may see.
struct Notes;

impl Loader for Notes {
    type Key = i64;
    type Value = Arc<Note>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Note>>, Fault> {
        let (app, viewer) = caller(&context)?;
        let handle = app.clone();
        let found = app.read(move |tx| crate::notes::visible_by_ids(&handle, tx, &viewer, &ids));
        let found = found.await?.into_iter();
        Ok(found.map(|note| (note.id, Arc::new(note))).collect())
    }
}

/// A time or day of an argument, whose form its scalar has checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment<T>(T);

impl<'de, T: FromStr> Deserialize<'de> for Moment<T>
where
    T::Err: Display,
{
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map(Moment).map_err(D::Error::custom)
    }
}

/// Who changes something by this request.
pub fn writer(context: &Context) -> Result<Writer, Fault> {
    let asked = context.get::<Arc<RequestContext>>().cloned();
    let asked = asked.ok_or_else(|| Error::internal("no request in the context"))?;
    Ok(Writer::by_api(viewer(context), asked))
}

/// Markdown as HTML, off the workers that serve requests.
async fn html(texts: Vec<Option<String>>) -> Result<Vec<Option<String>>, Fault> {
    let render = move || {
        let one = |text: &Option<String>| text.as_deref().map(markup::render);
        texts.iter().map(one).collect()
    };
    let _turn = markup::turn().await?;
    let rendered = tokio::task::spawn_blocking(render).await;
    rendered.map_err(|error| Error::internal(error).into())
}
