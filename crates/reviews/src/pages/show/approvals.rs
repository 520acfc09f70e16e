//! The approvals of a merge request: its rules, who approved and who may, and the forms that
//! give and take back the viewer's own.

use super::merging::led;
use super::page::RequestPage;
use crate::access::sets_people;
use crate::approvals::model::{ANYBODY, RuleType};
use crate::approvals::scenes::Scenes;
use crate::approvals::state::RuleState;
use crate::approvals::{self, Standing, proof};
use crate::merging::accepting::check_head;
use crate::model::{MergeRequest, ReviewState, State};
use crate::pages::frame::Found;
use crate::place::{Place, Wish};
use crate::store::people;
use ::store::Tx;
use askama::Template;
use askama::filters::HtmlSafe;
use identity::entities::load_basic;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Moment, ui};
use kernel::http::{Params, Response, Text};
use planning::pages::notes::Person;
use planning::pages::talk::TalkPage;
use spaces::access::PLANNER;
use spaces::model::Project;
use std::collections::{HashMap, HashSet};
use std::slice::from_ref;

/// Names of one rule that are told.
const MOST_NAMES: usize = 10;
const NOT_APPROVING: &str = "Your approval does not count here";
const NOT_PROVED: &str = "Your password is wrong, or is needed";
const MOVED: &str = "The source branch is elsewhere since you opened the page: look at what is new before you \
     approve it";

/// How far a rule is.
#[derive(Debug)]
struct RuleRow {
    name: String,
    /// What is still needed, or that nothing is.
    progress: String,
    is_met: bool,
    /// Whose approvals count for it, and when they gave them.
    approved_by: Vec<(Person, Option<Moment>)>,
    /// Who may approve by it still, and how many more than are named.
    eligible: Vec<Person>,
    more: usize,
}

/// What the viewer may do about approvals.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rights {
    pub may_approve: bool,
    has_approved: bool,
    pub needs_proof: bool,
    /// They may ask for changes, which stand in the way of the merge.
    pub may_request_changes: bool,
}

/// The card, as the viewer sees it.
#[derive(Template)]
#[template(path = "ui/approvals.html")]
pub struct Approvals {
    url: String,
    csrf: String,
    sha: String,
    left: i64,
    required: i64,
    rules: Vec<RuleRow>,
    /// Somebody approved.
    is_given: bool,
    /// Who approved without a rule that counts it, and when.
    others: Vec<(Person, Option<Moment>)>,
    rights: Rights,
    is_over: bool,
}

impl HtmlSafe for Approvals {}

impl Approvals {
    /// Reads the card, and how many approvals are missing.
    pub fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, found: &Found, (url, csrf): (&str, &str),
    ) -> Result<(Approvals, i64)> {
        let request = &found.request;
        let scenes = Scenes::read(tx, from_ref(request))?;
        let state = scenes.of(request).state();
        let given = scenes.given(request.id);
        let counted: HashSet<i64> =
            state.rules.iter().flat_map(|one| &one.approved_by).copied().collect();
        let named = state.rules.iter().flat_map(|one| waiting(one).take(MOST_NAMES));
        let approving = given.iter().map(|one| one.user_id);
        let mut ids: Vec<i64> = named.chain(approving).chain(counted.iter().copied()).collect();
        ids.sort_unstable();
        ids.dedup();
        let (now, left) = (tx.now(), state.left());
        let people = People {
            users: load_basic(tx, &ids)?,
            times: given
                .iter()
                .map(|one| (one.user_id, Moment::new(one.created_at, now)))
                .collect(),
        };
        let others = given.iter().filter(|one| !counted.contains(&one.user_id));
        let card = Approvals {
            url: url.to_owned(),
            csrf: csrf.to_owned(),
            sha: request.head_id.map(|id| id.to_string()).unwrap_or_default(),
            required: state.required(),
            rules: state.rules.iter().map(|one| row(one, &people)).collect(),
            is_given: !given.is_empty(),
            others: others.map(|one| people.approver(one.user_id)).collect(),
            rights: rights(tx, viewer, found, &scenes)?,
            is_over: matches!(request.state, State::Merged | State::Closed),
            left,
        };
        Ok((card, left))
    }

    pub fn rights(&self) -> Rights {
        self.rights
    }

    /// What is missing of all, in words.
    fn summary(&self) -> String {
        match (self.left, self.required) {
            (0, 0) => "No approval needed".to_owned(),
            (0, _) => "All approvals given".to_owned(),
            (left, _) => format!("Needs {}", more_approvals(left)),
        }
    }
}

/// «1 more approval».
pub fn more_approvals(left: i64) -> String {
    ui::count(left.unsigned_abs(), "more approval")
}

/// Those who are named, and when they approved.
struct People {
    users: HashMap<i64, User>,
    times: HashMap<i64, Moment>,
}

impl People {
    fn person(&self, id: i64) -> Person {
        Person::of(self.users.get(&id))
    }

    fn approver(&self, id: i64) -> (Person, Option<Moment>) {
        (self.person(id), self.times.get(&id).cloned())
    }
}

/// Who may approve by a rule and has not.
fn waiting(one: &RuleState<'_>) -> impl Iterator<Item = i64> {
    one.eligible.iter().copied().filter(|id| !one.approved_by.contains(id))
}

