//! What somebody did as JSON, with what it was done to.

use crate::kinds::Kind;
use crate::list::Event;
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use kernel::app::App;
use kernel::error::Result;
use kernel::time::wire;
use planning::entity::notes::{NoteEntity, note as entity_of_note};
use planning::model::epics::Epic;
use planning::model::{Issue, Milestone};
use planning::store::epics as epic_rows;
use planning::store::issues as issue_rows;
use planning::store::milestones;
use planning::store::notes::{self as note_rows, COMMIT, ISSUE, Note};
use reviews::commits::model::DiscussedCommit;
use reviews::model::MergeRequest;
use reviews::noteable::MERGE_REQUEST;
use schemars::JsonSchema;
use serde::Serialize;
use snippets::activity::SNIPPET;
use snippets::model::Snippet;
use spaces::activity::{Action, PushAction, PushData};
use std::collections::HashMap;
use store::{Fragment, Json, Tx};
use wikis::store::PageRow;

/// Something that somebody did.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ActivityEventEntity")]
pub struct EventEntity {
    pub id: i64,
    /// Nothing.
    pub title: Option<String>,
    pub project_id: Option<i64>,
    /// What was done, as people say it.
    pub action_name: String,
    pub target_id: Option<i64>,
    pub target_iid: Option<i64>,
    /// `Issue`, `Note`, `DiscussionNote`, `Milestone`; nothing of projects and members.
    pub target_type: Option<String>,
    pub author_id: i64,
    pub target_title: Option<String>,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Box<NoteEntity>>,
    pub author: Option<UserBasic>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wiki_page: Option<WikiPageEntity>,
    pub imported: bool,
    pub imported_from: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_data: Option<PushData>,
    pub author_username: Option<String>,
    /// Nothing.
    pub data: Option<String>,
}

/// The page of a wiki that an event is about, if it is there still.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WikiPageEntity {
    pub format: String,
    pub slug: String,
    pub title: String,
}

impl From<&PageRow> for WikiPageEntity {
    fn from(row: &PageRow) -> WikiPageEntity {
        WikiPageEntity {
            format: row.format.clone(),
            slug: row.slug.clone(),
            title: row.title(),
        }
    }
}

/// What was done, as people say it (docs/interface/collaboration.md 4).
pub fn action_name(action: Action, kind: Kind, push: Option<PushAction>) -> &'static str {
    match (action, kind) {
        (_, Kind::Push) => match push {
            Some(PushAction::Created) => "pushed new",
            Some(PushAction::Removed) => "deleted",
            _ => "pushed",
        },
        (Action::Created, Kind::Project | Kind::WikiPage) => "created",
        (Action::Updated, Kind::WikiPage) => "updated",
        (Action::Created | Action::Updated | Action::Reopened, _) => "opened",
        (Action::Closed, _) => "closed",
        (Action::Pushed, _) => "pushed",
        (Action::Commented, _) => "commented on",
        (Action::Merged, _) => "accepted",
        (Action::Joined, _) => "joined",
        (Action::Left, _) => "left",
        (Action::Destroyed, _) => "destroyed",
        (Action::Expired, _) => "removed due to membership expiration from",
        (Action::Approved, _) => "approved",
    }
}

/// What a page of events is about.
#[derive(Default)]
pub struct Targets {
    pub issues: HashMap<i64, Issue>,
    pub notes: HashMap<i64, Note>,
    pub milestones: HashMap<i64, Milestone>,
    pub epics: HashMap<i64, Epic>,
    pub wiki_pages: HashMap<i64, PageRow>,
    pub snippets: HashMap<i64, Snippet>,
    pub merge_requests: HashMap<i64, MergeRequest>,
    pub commits: HashMap<i64, DiscussedCommit>,
    pub users: HashMap<i64, User>,
}

