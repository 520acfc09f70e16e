//! The merge box: in words what is missing before a merge request can be merged, who may do
//! what about it, and what became of it after that.

pub mod checks;
mod commands;

use super::merging::MergeForm;
use crate::entity::facts::lacks_target;
use crate::merging::conflicting;
use crate::merging::status::{DetailedStatus, PipelineEnd};
use crate::model::{SquashOption, State};
use crate::pages::frame::Found;
use crate::rules::closing::closes_any;
use crate::rules::default_words;
use crate::rules::merge_words::named_closing;
use crate::rules::rebasing;
use crate::rules::scene::Scene;
use crate::rules::source_branch::may_go;
use ::store::Tx;
use askama::Template;
use askama::filters::HtmlSafe;
use checks::{Missing, missing};
use code::visible::visible;
use commands::{Origin, check_out, merge_by_hand};
use delivery::pipelines::pages::parts::StatusMark;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::Moment;
use kernel::html::ui;
use planning::pages::notes::Person;
use spaces::access::Purpose;

/// All that the words are made of.
pub struct Around<'a> {
    pub viewer: &'a Viewer,
    pub found: &'a Found,
    pub scene: &'a Scene,
    /// Address of the merge request.
    pub url: &'a str,
    pub may_edit: bool,
    /// The viewer may push to the source branch; only asked where it matters.
    pub may_push: bool,
    pub may_rebase: bool,
    pub approvals_left: i64,
    /// Threads that are not resolved, counted to 99 and one more.
    pub unresolved: u64,
    pub first_thread: Option<String>,
    /// How far the pipeline of the head is, and its address, for who sees it.
    pub pipeline: Option<(StatusMark, String)>,
    /// Address of the repository of the fork it comes from, where the viewer reads that.
    pub fork: Option<String>,
}

impl Around<'_> {
    fn origin(&self) -> Origin<'_> {
        match (self.found.request.is_from_fork(), &self.fork) {
            (false, _) => Origin::Here,
            (true, Some(url)) => Origin::Fork(url),
            (true, None) => Origin::Ref,
        }
    }

    /// What is typed to merge the target into the source.
    pub fn by_hand(&self) -> String {
        merge_by_hand(&self.found.request, self.origin())
    }
}

/// What somebody may say with a merge.
#[derive(Debug, Default)]
struct Merging {
    /// The head as the page shows it.
    sha: String,
    /// It may be merged now.
    is_ready: bool,
    /// The words of a button that has it merged later, if it may be.
    later: Option<&'static str>,
    /// Whether its commits become one, where that may be chosen.
    squash: Option<bool>,
    /// What the project says of that, where it may not.
    squash_note: Option<&'static str>,
    /// Whether the source branch goes, where it may.
    removes: Option<bool>,
    merge_message: String,
    squash_message: String,
    /// The messages are open: they were changed, and refused.
    is_worded: bool,
}

/// How it ended.
#[derive(Debug)]
struct Ended {
    by: Person,
    at: Option<Moment>,
    /// The commit that it brought: its first digits and its address.
    commit: Option<(String, String)>,
    /// The viewer may have the source branch go.
    may_remove: bool,
}

/// The box, as the viewer sees it.
#[derive(Template)]
#[template(path = "ui/merge_box.html")]
pub struct MergeBox {
    url: String,
    csrf: String,
    state: State,
    target: String,
    title: String,
    picture: &'static str,
    tone: &'static str,
    missing: Vec<Missing>,
    /// Why the last merge or rebase failed.
    error: Option<String>,
    pipeline: Option<StatusMark>,
    /// The issues that go with the merge: names and addresses.
    closes: Vec<(String, String)>,
    /// Who had it merged once its checks pass.
    ordered_by: Option<Person>,
    may_cancel: bool,
    /// It lacks commits of the target, and the viewer may have it rebased: beside the checks,
    /// where none of them asks for that.
    may_rebase: bool,
    /// It lacks commits of the target, and its merge puts its own on top of them.
    is_rebased: bool,
    merging: Option<Merging>,
    /// Who is signed in and may not merge is told so.
    is_for_others: bool,
    ended: Option<Ended>,
    check_out: Option<String>,
    /// It changes by itself, and is fetched again from here.
    live: Option<String>,
}

impl HtmlSafe for MergeBox {}

