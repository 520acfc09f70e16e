//! A commit: `/-/commit/SHA`, what it changed, and the same as a patch.

use super::parts::commit_rows::{name, title};
use super::parts::diff::{DiffParams, DiffView, Sides};
use super::{CodeHead, CodeVisit};
use crate::access;
use crate::containing::containing;
use crate::hooks::{CommitShown, below_commit};
use crate::message;
use crate::pages::spot::encoded;
use crate::visible::visible;
use askama::Template;
use askama::filters::HtmlSafe;
use http::Method;
use identity::pages::challenge::Challenge;
use identity::pages::refusal::Refusal;
use kernel::error::{Error, Found, Result};
use kernel::html::ui::{self, StateDot};
use kernel::html::{Html, Moment, Page, flash};
use kernel::http::reply::redirect;
use kernel::http::{Params, RequestContext, Response, Routes, Text};
use repositories::diffs::EMPTY_TREE;
use repositories::edits::{self, Pick, PickRequest, Why};
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Commit, Objects, Person, Revision};
use repositories::output;
use signatures::pages::SignatureBadge;
use spaces::pages::{PROJECT, Section};
use spaces::references::FindNamed;
use std::sync::Arc;
use std::time::Duration;
use store::Tx;
use tokio::time::timeout;

/// Letters of a message that are shown.
const MESSAGE: usize = 100_000;
/// Refs of a kind that are named, and how long they are looked for.
const MOST_REFS: usize = 10;
const WAIT: Duration = Duration::from_secs(2);
/// Parents that are named: an octopus has a few.
const MOST_PARENTS: usize = 20;

pub fn routes(r: &mut Routes) {
    let path = format!("{PROJECT}/-/commit/{{*rest}}");
    r.page(Method::GET, &path, show);
    r.page(Method::POST, &path, change);
}

/// As what a commit is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Page,
    Diff,
    Patch,
}

/// What an address names: a ref or a commit, and behind a name that is none, the form.
fn named(tx: &mut Tx<'_>, repository: &Repository, text: &str) -> Result<(Revision, Form)> {
    if let Some(revision) = objects::named(tx, repository, text)? {
        return Ok((revision, Form::Page));
    }
    for (ending, form) in [(".diff", Form::Diff), (".patch", Form::Patch)] {
        if let Some(stem) = text.strip_suffix(ending) {
            return Ok((objects::named(tx, repository, stem)?.found("Commit")?, form));
        }
    }
    Err(Error::NotFound("Commit"))
}

async fn find(visit: &CodeVisit) -> Result<(CodeHead, Commit, Form)> {
    let rest = visit.rest.clone();
    let (head, (revision, form)) =
        visit.find(move |tx, head| named(tx, head.code.repository()?, &rest)).await?;
    let read = move |objects: &Objects| access::commit(objects, &revision, "Commit");
    let commit = visit.objects(&head, read).await?;
    Ok((head, commit, form))
}

fn address(project_url: &str, commit: &Commit) -> String {
    format!("{project_url}/-/commit/{}", commit.id)
}

#[derive(Template)]
#[template(path = "commit.html")]
struct CommitPage {
    page: Page,
    url: String,
    project_url: String,
    commit: Commit,
    /// The first line, as HTML.
    title: String,
    /// What stands behind it, as HTML.
    message: String,
    author: Who,
    /// Whoever committed it, if that is another.
    committer: Option<Who>,
    parents: Vec<(String, String)>,
    branches: RefNames,
    tags: RefNames,
    diff: DiffView,
    /// Whether its signature proves anything, if it has one.
    signature: Option<SignatureBadge>,
    /// How far its newest pipeline is, if it has one.
    pipeline: Option<StateDot>,
    /// Where it could be picked to, if the viewer may push somewhere.
    branch: Option<String>,
    /// What a room above shows, as safe HTML.
    below: String,
}

/// Who did something, and when.
struct Who {
    name: String,
    email: String,
    at: Moment,
}

