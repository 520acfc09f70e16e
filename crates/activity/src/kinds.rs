//! The kinds of things that something is done to.

use identity::viewer::Viewer;
use packages::activity::PACKAGE;
use planning::activity::{MILESTONE, NOTE};
use planning::model::epics::EPIC;
use planning::store::notes::ISSUE;
use reviews::activity::MERGE_REQUEST_NOTE;
use reviews::commits::activity::COMMIT_NOTE;
use reviews::noteable::MERGE_REQUEST;
use snippets::activity::{SNIPPET, SNIPPET_NOTE};
use spaces::access::{Purpose, visible_projects};
use spaces::activity::{MEMBER, PROJECT, PUSH};
use spaces::search::Place;
use store::{Fragment, Tx};
use wikis::activity::WIKI_PAGE;

kernel::choices! {
    /// What lists are filtered by. Some things are not here, and nothing is done to
    /// them.
    pub enum TargetType {
        Epic = "epic",
        Issue = "issue",
        MergeRequest = "merge_request",
        Milestone = "milestone",
        Note = "note",
        Project = "project",
        Snippet = "snippet",
        User = "user",
        Wiki = "wiki",
        Design = "design",
        WorkItem = "work_item",
        Package = "package",
    }
}

impl TargetType {
    fn kinds(self) -> Vec<Kind> {
        Kind::all().filter(|kind| kind.filter() == Some(self)).collect()
    }
}

/// A kind of thing that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Project,
    Member,
    Issue,
    Note,
    Milestone,
    Epic,
    Package,
    WikiPage,
    Snippet,
    /// A comment on a snippet.
    SnippetNote,
    MergeRequest,
    /// A comment on a merge request.
    MergeRequestNote,
    /// A comment on a commit.
    CommitNote,
    /// Refs that were pushed.
    Push,
}

/// Each kind, as rows name it, and what lists call it, if they do.
const KINDS: &[(Kind, &str, Option<TargetType>)] = &[
    (Kind::Project, PROJECT, Some(TargetType::Project)),
    (Kind::Member, MEMBER, Some(TargetType::User)),
    (Kind::Issue, ISSUE, Some(TargetType::Issue)),
    (Kind::Note, NOTE, Some(TargetType::Note)),
    (Kind::Milestone, MILESTONE, Some(TargetType::Milestone)),
    (Kind::Epic, EPIC, Some(TargetType::Epic)),
    (Kind::Package, PACKAGE, Some(TargetType::Package)),
    (Kind::WikiPage, WIKI_PAGE, Some(TargetType::Wiki)),
    (Kind::Snippet, SNIPPET, Some(TargetType::Snippet)),
    (Kind::SnippetNote, SNIPPET_NOTE, Some(TargetType::Note)),
    (Kind::MergeRequest, MERGE_REQUEST, Some(TargetType::MergeRequest)),
    (Kind::MergeRequestNote, MERGE_REQUEST_NOTE, Some(TargetType::Note)),
    (Kind::CommitNote, COMMIT_NOTE, Some(TargetType::Note)),
    (Kind::Push, PUSH, None),
];

impl Kind {
    /// Whether it is a comment.
    pub fn is_note(self) -> bool {
        matches!(self, Kind::Note | Kind::SnippetNote | Kind::MergeRequestNote | Kind::CommitNote)
    }

    pub fn all() -> impl Iterator<Item = Kind> {
        KINDS.iter().map(|(kind, ..)| *kind)
    }

    fn row(self) -> (&'static str, Option<TargetType>) {
        let row = KINDS.iter().find(|(kind, ..)| *kind == self);
        row.map(|(_, stored, of)| (*stored, *of)).expect("each kind has its row")
    }