impl MergeBox {
    /// Reads the box; what git has to be asked for comes with [`MergeBox::complete`].
    pub fn read(
        tx: &mut Tx<'_>, around: &Around<'_>, csrf: &str, typed: Option<&MergeForm>,
    ) -> Result<MergeBox> {
        let (request, scene) = (&around.found.request, around.scene);
        let is_open = request.is_open();
        let missing = match is_open {
            true => missing(tx, around)?,
            false => Vec::new(),
        };
        let merging = match is_open && scene.may_merge() {
            true => Some(merging(tx, around, typed)?),
            false => None,
        };
        let mut failing = scene.facts.failing();
        let is_rebased_here = failing.any(|status| status == DetailedStatus::NeedsRebase);
        let (title, picture, tone) = head(around, &missing);
        Ok(MergeBox {
            url: around.url.to_owned(),
            csrf: csrf.to_owned(),
            state: request.state,
            target: visible(&request.target_branch).into_owned(),
            error: request.merge_error.clone().filter(|_| is_open),
            pipeline: around.pipeline.as_ref().map(|(mark, _)| mark.clone()),
            closes: closes(tx, around)?,
            ordered_by: ordered_by(around),
            may_cancel: may_cancel(around),
            may_rebase: around.may_rebase && !is_rebased_here,
            is_rebased: is_open
                && scene.settings.automatic_rebase
                && lacks_target(request, &scene.around),
            is_for_others: is_open && !scene.may_merge() && around.found.writes(around.viewer),
            ended: ended(tx, around)?,
            check_out: is_open.then(|| check_out(request, around.origin())),
            live: is_live(around, &missing).then(|| format!("{}/merge_box", around.url)),
            missing,
            merging,
            title,
            picture,
            tone,
        })
    }

    /// Adds the files that stand in the way and the messages of the merge.
    ///
    /// # Errors
    ///
    /// `Unavailable` if too many are busy with repositories.
    pub async fn complete(&mut self, app: &App, viewer: &Viewer, scene: &Scene) -> Result<()> {
        let is_conflict = |status: DetailedStatus| status == DetailedStatus::Conflict;
        if let Some(sides) = &scene.sides
            && scene.request.is_open()
            && scene.facts.failing().any(is_conflict)
        {
            sides.bring(app).await?;
            let found = conflicting::quickly(app, &sides.target, sides.heads).await?;
            let conflict = self.missing.iter_mut().find(|one| one.is_conflict);
            if let (Some(missing), Some(conflicts)) = (conflict, found) {
                let shown = conflicts.files.iter().take(MOST_FILES);
                missing.files = shown.map(|file| visible(&file.path).into_owned()).collect();
                missing.has_more = conflicts.has_more || conflicts.files.len() > MOST_FILES;
            }
        }
        if let Some(merging) = &mut self.merging
            && !merging.is_worded
            && let Some(usual) = default_words::usual(app, viewer, scene).await?
        {
            merging.merge_message = usual.merge;
            merging.squash_message = usual.squash;
        }
        Ok(())
    }
}

impl MergeBox {
    /// Why the last merge or rebase failed, if it did.
    fn failure(&self) -> &str {
        self.error.as_deref().unwrap_or_default()
    }
}

/// Files of a conflict that are named.
const MOST_FILES: usize = 20;

/// What is said above all: words, a picture, and their tone.
fn head(around: &Around<'_>, missing: &[Missing]) -> (String, &'static str, &'static str) {
    let said = |text: &str, picture, tone| (text.to_owned(), picture, tone);
    let request = &around.found.request;
    match request.state {
        State::Merged => return said("Merged", "check", "good"),
        State::Closed => return said("Closed without being merged", "close", "bad"),
        State::Locked => return said("Being merged", "redo", "warn"),
        State::Opened => {}
    }
    let waits = missing.iter().all(|one| one.waits);
    match (request.auto_merge, missing.len(), waits) {
        (true, ..) => said("Will be merged once nothing is missing", "clock", "warn"),
        (_, 0, _) => said("Ready to merge", "check", "good"),
        (_, _, true) => said("Not ready yet: waiting helps", "clock", "warn"),
        (_, 1, _) => said("Not ready to merge: one thing is missing", "stop", "plain"),
        (_, many, _) => {
            said(&format!("Not ready to merge: {many} things are missing"), "stop", "plain")
        }
    }
}

/// Whether it changes while somebody looks.
fn is_live(around: &Around<'_>, missing: &[Missing]) -> bool {
    let request = &around.found.request;
    let runs = around.scene.facts.pipelines.end == Some(PipelineEnd::Open);
    let waits = missing.iter().any(|one| one.waits) || runs || request.auto_merge;
    request.state == State::Locked
        || request.rebase_started_at.is_some()
        || (request.is_open() && waits)
}

fn closes(tx: &mut Tx<'_>, around: &Around<'_>) -> Result<Vec<(String, String)>> {
    let (request, scene) = (&around.found.request, around.scene);
    if !request.is_open() || !closes_any(&scene.project, request) {
        return Ok(Vec::new());
    }
    let closed = named_closing(tx, around.viewer, request)?;
    Ok(closed.into_iter().map(|(name, issue)| (name, issue.path())).collect())
}

fn person(around: &Around<'_>, id: Option<i64>) -> Person {
    Person::of(id.and_then(|id| around.scene.around.user(id)))
}

