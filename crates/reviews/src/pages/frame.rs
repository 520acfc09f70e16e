//! What every page of one merge request begins with: its title, state and branches, and the
//! way to its other pages. Templates include `merge_request/frame.html`, which shows the
//! field `frame` of theirs.

use crate::access::{self, may_update};
use crate::model::{MergeRequest, State, Version, VersionState};
use crate::rules::pipelines::with_seen_jobs;
use crate::store::facts::{self, Branches};
use crate::store::{pipelines, versions};
use crate::threads::store as threads;
use ::store::Tx;
use askama::Template;
use askama::filters::HtmlSafe;
use code::pages::spot::encoded;
use code::visible::visible;
use identity::entities::load_basic;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::html::ui::{self, Tab as UiTab};
use kernel::html::{Moment, Page};
use kernel::http::paging::COUNT_LIMIT;
use kernel::ids::Reference;
use planning::access::ProjectAccess;
use planning::pages::notes::Person;
use spaces::access::{GUEST, Purpose, find_project};
use spaces::model::Project;
use spaces::pages::{Address, Section, Space, SpaceHead};

/// A page of a merge request that the frame leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    Conversation,
    Commits,
    Pipelines,
    Changes,
}

impl Tab {
    fn label(self) -> &'static str {
        match self {
            Tab::Conversation => "Conversation",
            Tab::Commits => "Commits",
            Tab::Pipelines => "Pipelines",
            Tab::Changes => "Changes",
        }
    }

    /// What follows the address of the merge request.
    fn rest(self) -> &'static str {
        match self {
            Tab::Conversation => "",
            Tab::Commits => "/commits",
            Tab::Pipelines => "/pipelines",
            Tab::Changes => "/diffs",
        }
    }
}

/// A merge request, for who sees it, and where it is.
#[derive(Debug, Clone)]
pub struct Found {
    pub space: Space,
    pub here: ProjectAccess,
    pub request: MergeRequest,
}

/// Finds the merge request of an address for who may see it, and may do in its project what
/// the purpose says.
///
/// # Errors
///
/// `NotFound` where there is none that the viewer sees; `Forbidden` where they may not read
/// the code, and where the purpose is not for them.
pub fn find(
    tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, iid: i64, purpose: Purpose,
) -> Result<Found> {
    let space = address.authorize(tx, viewer, Purpose::DownloadCode)?;
    if !matches!(purpose, Purpose::Read | Purpose::DownloadCode) {
        address.authorize(tx, viewer, purpose)?;
    }
    let Space::Project(project, level) = &space else {
        return Err(Error::NotFound("Project"));
    };
    let here = ProjectAccess { project: project.clone(), level: *level };
    if !access::shows(&here.project, here.level) {
        return Err(Error::NotFound(""));
    }
    let request = access::find(tx, viewer, &here, iid)?;
    Ok(Found { space, here, request })
}

impl Found {
    /// The address of its page, without the instance's own.
    pub fn url(&self) -> String {
        format!("{}/-/merge_requests/{}", self.space.url(), self.request.iid)
    }

    /// Whether the viewer changes something there at all.
    pub fn writes(&self, viewer: &Viewer) -> bool {
        viewer.user_id().is_some() && !self.here.project.archived
    }

    /// Whether the viewer may say something about it.
    pub fn may_write(&self, viewer: &Viewer) -> bool {
        self.writes(viewer) && (!self.request.is_locked() || self.here.level >= GUEST)
    }

    /// The page among those of the project: its own below the merge requests, and those of
    /// other tabs below that.
    pub fn page(&self, tx: &mut Tx<'_>, viewer: &Viewer, page: Page, tab: Tab) -> Result<Page> {
        if tab != Tab::Conversation {
            let title = tab.label().to_owned();
            return self.page_below(tx, viewer, Page { title, ..page });
        }
        let head = self.space.head(tx, viewer)?;
        let page = head.page_below(page, Section::MergeRequests);
        Ok(Page { title: name(&self.request), ..page })
    }