    /// As rows name it.
    pub fn stored(self) -> &'static str {
        self.row().0
    }

    pub fn from_stored(text: &str) -> Option<Kind> {
        Kind::all().find(|kind| kind.stored() == text)
    }

    fn filter(self) -> Option<TargetType> {
        self.row().1
    }

    /// Whether lists have it without being asked: clients that know the interface
    /// know no packages in it, and ask for epics by name.
    fn is_usual(self) -> bool {
        !matches!(self, Kind::Epic | Kind::Package)
    }

    /// Condition on `activity_events` joined with `projects`, of a project or group
    /// that the viewer sees: they see what it was done to.
    fn seen(self, tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Fragment {
        match self {
            Kind::Project | Kind::Member => Fragment::new("1 = 1"),
            Kind::Issue => planning::activity::of_issues(tx, viewer, place),
            Kind::Note => planning::activity::of_notes(tx, viewer, place),
            Kind::Milestone => planning::activity::of_milestones(tx, viewer),
            Kind::Epic => planning::activity::of_epics(tx, viewer),
            Kind::Push => visible_projects(tx, viewer, Purpose::DownloadCode),
            Kind::Package => packages::activity::of_packages(tx, viewer, place),
            Kind::WikiPage => wikis::activity::of_pages(tx, viewer),
            Kind::Snippet => snippets::activity::of_snippets(tx, viewer),
            Kind::SnippetNote => snippets::activity::of_notes(tx, viewer),
            Kind::MergeRequest => reviews::activity::of_requests(tx, viewer),
            Kind::MergeRequestNote => reviews::activity::of_notes(tx, viewer),
            Kind::CommitNote => reviews::commits::activity::of_notes(tx, viewer),
        }
    }
}

/// Condition on events of projects whose issues and notes the viewer sees all of, none
/// of which has to be looked at: what is gone has no events. None where only a type is
/// asked for that is looked at.
pub fn whole(only: Option<TargetType>) -> Option<Fragment> {
    let kinds = [Kind::Project, Kind::Member, Kind::Issue, Kind::Note, Kind::Milestone];
    let asked = kinds
        .into_iter()
        .filter(|kind| only.is_none_or(|only| kind.filter() == Some(only)));
    let names: Vec<String> = asked.map(|kind| kind.stored().to_owned()).collect();
    let mut whole = Fragment::default();
    whole.in_list("activity_events.target_type", &names);
    (!names.is_empty()).then_some(whole)
}

/// Condition on events joined with `projects`: pushes, pages of wikis, snippets, merge
/// requests and comments on commits, where the viewer may read the code, the wiki and the
/// snippets. None where another type is asked for.
pub fn readable(
    tx: &Tx<'_>, viewer: &Viewer, place: &Place, only: Option<TargetType>,
) -> Option<Fragment> {
    let asked = |kind: &Kind| only.is_none_or(|only| kind.filter() == Some(only));
    let kinds = [
        Kind::Push,
        Kind::WikiPage,
        Kind::Snippet,
        Kind::SnippetNote,
        Kind::MergeRequest,
        Kind::MergeRequestNote,
        Kind::CommitNote,
    ];
    let kinds: Vec<Kind> = kinds.into_iter().filter(asked).collect();
    (!kinds.is_empty()).then(|| one_of(tx, viewer, place, kinds))
}

/// Condition on the same: the viewer sees what it was done to, which is of this type
/// if one is told.
pub fn seen(tx: &Tx<'_>, viewer: &Viewer, place: &Place, only: Option<TargetType>) -> Fragment {
    let kinds: Vec<Kind> = match only {
        Some(only) => only.kinds(),
        None => Kind::all().filter(|kind| kind.is_usual()).collect(),
    };
    one_of(tx, viewer, place, kinds)
}

/// Condition on the same: it is of one of these kinds, and the viewer sees what it was
/// done to.
fn one_of(tx: &Tx<'_>, viewer: &Viewer, place: &Place, kinds: Vec<Kind>) -> Fragment {
    let mut seen = Fragment::new("(1 = 0");
    for kind in kinds {
        seen.push(" or (activity_events.target_type = ", kind.stored())
            .raw(" and ")
            .append(kind.seen(tx, viewer, place))
            .raw(")");
    }
    seen.raw(")");
    seen
}
