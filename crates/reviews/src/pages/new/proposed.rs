//! A merge request of two branches that is not made yet: its form, filled from its commits,
//! and what it would bring.

use super::branches;
use super::form::{Fields, FormView, New};
use super::places::{Begun, Places};
use super::templates::{self, Templates};
use super::texts::RequestTexts;
use crate::access;
use crate::merging::messages::{self, Context, Named};
use crate::model::{MergeRequest, SquashOption};
use crate::rules::collaboration::may_allow;
use crate::rules::defaults::{BranchIssue, with_issue, words};
use crate::rules::merge_words::commit_texts;
use crate::rules::proposal::{self, Proposal};
use crate::rules::sides::Sides;
use crate::store::{Pair, settings, twin};
use ::store::Tx;
use code::access::Code;
use code::pages::CodeHead;
use code::pages::parts::commit_rows::CommitRows;
use code::pages::parts::diff::{self, DiffParams, DiffView};
use code::pages::parts::older::Older;
use code::visible::visible;
use identity::pages::refusal::Refusal;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::html::{Errors, Flash, Html};
use kernel::http::Response;
use planning::access::ProjectAccess;
use planning::model::Issue;
use repositories::objects::{Revision, named};
use spaces::access::level_in_project;
use spaces::model::Project;
use spaces::pages::{Section, Space, SpaceHead, Visit};

/// Commits that are listed.
const MOST_LISTED: usize = 100;

/// What is asked of the page.
pub struct Asked {
    pub begun: Begun,
    /// Name of the template of its description.
    pub template: Option<String>,
    /// What was typed and refused.
    pub typed: Option<RequestTexts>,
}

/// What rows tell of it.
struct Ready {
    head: SpaceHead,
    /// The source, as its code is shown.
    code: CodeHead,
    /// The target, with the viewer's level there.
    here: ProjectAccess,
    sides: Sides,
    branches: [String; 2],
    twin: Option<MergeRequest>,
    issue: Option<Issue>,
    may_open_fork: bool,
    removes_source: bool,
    /// Where templates are.
    default: Option<Revision>,
}