    /// A page below its own.
    pub fn page_below(&self, tx: &mut Tx<'_>, viewer: &Viewer, page: Page) -> Result<Page> {
        let head = self.space.head(tx, viewer)?;
        Ok(below(&head, page, &self.request))
    }
}

/// How pages name one among others.
fn name(request: &MergeRequest) -> String {
    format!("{} ({})", request.title, request.reference())
}

/// A page below that of a merge request, in the project with this head.
pub fn below(head: &SpaceHead, page: Page, request: &MergeRequest) -> Page {
    let page = head.page_below(page, Section::MergeRequests);
    page.crumb(name(request), request.path())
}

/// A branch, as the head of a page names it.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/branch_name.html")]
pub struct BranchName {
    /// Names it on the page.
    id: &'static str,
    name: String,
    /// Its files, if it is there and the viewer reads them.
    url: Option<String>,
    /// The project that it is of, if that is another one.
    project: Option<Elsewhere>,
}

impl HtmlSafe for BranchName {}

#[derive(Debug, Clone)]
enum Elsewhere {
    /// Its path.
    Known(String),
    Hidden,
    Gone,
}

impl BranchName {
    fn of_target(request: &MergeRequest, branches: Branches) -> BranchName {
        let name = &request.target_branch;
        BranchName {
            id: "target-branch",
            name: visible(name).into_owned(),
            url: branches.target.then(|| tree(&request.project_path, name)),
            project: None,
        }
    }

    fn of_source(
        tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, branches: Branches,
        source: Option<&Project>,
    ) -> Result<BranchName> {
        let name = &request.source_branch;
        let reads = match source {
            Some(source) => spaces::access::may(tx, viewer, source, Purpose::DownloadCode)?,
            None => false,
        };
        let project = match source {
            None => Some(Elsewhere::Gone),
            Some(_) if !request.is_from_fork() => None,
            Some(fork) if spaces::access::may(tx, viewer, fork, Purpose::Read)? => {
                Some(Elsewhere::Known(fork.full_path.clone()))
            }
            Some(_) => Some(Elsewhere::Hidden),
        };
        let path = source.map(|source| source.full_path.as_str()).filter(|_| reads);
        Ok(BranchName {
            id: "source-branch",
            name: visible(name).into_owned(),
            url: path.filter(|_| branches.source).map(|path| tree(path, name)),
            project,
        })
    }
}

fn tree(project: &str, branch: &str) -> String {
    format!("/{project}/-/tree/{}", encoded(branch))
}

/// The head of a page of a merge request.
#[derive(Debug)]
pub struct Frame {
    url: String,
    pub title: String,
    /// `!5`.
    pub reference: String,
    /// A word for its state, and the tone of that.
    pub state: (&'static str, &'static str),
    /// Only members comment.
    pub is_locked: bool,
    pub author: Person,
    pub created_at: Moment,
    pub source: BranchName,
    pub target: BranchName,
    pub tabs: Vec<UiTab>,
    pub may_edit: bool,
    /// What the viewer may have happen to it, and the words of that.
    pub event: Option<(&'static str, &'static str)>,
    /// The way to the viewer's review, in words.
    pub review: Option<String>,
}

/// What the head tells of and a page may know already.
#[derive(Debug)]
pub struct Known {
    /// The newest.
    pub version: Option<Version>,
    /// How many the viewer has.
    pub drafts: i64,
}

impl Known {
    fn read(tx: &mut Tx<'_>, viewer: &Viewer, found: &Found) -> Result<Known> {
        let writer = viewer.user_id().filter(|_| found.may_write(viewer));
        Ok(Known {
            version: versions::latest(tx, found.request.id)?,
            drafts: match writer {
                Some(user_id) => threads::count_drafts(tx, found.request.id, user_id)?,
                None => 0,
            },
        })
    }
}

impl Frame {
    /// The head of one of its pages, as the viewer sees it.
    pub fn new(tx: &mut Tx<'_>, viewer: &Viewer, found: &Found, tab: Tab) -> Result<Frame> {
        let known = Known::read(tx, viewer, found)?;
        Frame::of(tx, viewer, found, tab, &known)
    }