async fn show(
    visit: CodeVisit, request: Arc<RequestContext>, params: Params<DiffParams>,
) -> Result<Response> {
    let (head, commit, form) = find(&visit).await?;
    if form != Form::Page {
        return raw(&visit, &head, &commit, form).await;
    }
    let url = address(head.url(), &commit);
    if visit.rest != commit.id.to_string() {
        let query = request.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        return redirect(&format!("{url}{query}"));
    }
    let shown = CommitShown {
        app: visit.app.clone(),
        viewer: visit.viewer.clone(),
        project: head.code.project.clone(),
        commit: commit.clone(),
        query: visit.query.clone(),
    };
    let below = below_commit(shown).await?;
    render(&visit, (head, commit), &params, below, Refusal::default()).await
}

/// The page of the commit that a visit names, with a form that was refused among what a
/// room above shows there.
pub async fn again(visit: CodeVisit, below: String, refusal: Refusal) -> Result<Response> {
    let (head, commit, _) = find(&visit).await?;
    render(&visit, (head, commit), &DiffParams::default(), below, refusal).await
}

async fn render(
    visit: &CodeVisit, (head, commit): (CodeHead, Commit), params: &DiffParams, below: String,
    refusal: Refusal,
) -> Result<Response> {
    let url = address(head.url(), &commit);
    let sides = Sides { old: commit.parents.first().copied(), new: commit.id };
    let (diff, branches, tags) = tokio::join!(
        DiffView::read(&visit.app, &head, sides, &url, params),
        refs_with(visit, &head, &commit, "refs/heads/"),
        refs_with(visit, &head, &commit, "refs/tags/"),
    );
    let signature = visit.signatures(&head, std::slice::from_ref(&commit)).await?.pop().flatten();
    let pipeline = visit.pipelines(&head, &[commit.id]).await?.pop().flatten();
    let named = visit.named(&head, said(&commit)).await?;
    let view = view(visit, head, commit, diff?, (branches, tags), &named)?;
    let mut view = CommitPage { signature, pipeline, below, ..view };
    let status = refusal.status();
    view.page.flash = refusal.flash.or(view.page.flash);
    let html = Challenge::allow(refusal.challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}

/// As much of a message as is shown.
fn said(commit: &Commit) -> String {
    commit.message.chars().take(MESSAGE).collect()
}

fn view(
    visit: &CodeVisit, head: CodeHead, commit: Commit, diff: DiffView,
    (branches, tags): (Option<Vec<String>>, Option<Vec<String>>), named: &FindNamed,
) -> Result<CommitPage> {
    let now = visit.app.now();
    let who = |person: &Person| Who {
        name: name(&person.name),
        email: visible(&person.email).into_owned(),
        at: Moment::new(person.at, now),
    };
    let is_same = (&commit.author.name, &commit.author.email)
        == (&commit.committer.name, &commit.committer.email);
    let parents = commit.parents.iter().take(MOST_PARENTS);
    let parent = |id: &ObjectId| {
        let id = id.to_string();
        (id[..8].to_owned(), format!("{}/-/commit/{id}", head.url()))
    };
    let rest = commit.message.split_once('\n').map_or("", |(_, rest)| rest).trim_matches('\n');
    let rest: String = rest.chars().take(MESSAGE).collect();
    let branch = head.code.repository()?.head.as_branch().map(str::to_owned);
    Ok(CommitPage {
        url: address(head.url(), &commit),
        project_url: head.url().to_owned(),
        title: message::html(&title(&commit), head.url(), &**named),
        message: message::html(rest.trim_end(), head.url(), &**named),
        author: who(&commit.author),
        committer: (!is_same).then(|| who(&commit.committer)),
        parents: parents.map(parent).collect(),
        branches: RefNames::of(branches, &format!("{}/-/tree", head.url())),
        tags: RefNames::of(tags, &format!("{}/-/tags", head.url())),
        diff,
        signature: None,
        pipeline: None,
        branch: branch.filter(|_| head.can_push),
        below: String::new(),
        page: head.page(visit.page(&title(&commit)), Section::Commits),
        commit,
    })
}

/// Some branches or tags, each with its address.
#[derive(Debug, Template)]
#[template(
    source = r#"{% for (name, url) in named %}<a href="{{ url }}"><bdi>{{ name }}</bdi></a>{% if !loop.last %}, {% endif %}{% else %}<span class="muted">{% if is_known %}None{% else %}Too many to look through{% endif %}</span>{% endfor %}{% if has_more %} <span class="muted">and more</span>{% endif %}"#,
    ext = "html"
)]
struct RefNames {
    named: Vec<(String, String)>,
    has_more: bool,
    is_known: bool,
}

