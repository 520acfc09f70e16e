//! Merges: one is judged, made, noted with the merge request, which is locked meanwhile,
//! and landed as a push; [`super::landed`] marks it merged in the transaction that moves
//! the target. Whatever ends between these steps leaves it open or merged, never both.

use super::auto_merge;
use super::change::reread;
use super::landed::{self, Noted};
use super::merge_words::{self as words, Order};
use super::scene::{Scene, Unsettled};
use crate::merging::Made;
use crate::merging::accepting::{Accepted, Refusal, judge};
use crate::merging::landing;
use crate::merging::methods::{self, Outcome};
use crate::merging::options::merge_error;
use crate::rules::checks;
use crate::store as rows;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use repositories::edits::Author;
use repositories::edits::merges::{self, Ended};
use repositories::formats::ref_name::RefName;
use repositories::model::Holder;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often a merge is made again whose branches move meanwhile.
const ATTEMPTS: usize = 5;
/// How long a version and a check are waited for.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often is looked whether they are there.
const PAUSE: Duration = Duration::from_millis(50);

/// What somebody asks for.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub order: Order,
    pub squash: Option<bool>,
    pub should_remove_source_branch: Option<bool>,
    /// It is merged once its checks pass.
    pub auto_merge: bool,
}

/// Merges a merge request that the viewer sees, or has it merged once its checks pass.
///
/// # Errors
///
/// Those of [`Refusal`]; `Unavailable` if its branches move all the time.
pub async fn accept(app: &App, viewer: &Viewer, id: i64, wanted: Wanted) -> Result<()> {
    viewer.signed_in()?;
    settle(app, id, !wanted.auto_merge).await?;
    let (by, order) = (viewer.clone(), wanted.order.clone());
    match app.write(move |tx| begin(tx, &by, id, &wanted)).await?? {
        Accepted::Wait => Ok(()),
        Accepted::Merge => make(app, viewer, id, order, Why::Asked).await,
    }
}

/// Judges it, and notes what is wished of the merge request itself.
fn begin(
    tx: &mut Tx<'_>, viewer: &Viewer, id: i64, wanted: &Wanted,
) -> Result<Result<Accepted, Refusal>> {
    let scene = Scene::read(tx, viewer, id, false)?;
    let asked = scene.asked(wanted.order.sha.as_deref(), wanted.auto_merge);
    let judged = judge(&asked);
    if let Err(Refusal::ShaMissing | Refusal::NotAllowed | Refusal::HeadMoved(_)) = &judged {
        return Ok(judged);
    }
    let mut request = scene.request.clone();
    if !request.is_open() {
        return Ok(judged);
    }
    request.squash = wanted.squash.unwrap_or(request.squash);
    let removes = wanted.should_remove_source_branch;
    request.should_remove_source_branch = removes.or(request.should_remove_source_branch);
    rows::update(tx, &request)?;
    if judged == Ok(Accepted::Wait) {
        auto_merge::set(tx, viewer, &request, &wanted.order)?;
    }
    Ok(match judged {
        // Others may merge into the target now: it is looked at and judged again in turn.
        Err(Refusal::NotMergeable(_)) if scene.facts.lacks_only_a_check() => Ok(Accepted::Merge),
        judged => judged,
    })
}

/// Waits until it is known whether it can be merged, if that does not take too long. Who
/// merges it may leave the files out: while many wait for their turn, each merge moves the
/// target, and what was found out before that is worth nothing.
async fn settle(app: &App, id: i64, leaves_files: bool) -> Result<()> {
    let end = Instant::now() + PATIENCE;
    let mut pause = Duration::ZERO;
    loop {
        let waits = match app.read(move |tx| Scene::unsettled(tx, id)).await? {
            Unsettled::Nothing => false,
            Unsettled::Files => !leaves_files,
            Unsettled::More => true,
        };
        if !waits || Instant::now() > end {
            return Ok(());
        }
        checks::check(app, id).await?;
        sleep(pause).await;
        pause = PAUSE;
    }
}

/// Why it is merged now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    Asked,
    /// It was ordered before, and its checks pass.
    Ordered,
}

/// Merges it, whoever waits for that.
///
/// # Errors
///
/// As [`accept`].
pub async fn make(app: &App, viewer: &Viewer, id: i64, order: Order, why: Why) -> Result<()> {
    let merging = Merging { app: app.clone(), viewer: viewer.clone(), id, order, why };
    // Not with the connection of who asks: the lock would stay.
    tokio::spawn(async move { merging.run().await })
        .await
        .map_err(Error::internal)?
}

