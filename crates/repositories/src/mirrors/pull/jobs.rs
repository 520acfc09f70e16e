//! When mirrors follow: one at a time for each project, on whatever node, and again from
//! where it stands where a node ended in the middle. Whatever goes wrong is told to who
//! maintains the project, and tried again, less and less often.

use super::following::{Begun, Done, follow};
use super::model::{MOST_FAILURES, PullMirror, next_after};
use super::rules::schedule;
use super::store::Ended;
use super::tasks::{FollowDue, FollowUpstream, TellOfMirror};
use super::{mail, store as rows, switch};
use crate::access::{self, Pushing};
use crate::mirrors::model::UpdateStatus;
use crate::mirrors::turns::{Direction, Turns};
use crate::place::Place;
use crate::protection::Way;
use ::store::{Json, Tx};
use identity::viewer::Viewer;
use jiff::SignedDuration;
use kernel::app::App;
use kernel::audit::{self, Author};
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::jobs::{Failure, Job, Run, enqueue_at};
use kernel::read_only;
use serde_json::json;
use spaces::access::{MAINTAINER, Purpose, find_project, may};
use spaces::imports::{self, ImportStatus};
use spaces::model::Project;
use spaces::rules::of_project;
use spaces::store::{Source, managers};

/// How long one waits that came too many.
const AGAIN: SignedDuration = SignedDuration::from_secs(10);
/// How long one waits that nothing may be written for.
const LATER: SignedDuration = SignedDuration::from_secs(60);
/// Mirrors that wait at most because they are due.
const WAITING: i64 = 50;
/// People who are told that a mirror was switched off.
const MOST_TOLD: i64 = 20;
/// What is said to the server where what comes begins no pipelines.
const NO_PIPELINE: &str = "ci.no_pipeline";

const NOBODY: &str = "The user as whom this mirror acts may not push to the project any more. \
     Somebody who maintains it has to save the mirror again.";
const OURS: &str = "This server could not follow.";

impl Job for FollowUpstream {
    const NAME: &'static str = "repositories.pull_mirror";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.mirror.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app.clone(), self.mirror);
        if read_only::check(&app).await.is_err() {
            return Ok(app.write(move |tx| wait(tx, id, LATER)).await?);
        }
        let turns = app.kept::<Turns>();
        let Some(_turn) = turns.take(Direction::Pull) else {
            return Ok(app.write(move |tx| wait(tx, id, AGAIN)).await?);
        };
        let Some(begun) = app.write(move |tx| begin(tx, &run, id)).await? else {
            return Ok(());
        };
        let done = match follow(&app, &begun).await {
            Ok(done) => done,
            Err(error) => failed(error, id),
        };
        Ok(app.write(move |tx| end(tx, id, &done)).await?)
    }
}

fn wait(tx: &mut Tx<'_>, id: i64, pause: SignedDuration) -> Result<()> {
    let at = tx.now() + pause;
    enqueue_at(tx, &FollowUpstream { mirror: id }, at)
}

/// What became of a run that this server failed at.
fn failed(error: Error, id: i64) -> Done {
    let failure = match error {
        Error::Unavailable(text) if !text.is_empty() => text,
        error => {
            tracing::error!(%error, mirror = id, "a project could not follow its mirror");
            OURS.to_owned()
        }
    };
    Done { failure: Some(failure), ..Done::default() }
}