fn ordered_by(around: &Around<'_>) -> Option<Person> {
    let request = &around.found.request;
    let is_ordered = request.auto_merge && request.is_open();
    is_ordered.then(|| person(around, request.merge_user_id))
}

/// Its author takes an order back, and who may merge.
fn may_cancel(around: &Around<'_>) -> bool {
    let request = &around.found.request;
    let is_author = request.author_id.is_some() && request.author_id == around.viewer.user_id();
    let is_theirs = is_author && around.found.writes(around.viewer);
    request.auto_merge && request.is_open() && (is_theirs || around.scene.may_merge())
}

fn ended(tx: &mut Tx<'_>, around: &Around<'_>) -> Result<Option<Ended>> {
    let (request, now) = (&around.found.request, tx.now());
    let project = around.found.space.url();
    Ok(match request.state {
        State::Merged => {
            let commit = request.brought().map(|id| id.to_string());
            Some(Ended {
                by: person(around, request.merge_user_id),
                at: Moment::maybe(request.merged_at, now),
                commit: commit.map(|id| (id[..8].to_owned(), format!("{project}/-/commit/{id}"))),
                may_remove: may_go(tx, around.viewer, request)?,
            })
        }
        State::Closed => Some(Ended {
            by: person(around, request.closed_by_id),
            at: Moment::maybe(request.closed_at, now),
            commit: None,
            may_remove: false,
        }),
        State::Opened | State::Locked => None,
    })
}

fn merging(tx: &mut Tx<'_>, around: &Around<'_>, typed: Option<&MergeForm>) -> Result<Merging> {
    let (request, scene) = (&around.found.request, around.scene);
    let option = SquashOption::of(&scene.project.squash_option);
    let may_choose = matches!(option, SquashOption::DefaultOn | SquashOption::DefaultOff);
    let squash = typed.map_or(request.squash, |form| form.squash.unwrap_or(false));
    let wished = request.removes_source_branch();
    let removes = typed.map_or(wished, |form| form.should_remove_source_branch.unwrap_or(false));
    let is_ready = scene.facts.failing().next().is_none();
    let runs = scene.facts.pipelines.end == Some(PipelineEnd::Open);
    Ok(Merging {
        sha: request.head_id.map(|id| id.to_string()).unwrap_or_default(),
        is_ready,
        later: match scene.facts.may_wait(runs) && !request.auto_merge {
            true if is_ready => Some("Merge once the pipeline succeeded"),
            true => Some("Merge once nothing is missing"),
            false => None,
        },
        squash: may_choose.then_some(squash),
        squash_note: match option {
            SquashOption::Always => Some("Its commits become one, as the project asks."),
            SquashOption::Never => Some("Its commits stay as they are, as the project asks."),
            SquashOption::DefaultOn | SquashOption::DefaultOff => None,
        },
        removes: may_go(tx, around.viewer, request)?.then_some(removes),
        merge_message: typed.map(|form| form.merge_commit_message.to_string()).unwrap_or_default(),
        squash_message: typed
            .map(|form| form.squash_commit_message.to_string())
            .unwrap_or_default(),
        is_worded: typed.is_some(),
    })
}

/// How far the pipeline of the head is, and its address, for who sees it.
pub fn pipeline(scene: &Scene) -> Option<(StatusMark, String)> {
    let (found, project) = scene.around.seen_pipeline(&scene.request)?;
    let url = format!("/{}/-/pipelines/{}", project.full_path, found.id);
    Some((StatusMark::of(found.status).at(url.as_str()), url))
}

/// What the box asks of rights and branches, where it matters.
pub struct Rights {
    pub may_push: bool,
    /// Where no conflict is known, which git would stop at.
    pub may_rebase: bool,
    pub fork: Option<String>,
}

impl Rights {
    /// Reads them for who is at an open merge request.
    pub fn read(tx: &mut Tx<'_>, viewer: &Viewer, scene: &Scene, base_url: &str) -> Result<Rights> {
        let request = &scene.request;
        let is_open = request.is_open();
        let mut failing = scene.facts.failing();
        let conflicts = is_open && failing.any(|status| status == DetailedStatus::Conflict);
        let fork = scene.around.source(request).filter(|_| request.is_from_fork() && is_open);
        let fork = match fork {
            Some(fork) if spaces::access::may(tx, viewer, fork, Purpose::DownloadCode)? => {
                Some(format!("{base_url}/{}.git", fork.full_path))
            }
            _ => None,
        };
        Ok(Rights {
            may_push: conflicts && rebasing::may_push(tx, viewer, request)?,
            may_rebase: is_open
                && request.needs_rebase
                && !conflicts
                && rebasing::may_begin(tx, viewer, request)?,
            fork,
        })
    }
}