/// What came of a try.
enum Tried {
    Merged,
    /// A branch is elsewhere by now.
    Moved,
    Refused(Refusal),
}

/// How one attempt ended.
enum Attempt {
    Done,
    /// A branch is elsewhere by now.
    Moved,
    Failed(String),
}

struct Merging {
    app: App,
    viewer: Viewer,
    id: i64,
    order: Order,
    why: Why,
}

impl Merging {
    async fn run(self) -> Result<()> {
        let id = self.id;
        let project = self.app.read(move |tx| Ok(reread(tx, id)?.target_project_id)).await?;
        let _turn = merges::turn(&self.app, Holder::Code(project)).await?;
        for _ in 0..ATTEMPTS {
            // Nobody waits for others here: all who merge into this project wait for it.
            let found = checks::find_out(&self.app, id).await?;
            let refusal = match self.try_once().await? {
                Tried::Merged => return Ok(()),
                Tried::Moved => continue,
                Tried::Refused(refusal) => refusal,
            };
            if let Some(found) = found {
                found.keep(&self.app).await;
            }
            return Err(refusal.into());
        }
        Err(Error::Unavailable("The branches move too often now. Try again.".into()))
    }

    async fn try_once(&self) -> Result<Tried> {
        let (viewer, id, is_ordered) = (self.viewer.clone(), self.id, self.why == Why::Ordered);
        let read = self.app.read(move |tx| Scene::read(tx, &viewer, id, is_ordered));
        let scene = read.await?;
        if scene.facts.lacks_only_a_check() {
            return Ok(Tried::Moved);
        }
        if let Err(refusal) = judge(&scene.asked(self.order.sha.as_deref(), false)) {
            return Ok(Tried::Refused(refusal));
        }
        Ok(match self.attempt(&scene).await? {
            Attempt::Done => Tried::Merged,
            Attempt::Moved => Tried::Moved,
            Attempt::Failed(text) => {
                self.app.write(move |tx| landed::note_error(tx, id, &text)).await?;
                Tried::Refused(Refusal::CannotMerge)
            }
        })
    }

    async fn attempt(&self, scene: &Scene) -> Result<Attempt> {
        let failed = |text: &str| Ok(Attempt::Failed(text.to_owned()));
        let Some(sides) = &scene.sides else {
            return failed(merge_error::NO_SOURCE);
        };
        if scene.request.head_id != Some(sides.heads.source) {
            return Ok(Attempt::Moved);
        }
        sides.bring(&self.app).await?;
        let by = merges::person(&self.app, &self.viewer, &Author::default()).await?;
        let wish = words::wish(&self.app, &self.viewer, scene, sides, (&self.order, &by)).await?;
        let heads = sides.heads;
        match methods::make(&self.app, &sides.target, &by, heads, &wish).await? {
            Outcome::Made(made) => {
                let noted = Noted {
                    old: heads.target,
                    new: made.head,
                    source: heads.source,
                    brought: made.brought,
                };
                self.land(scene, noted, &made).await
            }
            Outcome::Conflicts(_) => failed(merge_error::NOT_MERGEABLE),
            Outcome::NothingToMerge => failed(merge_error::NO_SOURCE),
            Outcome::NeedsRebase => failed(merge_error::FAST_FORWARD),
            Outcome::NotRebased(failure) => failed(&failure.text()),
            Outcome::NothingLeft => {
                failed(&merge_error::rebase_failed("The target has all of its changes already"))
            }
        }
    }

    async fn land(&self, scene: &Scene, noted: Noted, made: &Made) -> Result<Attempt> {
        let (id, is_ordered, viewer) = (self.id, self.why == Why::Ordered, self.viewer.user_id());
        let lock = move |tx: &mut Tx<'_>| landed::lock(tx, id, &noted, (viewer, is_ordered));
        if !self.app.write(lock).await? {
            return Ok(Attempt::Moved);
        }
        let branch = RefName::branch(&scene.request.target_branch)
            .map_err(|_| Error::internal("a target branch that has no name"))?;
        let (to, old) = (&scene.project, noted.old);
        let ended = landing::merge(&self.app, &self.viewer, to, (branch, old), made).await;
        if matches!(ended, Ok(Ended::Done)) {
            return Ok(Attempt::Done);
        }
        let unlocked = self.app.write(move |tx| landed::unlock(tx, id, &noted)).await;
        unlocked.best_effort("unlock a merge request that was not merged");
        match ended {
            Ok(Ended::Refused(text)) => Ok(Attempt::Failed(merge_error::refused(&text))),
            Err(error) if !landed::is_moved(&error) => Err(error),
            _ => Ok(Attempt::Moved),
        }
    }
}