/// The mirror and where what it has goes to, if the project is to follow it now.
fn begin(tx: &mut Tx<'_>, run: &Run, id: i64) -> Result<Option<Begun>> {
    let Some(mirror) = rows::find(tx, id)?.filter(PullMirror::is_wanted) else {
        return Ok(None);
    };
    let project = find_project(tx, &Reference::Id(mirror.project_id))?;
    let Some(project) = project.filter(|it| !it.archived) else {
        return rest(tx, &mirror);
    };
    if !mirror.is_import && !switch::is_on_for(tx, &project)? {
        return rest(tx, &mirror);
    }
    if run.has_twin(tx, &FollowUpstream { mirror: id })? {
        wait(tx, id, AGAIN)?;
        return Ok(None);
    }
    let (now, free_at) = (tx.now(), mirror.free_at(tx.now()));
    match mirror.update_status {
        UpdateStatus::Scheduled if free_at > now => {
            enqueue_at(tx, &FollowUpstream { mirror: id }, free_at)?;
            return Ok(None);
        }
        // One that has started was left by a server that ended meanwhile.
        UpdateStatus::Scheduled | UpdateStatus::Started => {}
        UpdateStatus::None | UpdateStatus::Finished | UpdateStatus::Failed => return Ok(None),
    }
    rows::started(tx, id, next_after(now, mirror.failures))?;
    if mirror.is_import {
        imports::note(tx, project.id, ImportStatus::Started, None)?;
    }
    let to = pushing(tx, &mirror, &project)?;
    Ok(Some(Begun { mirror, project, to }))
}

/// Lets a mirror be for now.
fn rest(tx: &mut Tx<'_>, mirror: &PullMirror) -> Result<Option<Begun>> {
    let until = next_after(tx.now(), mirror.failures);
    rows::rests(tx, mirror.id, until)?;
    Ok(None)
}

/// Where what comes goes to, in the name of who set it up, if they still may: who maintains
/// the project, since nothing is protected from a mirror.
fn pushing(
    tx: &mut Tx<'_>, mirror: &PullMirror, project: &Project,
) -> Result<Result<Pushing, String>> {
    let user = match mirror.user_id {
        Some(id) => identity::access::active_user(tx, id)?,
        None => None,
    };
    let Some(viewer) = user.map(Viewer::addressed) else {
        return Ok(Err(NOBODY.into()));
    };
    let (way, purpose) = match mirror.is_import {
        true => (Way::Import, Purpose::PushCode),
        false => (Way::Mirror, Purpose::Update),
    };
    if !may(tx, &viewer, project, Purpose::PushCode)? || !may(tx, &viewer, project, purpose)? {
        return Ok(Err(NOBODY.into()));
    }
    let to = access::writing(tx, &viewer, &Place::code(project))?;
    let options = match mirror.trigger_builds {
        true => Vec::new(),
        false => vec![NO_PIPELINE.to_owned()],
    };
    Ok(Ok(Pushing { way, options, ..to }))
}

/// Notes what came of a run.
fn end(tx: &mut Tx<'_>, id: i64, done: &Done) -> Result<()> {
    let Some(mirror) = rows::find(tx, id)? else {
        return Ok(());
    };
    let after = settled(&mirror, done);
    rows::update(tx, &after)?;
    let began = mirror.last_update_started_at.unwrap_or(tx.now());
    let (status, import) = match done.failure {
        Some(_) => (UpdateStatus::Failed, ImportStatus::Failed),
        None => (UpdateStatus::Finished, ImportStatus::Finished),
    };
    let run = Ended {
        status,
        error: done.failure.as_deref().or(done.left.as_deref()),
        failures: after.failures,
        next: next_after(began, after.failures),
    };
    rows::ended(tx, id, &run)?;
    if mirror.is_import && !is_asked_again(&mirror) {
        imports::note(tx, mirror.project_id, import, done.failure.as_deref())?;
    }
    match mirror.enabled && !after.enabled {
        true => tell(tx, &after),
        false => Ok(()),
    }
}

/// A mirror after a run.
fn settled(mirror: &PullMirror, done: &Done) -> PullMirror {
    let has_failed = done.failure.is_some();
    let mut after = mirror.clone();
    after.failures = if has_failed { mirror.failures + 1 } else { 0 };
    if after.server.host_keys.0.is_empty() {
        after.server.host_keys = Json(done.host_keys.clone());
    }
    after.enabled &= after.failures < MOST_FAILURES;
    let again = is_asked_again(mirror);
    // What a project that follows it could not begin with is tried again.
    after.is_import &= again || (has_failed && after.enabled);
    if mirror.is_import && !mirror.enabled && !again {
        after.server.forget_secrets();
    }
    after
}