impl Targets {
    /// Reads them in as many statements for any number of events. Who sees the
    /// events sees what they are about.
    pub fn read(tx: &mut Tx<'_>, events: &[Event]) -> Result<Targets> {
        let ids = |kind: Kind| -> Vec<i64> {
            let of_kind = events.iter().filter(|event| event.target_type == kind.stored());
            of_kind.filter_map(|event| event.target_id).collect()
        };
        let mut of_notes = Fragment::default();
        let kinds = Kind::all().filter(|kind| kind.is_note());
        of_notes.in_list("notes.id", kinds.flat_map(&ids).collect::<Vec<i64>>());
        let notes = note_rows::select(tx, of_notes)?;
        let mut wanted = ids(Kind::Issue);
        let about = |kinds: &[&str]| -> Vec<i64> {
            let of_kind = notes.iter().filter(|note| kinds.contains(&note.noteable_type.as_str()));
            of_kind.map(|note| note.noteable_id).collect()
        };
        wanted.extend(about(&[ISSUE]));
        let of_snippets = [ids(Kind::Snippet), about(&[SNIPPET])].concat();
        let of_requests = [ids(Kind::MergeRequest), about(&[MERGE_REQUEST])].concat();
        let of_commits = about(&[COMMIT]);
        let mut of_issues = Fragment::default();
        of_issues.in_list("issues.id", wanted);
        let issues = issue_rows::of_condition(tx, of_issues)?;
        let mut of_epics = Fragment::default();
        of_epics.in_list("epics.id", ids(Kind::Epic));
        let epics = epic_rows::of_condition(tx, of_epics)?;
        let authors: Vec<i64> = events.iter().map(|event| event.author_id).collect();
        Ok(Targets {
            issues: issues.into_iter().map(|issue| (issue.id, issue)).collect(),
            notes: notes.into_iter().map(|note| (note.id, note)).collect(),
            milestones: milestones::by_ids(tx, &ids(Kind::Milestone))?,
            epics: epics.into_iter().map(|epic| (epic.id, epic)).collect(),
            snippets: snippets::activity::by_ids(tx, &of_snippets)?,
            merge_requests: reviews::activity::by_ids(tx, &of_requests)?,
            commits: reviews::commits::activity::by_ids(tx, &of_commits)?,
            wiki_pages: wikis::store::by_ids(tx, &ids(Kind::WikiPage))?,
            users: load_basic(tx, &authors)?,
        })
    }