/// Both branches, or what is wrong with one.
enum Found {
    Ready(Box<Ready>),
    Wrong(&'static str, String),
}

/// Shows the form; the one of the branches where one of them cannot be.
pub async fn render(app: &App, visit: Visit, asked: Asked, refusal: Refusal) -> Result<Response> {
    let (by, begun) = (visit.clone(), asked.begun.clone());
    let ready = match app.read(move |tx| find(tx, &by, &begun)).await? {
        Found::Ready(ready) => *ready,
        Found::Wrong(field, text) => {
            let errors = Errors(vec![(field.to_owned(), vec![text])]);
            let usual = Flash::failed("Choose two branches that are there.");
            let refusal = Refusal { errors, flash: refusal.flash.or(usual), challenge: None };
            return branches::render(app, visit, asked.begun, refusal).await;
        }
    };
    let proposal = proposal::read(app, &ready.sides).await?;
    let templates = match &ready.default {
        Some(at) => {
            templates::read(app, &ready.sides.target, at.clone(), asked.template.clone()).await?
        }
        None => Templates::default(),
    };
    let diff = difference(app, &ready, &proposal).await?;
    let typed = match asked.typed {
        Some(typed) => typed,
        None => filled(&ready, &visit, (&asked.begun, &proposal, &templates)),
    };
    let shown = refusal.page(app, &visit.viewer, "New merge request");
    let (status, here) = (refusal.status(), ready.here.clone());
    let may_open_fork = ready.may_open_fork;
    let fields = app.read(move |tx| Fields::read(tx, &here, typed, may_open_fork)).await?;
    let view = FormView {
        page: ready.head.page_below(shown, Section::MergeRequests),
        title: "New merge request",
        url: format!("{}/-/merge_requests", ready.head.url),
        back: format!("{}/-/merge_requests", ready.head.url),
        button: "Create merge request",
        source: side(&ready, &ready.code.code.project, &ready.branches[0]),
        target: side(&ready, &ready.here.project, &ready.branches[1]),
        target_url: format!("/{}", ready.here.project.full_path),
        fields,
        refusal,
        new: Some(beside(app, &ready, &proposal, (templates, asked.template, diff))),
        target_branch: None,
    };
    Ok(Html::new(&view)?.status(status).response())
}

fn find(tx: &mut Tx<'_>, visit: &Visit, begun: &Begun) -> Result<Found> {
    let viewer = &visit.viewer;
    let places = Places::find(tx, visit, begun)?;
    let (Some(source), Some(target)) = (places.source, places.target) else {
        return Err(Error::forbidden(""));
    };
    let from = begun.source_branch.trim().to_owned();
    let into = match begun.target_branch.trim() {
        "" => target.default_branch.clone().unwrap_or_default(),
        name => name.to_owned(),
    };
    if source.id == target.id && from == into {
        return Ok(Found::Wrong("target_branch", "must be another branch".into()));
    }
    let pair = Pair {
        source: (source.id, from.as_str()),
        target: (target.id, into.as_str()),
    };
    let ([has_source, _], sides) = Sides::read(tx, pair.source, pair.target)?;
    let Some(sides) = sides else {
        let field = if has_source { "target_branch" } else { "source_branch" };
        return Ok(Found::Wrong(field, "is no branch of this project".into()));
    };
    let level = level_in_project(tx, viewer, &target)?;
    let here = ProjectAccess { project: target, level };
    let twin = match twin(tx, pair, 0)? {
        Some(twin) => seen(tx, visit, &here, twin.iid)?,
        None => None,
    };
    Ok(Found::Ready(Box::new(Ready {
        head: places.space.head(tx, viewer)?,
        issue: proposal::issue_of(tx, viewer, &here.project, &from)?,
        may_open_fork: may_allow(tx, viewer, &source, &here.project, &from)?,
        removes_source: settings::of_project(tx, here.project.id)?.remove_source_branch,
        default: named(tx, &sides.target, "HEAD")?,
        code: code_of(tx, visit, source, &sides)?,
        branches: [from, into],
        twin,
        here,
        sides,
    })))
}

/// The merge request of this number, unless it is hidden.
fn seen(
    tx: &mut Tx<'_>, visit: &Visit, here: &ProjectAccess, iid: i64,
) -> Result<Option<MergeRequest>> {
    match access::find(tx, &visit.viewer, here, iid) {
        Err(Error::NotFound(_)) => Ok(None),
        found => found.map(Some),
    }
}

/// The source, as pages of code show it.
fn code_of(tx: &mut Tx<'_>, visit: &Visit, source: Project, sides: &Sides) -> Result<CodeHead> {
    let level = level_in_project(tx, &visit.viewer, &source)?;
    let space = Space::Project(source.clone(), level);
    Ok(CodeHead {
        head: space.head(tx, &visit.viewer)?,
        code: Code {
            project: source,
            repository: Some(proposal::source_of(sides).clone()),
        },
        can_push: true,
        space,
    })
}

/// What differs, led on by the page that compares both commits.
async fn difference(app: &App, ready: &Ready, proposal: &Proposal) -> Result<Option<DiffView>> {
    let Some(base) = proposal.base else {
        return Ok(None);
    };
    let new = ready.sides.heads.source;
    let url = format!("{}/-/compare/{base}...{new}", ready.code.url());
    let params = DiffParams::default();
    if base == new {
        return Ok(Some(DiffView::none(&url, &params)));
    }
    let sides = diff::Sides { old: Some(base), new };
    DiffView::read(app, &ready.code, sides, &url, &params).await.map(Some)
}

/// What stands in the form at first.
fn filled(
    ready: &Ready, visit: &Visit, (begun, proposal, templates): (&Begun, &Proposal, &Templates),
) -> RequestTexts {
    let [from, into] = &ready.branches;
    let commits = commit_texts(&proposal.commits);
    let issue = ready.issue.as_ref().map(|issue| BranchIssue::of(issue, &ready.here.project));
    let own = words(from, &commits, issue);
    let context = Context {
        source_branch: from.clone(),
        target_branch: into.clone(),
        title: own.title.clone(),
        author: visit.viewer.user().map(|user| Named::new(&user.name, &user.email)),
        commits,
        ..Context::default()
    };
    let templated = |text: &String| messages::description(text, &context);
    let description = match (&templates.chosen, &begun.description, own.description.as_str()) {
        (Some(text), ..) => with_issue(&templated(text), issue),
        (None, Some(text), _) => text.clone(),
        (None, None, "") => {
            let usual = templates.usual.as_ref().map(templated).unwrap_or_default();
            with_issue(&usual, issue)
        }
        (None, None, text) => with_issue(text, issue),
    };
    let title = begun.title.clone().filter(|title| !title.trim().is_empty());
    let texts = RequestTexts::titled(&title.unwrap_or(own.title), description);
    let squash = SquashOption::of(&ready.here.project.squash_option);
    RequestTexts {
        draft: Some(texts.draft == Some(true) || proposal.commits.is_empty()),
        squash: Some(squash.is_on_at_first()),
        remove_source_branch: Some(ready.removes_source),
        ..texts
    }
}

/// A branch as people name it, with its project where there are two.
fn side(ready: &Ready, project: &Project, branch: &str) -> String {
    let branch = visible(branch);
    match ready.sides.fork.is_some() {
        true => format!("{}:{branch}", project.full_path),
        false => branch.into_owned(),
    }
}

/// What stands beside the fields of a new one.
fn beside(
    app: &App, ready: &Ready, proposal: &Proposal,
    (templates, template, diff): (Templates, Option<String>, Option<DiffView>),
) -> New {
    let [from, into] = &ready.branches;
    let (source, target) = (&ready.code.code.project, &ready.here.project);
    let said = [
        ("source_project_id", source.id.to_string()),
        ("source_branch", from.clone()),
        ("target_project_id", target.id.to_string()),
        ("target_branch", into.clone()),
    ];
    let begun: Vec<(String, String)> = said
        .iter()
        .map(|(name, value)| (format!("merge_request[{name}]"), value.clone()))
        .collect();
    let url = format!("{}/-/merge_requests/new", ready.head.url);
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    let query = query.extend_pairs(&begun).append_pair("change_branches", "true").finish();
    let choice = |name: &String| Choice { value: name.clone(), label: name.clone() };
    let none = Choice::list(&[("", "None")]);
    let is_cut = proposal.commits.len() > MOST_LISTED;
    let listed = proposal.commits.get(..MOST_LISTED).unwrap_or(&proposal.commits);
    let is_more = proposal.commits.len() >= proposal::MOST_COMMITS;
    New {
        hidden: said.to_vec(),
        branches_url: format!("{url}?{query}"),
        begun,
        url,
        twin: ready.twin.clone(),
        templates: match templates.names.is_empty() {
            true => Vec::new(),
            false => none.into_iter().chain(templates.names.iter().map(choice)).collect(),
        },
        template: template.unwrap_or_default(),
        count: format!("{}{}", proposal.commits.len(), if is_more { "+" } else { "" }),
        is_cut,
        commits: CommitRows::of(listed, ready.code.url(), app.now(), Older::default())
            .below_heading(),
        diff,
    }
}