/// Whether what a project begins with shall be something else by now.
fn is_asked_again(mirror: &PullMirror) -> bool {
    mirror.is_import && !mirror.enabled && mirror.update_status == UpdateStatus::Scheduled
}

/// Has those told who maintain the project of a mirror that was switched off.
fn tell(tx: &mut Tx<'_>, mirror: &PullMirror) -> Result<()> {
    let Some(project) = find_project(tx, &Reference::Id(mirror.project_id))? else {
        return Ok(());
    };
    let details = json!({"url": mirror.server.shown_url, "failures": mirror.failures});
    audit::record(tx, Author::default(), "pull_mirror.stop", of_project(&project), details)?;
    let now = tx.now();
    for to in managers(tx, &Source::of_project(&project), MAINTAINER, MOST_TOLD)? {
        enqueue_at(tx, &TellOfMirror { mirror: mirror.id, to }, now)?;
    }
    Ok(())
}

impl Job for FollowDue {
    const NAME: &'static str = "repositories.pull_mirrors_due";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        Ok(run.app.write(schedule_due).await?)
    }
}

/// Has those follow that are due, as far as not too many wait already.
fn schedule_due(tx: &mut Tx<'_>) -> Result<()> {
    let room = WAITING - rows::busy(tx)?;
    let due = rows::due(tx, room.max(1))?;
    due.iter().try_for_each(|mirror| schedule(tx, mirror))
}

impl Job for TellOfMirror {
    const NAME: &'static str = "repositories.tell_of_mirror";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app: App = run.app;
        let base_url = app.base_url().to_owned();
        let message = app.read(move |tx| mail::of_stop(tx, &self, &base_url)).await?;
        match message {
            Some(message) => spaces::mail::deliver(&app, message).await,
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::blank;
    use super::*;

    fn after(mirror: &PullMirror, failure: Option<&str>) -> PullMirror {
        let failure = failure.map(str::to_owned);
        let host_keys = vec!["ssh-ed25519 AAAA".to_owned()];
        settled(mirror, &Done { failure, host_keys, left: None })
    }

    fn mirror(enabled: bool, is_import: bool) -> PullMirror {
        let mut mirror = PullMirror { enabled, is_import, ..blank(1) };
        mirror.server.sealed_credentials = Some("sealed".into());
        mirror
    }

    #[test]
    fn a_mirror_that_always_fails_is_switched_off_and_one_that_does_not_goes_on() {
        let mut one = mirror(true, false);
        for failures in 1..MOST_FAILURES {
            one = after(&one, Some("gone"));
            assert_eq!((one.enabled, one.failures), (true, failures));
        }
        let well = after(&one, None);
        assert_eq!((well.enabled, well.failures), (true, 0));
        let off = after(&one, Some("gone"));
        assert!(!off.enabled && off.gave_up());
        assert!(off.server.sealed_credentials.is_some(), "it may be switched on again");
    }

    #[test]
    fn an_import_ends_and_what_proves_who_asks_with_it() {
        for failure in [None, Some("gone")] {
            let once = after(&mirror(false, true), failure);
            assert!(!once.is_import && once.server.sealed_credentials.is_none());
            let goes_on = after(&mirror(true, true), failure);
            assert_eq!(goes_on.is_import, failure.is_some());
            assert!(goes_on.enabled && goes_on.server.sealed_credentials.is_some());
        }
    }

    #[test]
    fn what_a_server_shows_first_is_what_it_is_known_by() {
        let mut one = after(&mirror(true, false), None);
        assert_eq!(one.server.host_keys.0, ["ssh-ed25519 AAAA"]);
        one.server.host_keys = Json(vec!["ssh-ed25519 BBBB".into()]);
        assert_eq!(after(&one, None).server.host_keys.0, ["ssh-ed25519 BBBB"]);
    }
}