impl HtmlSafe for RefNames {}

impl RefNames {
    /// `page` is where each of them is shown.
    fn of(names: Option<Vec<String>>, page: &str) -> RefNames {
        let is_known = names.is_some();
        let names = names.unwrap_or_default();
        let named = names
            .iter()
            .take(MOST_REFS)
            .map(|name| (visible(name).into_owned(), format!("{page}/{}", encoded(name))));
        RefNames {
            named: named.collect(),
            has_more: names.len() > MOST_REFS,
            is_known,
        }
    }
}

/// The first branches or tags that have a commit; none if that takes too long.
async fn refs_with(
    visit: &CodeVisit, head: &CodeHead, commit: &Commit, below: &'static str,
) -> Option<Vec<String>> {
    let repository = head.code.repository().ok()?.id;
    let below = [below];
    let looking = containing(&visit.app, repository, commit.id, &below, Some(MOST_REFS + 1));
    let found = timeout(WAIT, looking).await.ok()?.ok()?;
    Some(found.into_iter().map(|one| one.name).collect())
}

/// What a commit changed, as git writes it.
async fn raw(visit: &CodeVisit, head: &CodeHead, commit: &Commit, form: Form) -> Result<Response> {
    let id = commit.id.to_string();
    let before = commit.parents.first().map_or(EMPTY_TREE.to_owned(), ToString::to_string);
    let safe = ["--no-textconv", "--no-ext-diff", "--binary", "-M"];
    let is_merge = commit.parents.len() > 1;
    let started = output::start(&visit.app, head.code.repository()?.id, |git| {
        let git = git.args(["-c", "core.quotePath=false", "-c", "core.bigFileThreshold=16m"]);
        match form {
            Form::Patch if is_merge => git
                .args(["show", "--pretty=email", "--patch-with-stat", "--first-parent", "-m"])
                .args(safe)
                .args([id]),
            Form::Patch => git.args(["format-patch", "--stdout", "-1"]).args(safe).args([id]),
            _ => git
                .args(["diff-tree", "-p", "-r", "--full-index"])
                .args(safe)
                .args([before, id]),
        }
    });
    Ok(started.await?.text())
}

kernel::choices! {
    enum Action {
        CherryPick = "cherry_pick",
        Revert = "revert",
    }
}

kernel::params! {
    struct PickForm {
        pub action: Action,
        /// The branch that it goes to.
        pub branch: Text,
    }
}

async fn change(visit: CodeVisit, form: Params<PickForm>) -> Result<Response> {
    visit.viewer.signed_in()?;
    let (head, commit, _) = find(&visit).await?;
    if !head.can_push {
        return Err(Error::Forbidden(String::new()));
    }
    let (pick, done) = match form.action {
        Action::CherryPick => (Pick::CherryPick, "picked onto"),
        Action::Revert => (Pick::Revert, "reverted on"),
    };
    let request = PickRequest {
        pick,
        commit: commit.id.to_string(),
        branch: form.branch.trim().to_owned(),
        message: None,
        is_dry: false,
    };
    let project = &head.code.project;
    match edits::pick(&visit.app, &visit.viewer, project, &request).await? {
        Ok(made) => {
            let made = made.found("Commit")?;
            let text = format!("The commit was {done} {}.", request.branch);
            flash::done(&visit.app, &address(head.url(), &made), text)
        }
        Err(why) => {
            let text = match why {
                Why::NoCommit => return Err(Error::NotFound("Commit")),
                Why::NoBranch => "There is no such branch.".to_owned(),
                Why::Conflict => {
                    format!("{} changed the same lines since: do it by hand.", request.branch)
                }
                Why::Empty => format!("{} is like this already.", request.branch),
                Why::Refused(refused) => refused.text,
            };
            flash::refused(&visit.app, &address(head.url(), &commit), text)
        }
    }
}