    /// The same, where some of it is known.
    pub fn of(
        tx: &mut Tx<'_>, viewer: &Viewer, found: &Found, tab: Tab, known: &Known,
    ) -> Result<Frame> {
        let request = &found.request;
        let branches = facts::branches_of(tx, &[request.id])?.remove(&request.id);
        let branches = branches.unwrap_or_default();
        let source = source_of(tx, found)?;
        let author = match request.author_id {
            Some(id) => load_basic(tx, &[id])?.remove(&id),
            None => None,
        };
        let may_edit = may_update(tx, viewer, &found.here.project, request)?;
        Ok(Frame {
            title: request.title_beside_state(),
            reference: request.reference(),
            state: state(request),
            is_locked: request.is_locked(),
            author: Person::of(author.as_ref()),
            created_at: Moment::new(request.created_at, tx.now()),
            source: BranchName::of_source(tx, viewer, request, branches, source.as_ref())?,
            target: BranchName::of_target(request, branches),
            tabs: tabs(tx, viewer, found, tab, known.version.as_ref())?,
            event: event(request).filter(|_| may_edit),
            review: review(viewer, found, known.drafts),
            url: found.url(),
            may_edit,
        })
    }

    /// The address of the conversation.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// The project that it comes from, if that is still there.
pub fn source_of(tx: &mut Tx<'_>, found: &Found) -> Result<Option<Project>> {
    match found.request.source_project_id {
        Some(id) if id == found.here.project.id => Ok(Some(found.here.project.clone())),
        Some(id) => find_project(tx, &Reference::Id(id)),
        None => Ok(None),
    }
}

fn state(request: &MergeRequest) -> (&'static str, &'static str) {
    match request.state {
        State::Opened if request.draft => ("Draft", "plain"),
        State::Opened => ("Open", "good"),
        State::Locked => ("Merging", "warn"),
        State::Merged => ("Merged", "good"),
        State::Closed => ("Closed", "bad"),
    }
}

fn event(request: &MergeRequest) -> Option<(&'static str, &'static str)> {
    match request.state {
        State::Opened => Some(("close", "Close merge request")),
        State::Closed => Some(("reopen", "Reopen merge request")),
        State::Locked | State::Merged => None,
    }
}

fn review(viewer: &Viewer, found: &Found, drafts: i64) -> Option<String> {
    match drafts {
        _ if viewer.user_id().is_none() || !found.may_write(viewer) => None,
        0 if found.request.is_open() => Some("Review".to_owned()),
        0 => None,
        drafts => Some(format!("Finish review ({drafts})")),
    }
}

fn tabs(
    tx: &mut Tx<'_>, viewer: &Viewer, found: &Found, current: Tab, version: Option<&Version>,
) -> Result<Vec<UiTab>> {
    let (request, url) = (&found.request, found.url());
    let tab = |tab: Tab| {
        let address = format!("{url}{}", tab.rest());
        UiTab::new(tab.label(), address, tab == current)
    };
    let notes = match found.here.is_reporter() {
        true => request.notes_count + request.internal_notes_count,
        false => request.notes_count,
    };
    let mut tabs = vec![tab(Tab::Conversation).count(notes.unsigned_abs())];
    tabs.push(match version {
        Some(version) => tab(Tab::Commits).count(version.commits_count.unsigned_abs()),
        None => tab(Tab::Commits),
    });
    let shown = with_seen_jobs(tx, viewer, &found.here.project, request)?;
    if !shown.is_empty() {
        let shown: Vec<i64> = shown.iter().map(|project| project.id).collect();
        let count = pipelines::count(tx, request, &shown)?;
        let most = COUNT_LIMIT.unsigned_abs();
        tabs.push(tab(Tab::Pipelines).count_to(count.unsigned_abs(), most));
    }
    tabs.push(match version {
        Some(version) => changes(tab(Tab::Changes), version),
        None => tab(Tab::Changes),
    });
    Ok(tabs)
}

fn changes(tab: UiTab, version: &Version) -> UiTab {
    let is_more = version.state == VersionState::Overflow;
    UiTab { is_more, ..tab.count(version.files_count.unsigned_abs()) }
}