fn row(one: &RuleState<'_>, people: &People) -> RuleRow {
    let row = &one.rule.row;
    let name = match (row.rule_type, row.section.as_deref()) {
        (RuleType::CodeOwner, Some(section)) => format!("Code owners of {section}: {}", row.name),
        (RuleType::CodeOwner, None) => format!("Code owners of {}", row.name),
        (RuleType::AnyApprover, _) if row.name == ANYBODY => "Anybody who may approve".to_owned(),
        _ => row.name.clone(),
    };
    let (given, required) = (one.approved_by.len(), one.required);
    RuleRow {
        name,
        progress: match (one.is_invalid, required) {
            (true, _) => "Nobody can approve by it, so it counts as met".to_owned(),
            (false, 0) => "Optional".to_owned(),
            (false, required) => format!("{given} of {required}"),
        },
        is_met: one.is_approved() && (required > 0 || given > 0),
        approved_by: one.approved_by.iter().map(|id| people.approver(*id)).collect(),
        eligible: waiting(one).take(MOST_NAMES).map(|id| people.person(id)).collect(),
        more: waiting(one).skip(MOST_NAMES).count(),
    }
}

fn rights(tx: &mut Tx<'_>, viewer: &Viewer, found: &Found, scenes: &Scenes) -> Result<Rights> {
    let request = &found.request;
    if !found.may_write(viewer) {
        return Ok(Rights::default());
    }
    let has_right = found.here.level >= PLANNER;
    let Standing { has_approved, may_approve, needs_proof } =
        approvals::standing_in(tx, viewer, request, scenes)?;
    Ok(Rights {
        may_approve: has_right && may_approve && !has_approved && request.is_open(),
        has_approved: has_right && has_approved && !is_settled(request),
        needs_proof,
        may_request_changes: request.is_open() && may_request_changes(tx, viewer, found)?,
    })
}

/// Whether no approval is taken back any more.
fn is_settled(request: &MergeRequest) -> bool {
    matches!(request.state, State::Merged | State::Locked)
}

/// Reviewers ask for changes, and who may be one by their own hand; nobody of themselves.
fn may_request_changes(tx: &mut Tx<'_>, viewer: &Viewer, found: &Found) -> Result<bool> {
    if found.request.author_id == viewer.user_id() {
        return Ok(false);
    }
    Ok(sets_people(found.here.level) || state_of(tx, viewer, &found.request)?.is_some())
}

/// What the viewer said last, as a reviewer.
pub fn state_of(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest,
) -> Result<Option<ReviewState>> {
    let reviewers = people::reviewers_of_one(tx, request.id)?;
    let own = reviewers.iter().find(|one| Some(one.user_id) == viewer.user_id());
    Ok(own.map(|one| one.state))
}

kernel::params! {
    pub struct ApproveForm {
        /// The head that was shown.
        pub sha: Option<String>,
        pub approval_password: Text,
    }
}

/// Approves, by the rules of REST.
///
/// # Errors
///
/// `Conflict` where the head is another one than was shown; `Forbidden` where the approval
/// does not count, or nothing proves who approves.
pub async fn approve(
    app: &App, viewer: &Viewer, place: Place, (sha, password): (Option<&str>, &str),
) -> Result<()> {
    let (by, there) = (viewer.clone(), place.clone());
    let sha = sha.filter(|sha| !sha.is_empty()).map(str::to_owned);
    let shown = sha.clone();
    let read = app.read(move |tx| {
        let (_, request) = to_approve(tx, &by, &there, shown.as_deref())?;
        approvals::standing(tx, &by, &request)
    });
    let standing = read.await?;
    if !standing.may_approve && !standing.has_approved {
        return Err(Error::forbidden(NOT_APPROVING));
    }
    let password = Some(password).filter(|password| !password.is_empty());
    if standing.needs_proof && !proof::is_given(app, viewer, password).await? {
        return Err(Error::forbidden(NOT_PROVED));
    }
    let by = viewer.clone();
    app.write(move |tx| {
        let (project, request) = to_approve(tx, &by, &place, sha.as_deref())?;
        approvals::approve(tx, &by, &project, &request).map(drop)
    })
    .await
}

/// The merge request, for who has a right to approvals at all, and saw its head.
fn to_approve(
    tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, sha: Option<&str>,
) -> Result<(Project, MergeRequest)> {
    let (here, request) = place.find(tx, viewer, Wish::WriteOwn)?;
    approvals::check_right(tx, viewer, &here.project)?;
    let head = request.head_id.map(|id| id.to_string());
    check_head(sha, head.as_deref()).map_err(|_| Error::Conflict(MOVED.into()))?;
    Ok((here.project, request))
}

pub(super) async fn give(
    app: App, page: RequestPage, form: Params<ApproveForm>,
) -> Result<Response> {
    let (place, url) = page.place(&app).await?;
    let by = (form.sha.as_deref(), &*form.approval_password);
    let done = approve(&app, page.viewer(), place, by).await;
    led(&app, &url, done, "You approved it.", NOT_APPROVING)
}

pub(super) async fn take_back(app: App, page: RequestPage) -> Result<Response> {
    let (place, url) = page.place(&app).await?;
    let viewer = page.viewer().clone();
    let done = app.write(move |tx| {
        let (project, request) = to_approve(tx, &viewer, &place, None)?;
        match is_settled(&request) {
            true => Err(Error::Conflict("It is merged by now".into())),
            false => approvals::unapprove(tx, &viewer, &project, &request).map(drop),
        }
    });
    led(&app, &url, done.await, "Your approval is taken back.", NOT_APPROVING)
}