    /// What an event is about, of things of one kind.
    fn about<'t, T>(event: &Event, kind: Kind, things: &'t HashMap<i64, T>) -> Option<&'t T> {
        things.get(&event.target_id.filter(|_| event.target_type == kind.stored())?)
    }

    /// The same, where an event may be about a comment on it, too.
    fn about_or_said<'t, T>(
        &self, event: &Event, (kind, comment): (Kind, Kind), things: &'t HashMap<i64, T>,
    ) -> Option<&'t T> {
        let said = || things.get(&Targets::about(event, comment, &self.notes)?.noteable_id);
        Targets::about(event, kind, things).or_else(said)
    }

    /// The issue that an event is about, or its comment.
    pub fn issue(&self, event: &Event) -> Option<&Issue> {
        self.about_or_said(event, (Kind::Issue, Kind::Note), &self.issues)
    }

    pub fn note(&self, event: &Event) -> Option<&Note> {
        let is_note = Kind::from_stored(&event.target_type).is_some_and(Kind::is_note);
        self.notes.get(&event.target_id.filter(|_| is_note)?)
    }

    pub fn milestone(&self, event: &Event) -> Option<&Milestone> {
        Targets::about(event, Kind::Milestone, &self.milestones)
    }

    pub fn epic(&self, event: &Event) -> Option<&Epic> {
        Targets::about(event, Kind::Epic, &self.epics)
    }

    /// The page that an event is about, if it is there still.
    pub fn wiki_page(&self, event: &Event) -> Option<&PageRow> {
        Targets::about(event, Kind::WikiPage, &self.wiki_pages)
    }

    /// The snippet that an event is about, or its comment.
    pub fn snippet(&self, event: &Event) -> Option<&Snippet> {
        self.about_or_said(event, (Kind::Snippet, Kind::SnippetNote), &self.snippets)
    }

    /// The merge request that an event is about, or its comment.
    pub fn merge_request(&self, event: &Event) -> Option<&MergeRequest> {
        let kinds = (Kind::MergeRequest, Kind::MergeRequestNote);
        self.about_or_said(event, kinds, &self.merge_requests)
    }

    /// The commit that an event is a comment on.
    pub fn commit(&self, event: &Event) -> Option<&DiscussedCommit> {
        let note = Targets::about(event, Kind::CommitNote, &self.notes)?;
        self.commits.get(&note.noteable_id)
    }

    /// What the target is called.
    pub fn title(&self, event: &Event) -> Option<String> {
        let issue = self.issue(event).map(|issue| issue.title.clone());
        let milestone = || self.milestone(event).map(|milestone| milestone.title.clone());
        let epic = || self.epic(event).map(|epic| epic.title.clone());
        let snippet = || self.snippet(event).map(|snippet| snippet.title.clone());
        let request = || self.merge_request(event).map(|request| request.title.clone());
        let commit = || self.commit(event).map(|commit| commit.title.clone());
        let named = issue.or_else(milestone).or_else(epic).or_else(snippet).or_else(request);
        named.or_else(commit).or_else(|| event.target_title.clone())
    }

    pub fn entity(&self, app: &App, event: &Event) -> EventEntity {
        let kind = Kind::from_stored(&event.target_type).unwrap_or(Kind::Project);
        let author = self.users.get(&event.author_id);
        let of_request = || self.merge_request(event).map(|request| request.iid);
        let iid = self.issue(event).map(|issue| issue.iid).or_else(of_request);
        let is_there =
            iid.is_some() || self.snippet(event).is_some() || self.commit(event).is_some();
        let note = self.note(event).filter(|_| is_there);
        let note = note.map(|row| entity_of_note(app, row, iid, &self.users, Default::default()));
        let is_thing = !matches!(kind, Kind::Project | Kind::Member | Kind::Push);
        let push_data = event.push_data.clone().map(|Json(push)| push);
        let pushed = push_data.as_ref().map(|push| push.action);
        let target_id = event.target_id.filter(|_| is_thing);
        EventEntity {
            id: event.id,
            title: None,
            project_id: event.project_id,
            action_name: action_name(event.action, kind, pushed).to_owned(),
            target_id,
            target_iid: self.iid(event, kind).or(target_id),
            target_type: is_thing.then(|| self.type_name(event, kind)),
            author_id: event.author_id,
            target_title: self.title(event).filter(|_| is_thing),
            created_at: wire::text(event.created_at),
            note: note.map(Box::new),
            author: author.map(|user| basic(app, user)),
            wiki_page: self.wiki_page(event).map(Into::into),
            imported: false,
            imported_from: "none".to_owned(),
            push_data,
            author_username: author.map(|user| user.username.clone()),
            data: None,
        }
    }

    fn iid(&self, event: &Event, kind: Kind) -> Option<i64> {
        match kind {
            Kind::Issue => self.issue(event).map(|issue| issue.iid),
            Kind::Milestone => self.milestone(event).map(|milestone| milestone.iid),
            Kind::Epic => self.epic(event).map(|epic| epic.iid),
            Kind::MergeRequest => self.merge_request(event).map(|request| request.iid),
            _ => None,
        }
    }

    fn type_name(&self, event: &Event, kind: Kind) -> String {
        let in_thread = self.note(event).is_some_and(|note| note.in_thread);
        match in_thread {
            true => "DiscussionNote".to_owned(),
            false if kind.is_note() => Kind::Note.stored().to_owned(),
            false => kind.stored().to_owned(),
        }
    }
}
