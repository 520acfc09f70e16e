//! Page by page: a source is asked for the next one of a stage, and one transaction writes
//! what it holds and where the one after it begins.
//!
//! Whoever writes looks first whether the import still stands where the page was asked for:
//! one that was given up meanwhile writes nothing more, and no page is written twice.

use super::bring::{Load, bring, bring_each};
use super::failures;
use super::model::{
    Credentials, Import, Lost, Page, SILENCE, Stage, TimeoutStrategy, Trouble, told,
};
use super::rules::{fail, finish};
use super::seals;
use crate::sources::Source;
use crate::store as rows;
use crate::writers::{self, Desk, Prepared, prepare};
use ::store::Tx;
use jiff::SignedDuration;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::time::Timestamp;
use spaces::access::find_project;
use spaces::imports::ImportStatus;
use spaces::model::Project;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one job works before the next goes on.
const SLICE: Duration = Duration::from_secs(10);
/// How long one waits that went wrong for the first time; each time after that it is doubled.
const PAUSE: SignedDuration = SignedDuration::from_secs(15);
/// Doublings at most: half an hour and a little.
const MOST_DOUBLINGS: i64 = 7;
/// How long an import rests that keeps following.
const FOLLOWING: SignedDuration = SignedDuration::from_mins(5);

const OURS: &str = "This server could not go on; it tries again.";
const WAITS: &str = "Upstream asks to wait.";
const SEALED: &str = "What proves there who asks cannot be read any more.";
const REPEATS: &str = "Upstream repeats a page, so it never ends.";

/// When an import goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Now,
    At(Timestamp),
    Never,
}

/// What came of a page.
enum Went {
    /// The import after it.
    On(Box<Import>),
    Off(Next),
}

/// Where an import stood when something was asked for it.
#[derive(Clone)]
struct Place {
    import: i64,
    round: i64,
    /// As stored.
    stage: Option<Stage>,
    cursor: Option<String>,
    /// What was asked for.
    at: Stage,
    /// What comes after it.
    after: Stage,
}

/// What went wrong, in words for who maintains the project.
#[derive(Debug, Clone)]
enum Setback {
    Wait(Timestamp),
    Away(String),
    Refused(String),
    Lost { reason: String, next: Option<String> },
}

/// Goes on with an import for a while.
pub(super) async fn go_on(app: &App, mut import: Import) -> Result<Next> {
    let began = Instant::now();
    let credentials = match seals::unseal(app.secrets(), &import) {
        Ok(credentials) => credentials,
        Err(error) => {
            tracing::error!(%error, import = import.id, "credentials of an import do not open");
            return stop(app, import, SEALED.to_owned()).await;
        }
    };
    let source = match Source::open(app, &import, credentials.clone()).await {
        Ok(source) => source,
        Err(trouble) => {
            let at = import.stage.unwrap_or(Stage::Repository);
            let setback = match setback(trouble, credentials.as_ref(), import.id) {
                Setback::Lost { reason, .. } => Setback::Refused(reason),
                other => other,
            };
            let went = set_back(app, place(&import, at, at), setback).await?;
            return Ok(ended(went));
        }
    };
    let stages = source.stages(&import);
    loop {
        let at = current(stages, import.stage);
        if at == Stage::Finish {
            let place = place(&import, at, at);
            note_closing(app, &place).await?;
            return app.write(move |tx| come_through(tx, &place)).await;
        }
        let place = place(&import, at, following(stages, at));
        let cursor = import.cursor.as_deref().filter(|_| import.stage == Some(at));
        let answer = match source.page(app, &import, at, cursor).await {
            Ok(page) => check(page, cursor),
            Err(trouble) => Err(trouble),
        };
        let went = match answer {
            Ok(page) => write_page(app, (&import, &place), page).await?,
            Err(trouble) => {
                let setback = setback(trouble, credentials.as_ref(), import.id);
                set_back(app, place, setback).await?
            }
        };
        import = match went {
            Went::On(after) => *after,
            Went::Off(next) => return Ok(next),
        };
        if began.elapsed() >= SLICE {
            return Ok(Next::Now);
        }
    }
}

fn place(import: &Import, at: Stage, after: Stage) -> Place {
    Place {
        import: import.id,
        round: import.round,
        stage: import.stage,
        cursor: import.cursor.clone(),
        at,
        after,
    }
}

/// The stage an import stands at.
fn current(stages: &[Stage], stage: Option<Stage>) -> Stage {
    let known = stage.filter(|stage| stages.contains(stage));
    known.or(stages.first().copied()).unwrap_or(Stage::Finish)
}

/// The stage after one.
fn following(stages: &[Stage], stage: Stage) -> Stage {
    let at = stages.iter().position(|other| *other == stage);
    let next = at.and_then(|at| stages.get(at + 1));
    next.copied().unwrap_or(Stage::Finish)
}

/// Refuses a page that breaks what was agreed.
fn check(page: Page, cursor: Option<&str>) -> Result<Page, Trouble> {
    if page.next.is_some() && page.next.as_deref() == cursor {
        return Err(Trouble::Refused(REPEATS.into()));
    }
    let is_long = page.next.as_ref().is_some_and(|next| next.len() > Page::LONGEST_CURSOR);
    match is_long || page.objects.len() > Page::MOST {
        true => Err(Trouble::Internal(Error::internal("a source answers too large a page"))),
        false => Ok(page),
    }
}

/// Trouble as it is stored: nothing of it is secret.
fn setback(trouble: Trouble, credentials: Option<&Credentials>, import: i64) -> Setback {
    let told = |text: &str| told(&seals::masked(text, credentials));
    match trouble {
        Trouble::Wait(until) => Setback::Wait(until),
        Trouble::Away(text) => Setback::Away(told(&text)),
        Trouble::Refused(text) => Setback::Refused(told(&text)),
        Trouble::Lost { reason, next } => Setback::Lost { reason: told(&reason), next },
        Trouble::Internal(error) => {
            tracing::error!(%error, import, "an import does not come on");
            Setback::Away(OURS.to_owned())
        }
    }
}

/// Writes a page whole, or else each thing of it for itself.
async fn write_page(app: &App, (import, place): (&Import, &Place), page: Page) -> Result<Went> {
    match write_well(app, (import, place), page).await {
        Ok(went) => Ok(went),
        Err(error) => {
            let setback = setback(Trouble::Internal(error), None, place.import);
            set_back(app, place.clone(), setback).await
        }
    }
}

async fn write_well(app: &App, (import, place): (&Import, &Place), page: Page) -> Result<Went> {
    let prepared = prepare(app, import, &page.objects).await?;
    let load = Arc::new((page, prepared));
    match write_once(app, place, &load, bring).await {
        Err(Error::Unavailable(text)) => Err(Error::Unavailable(text)),
        Err(error) => {
            let (import, stage) = (place.import, place.at);
            tracing::info!(%error, import, %stage, "a page is written thing by thing");
            write_once(app, place, &load, bring_each).await
        }
        Ok(went) => Ok(went),
    }
}

/// How the objects of a page are written.
type Bring = fn(&mut Tx<'_>, &mut Import, &Project, Load<'_>) -> Result<()>;

async fn write_once(
    app: &App, place: &Place, load: &Arc<(Page, Prepared)>, how: Bring,
) -> Result<Went> {
    let (place, load) = (place.clone(), load.clone());
    app.write(move |tx| {
        let Some((mut import, project)) = standing(tx, &place)? else {
            return Ok(Went::Off(Next::Never));
        };
        let (page, prepared) = load.as_ref();
        let load = Load { stage: place.at, objects: &page.objects, prepared };
        how(tx, &mut import, &project, load)?;
        for lost in &page.lost {
            failures::of_lost(tx, &mut import, place.at, lost)?;
        }
        for (kind, count) in &page.brought {
            import.stats.0.fetched(*kind, *count);
            import.stats.0.imported(*kind, *count);
        }
        advance(tx, import, &place, page.next.clone())
    })
    .await
}

/// The import and its project, if it still stands there.
fn standing(tx: &mut Tx<'_>, place: &Place) -> Result<Option<(Import, Project)>> {
    let Some(import) = rows::find(tx, place.import)? else {
        return Ok(None);
    };
    let stands = import.status == ImportStatus::Started
        && import.round == place.round
        && import.stage == place.stage
        && import.cursor == place.cursor;
    if !stands {
        return Ok(None);
    }
    let project = find_project(tx, &Reference::Id(import.project_id))?;
    Ok(project.map(|project| (import, project)))
}

/// Moves an import on, to the next page or to the next stage.
fn advance(tx: &mut Tx<'_>, import: Import, place: &Place, next: Option<String>) -> Result<Went> {
    let stage = match next {
        Some(_) => place.at,
        None => place.after,
    };
    let import = Import {
        stage: Some(stage),
        cursor: next,
        attempts: 0,
        waits_until: None,
        last_error: None,
        progressed_at: tx.now(),
        ..import
    };
    rows::write(tx, &import)?;
    Ok(Went::On(Box::new(import)))
}

/// Notes what went wrong, and says when to go on.
async fn set_back(app: &App, place: Place, setback: Setback) -> Result<Went> {
    app.write(move |tx| {
        let Some((import, _)) = standing(tx, &place)? else {
            return Ok(Went::Off(Next::Never));
        };
        match &setback {
            Setback::Refused(reason) => {
                fail(tx, import, reason)?;
                Ok(Went::Off(Next::Never))
            }
            Setback::Lost { reason, next } => {
                let key = place.cursor.clone().unwrap_or_default();
                lose(tx, import, &place, (format!("page:{key}"), reason.as_str()), next.clone())
            }
            Setback::Wait(until) => {
                let until = (*until).clamp(tx.now() + PAUSE, tx.now() + SILENCE);
                wait(tx, import, &place, (until, WAITS))
            }
            Setback::Away(reason) => {
                let until = tx.now() + pause(import.attempts);
                wait(tx, import, &place, (until, reason.as_str()))
            }
        }
    })
    .await
}

/// How long one waits that went wrong so often before.
fn pause(attempts: i64) -> SignedDuration {
    let doublings = u32::try_from(attempts.clamp(0, MOST_DOUBLINGS)).unwrap_or_default();
    PAUSE * 2_i32.pow(doublings)
}

/// Goes on after a part that is lost.
fn lose(
    tx: &mut Tx<'_>, mut import: Import, place: &Place, (key, reason): (String, &str),
    next: Option<String>,
) -> Result<Went> {
    let lost = Lost { kind: place.at.kind(), key, reason: reason.to_owned() };
    failures::of_lost(tx, &mut import, place.at, &lost)?;
    advance(tx, import, place, next)
}

/// Waits, unless that went on for too long.
fn wait(
    tx: &mut Tx<'_>, import: Import, place: &Place, (until, reason): (Timestamp, &str),
) -> Result<Went> {
    let attempts = import.attempts + 1;
    let is_silent = attempts > 1 && import.progressed_at + SILENCE <= tx.now();
    if is_silent {
        let text = format!("No progress for 24 hours at {}: {reason}", place.at);
        return match import.options.0.timeout_strategy {
            TimeoutStrategy::Pessimistic => {
                fail(tx, import, &text)?;
                Ok(Went::Off(Next::Never))
            }
            TimeoutStrategy::Optimistic => {
                lose(tx, import, place, (format!("stage:{}", place.at), text.as_str()), None)
            }
        };
    }
    let import = Import {
        attempts,
        waits_until: Some(until),
        last_error: Some(reason.to_owned()),
        ..import
    };
    rows::write(tx, &import)?;
    Ok(Went::Off(Next::At(until)))
}

/// Open merge requests learn which issues they close, some of them in each transaction.
async fn note_closing(app: &App, place: &Place) -> Result<()> {
    let mut after = Some(0);
    while let Some(last) = after {
        let place = place.clone();
        let next = app.write(move |tx| {
            let Some((import, project)) = standing(tx, &place)? else {
                return Ok(None);
            };
            let prepared = Prepared::default();
            let mut desk = Desk::open(tx, &import, &project, &prepared)?;
            writers::finish(tx, &mut desk, last)
        });
        after = next.await?;
    }
    Ok(())
}

/// Ends a round: the import is done, or begins again.
fn come_through(tx: &mut Tx<'_>, place: &Place) -> Result<Next> {
    let Some((import, _)) = standing(tx, place)? else {
        return Ok(Next::Never);
    };
    let now = tx.now();
    // Something may have changed there before it was enough.
    let is_missing_some = import.cut_over_at.is_some_and(|at| at > import.round_started_at);
    let begins_again = import.is_live || is_missing_some;
    let import = Import {
        round: import.round + 1,
        synced_at: Some(import.round_started_at),
        stage: import.stage.filter(|_| !begins_again),
        cursor: None,
        attempts: 0,
        progressed_at: now,
        waits_until: import.is_live.then_some(now + FOLLOWING),
        ..import
    };
    if !begins_again {
        finish(tx, import)?;
        return Ok(Next::Never);
    }
    rows::write(tx, &import)?;
    Ok(import.waits_until.map_or(Next::Now, Next::At))
}

/// Ends an import at once.
async fn stop(app: &App, import: Import, reason: String) -> Result<Next> {
    let at = import.stage.unwrap_or(Stage::Repository);
    let went = set_back(app, place(&import, at, at), Setback::Refused(reason)).await?;
    Ok(ended(went))
}

fn ended(went: Went) -> Next {
    match went {
        Went::On(_) => Next::Now,
        Went::Off(next) => next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAGES: &[Stage] = &[Stage::Repository, Stage::Labels, Stage::Finish];

    #[test]
    fn stages_follow_one_another_to_the_end() {
        assert_eq!(current(STAGES, None), Stage::Repository);
        assert_eq!(current(STAGES, Some(Stage::Labels)), Stage::Labels);
        assert_eq!(current(STAGES, Some(Stage::Wiki)), Stage::Repository);
        assert_eq!(current(&[], None), Stage::Finish);
        assert_eq!(following(STAGES, Stage::Repository), Stage::Labels);
        assert_eq!(following(STAGES, Stage::Labels), Stage::Finish);
        assert_eq!(following(STAGES, Stage::Finish), Stage::Finish);
    }

    #[test]
    fn who_is_away_is_asked_less_and_less_often() {
        let seconds: Vec<i64> = (0..9).map(|attempts| pause(attempts).as_secs()).collect();
        assert_eq!(seconds, [15, 30, 60, 120, 240, 480, 960, 1920, 1920]);
    }

    #[test]
    fn pages_that_never_end_are_refused() {
        let page = |next: &str| Page { next: Some(next.into()), ..Page::default() };
        assert!(check(page("2"), Some("1")).is_ok());
        assert!(matches!(check(page("1"), Some("1")), Err(Trouble::Refused(_))));
        let long = "x".repeat(Page::LONGEST_CURSOR + 1);
        assert!(matches!(check(page(&long), None), Err(Trouble::Internal(_))));
        assert!(check(Page::default(), None).is_ok());
    }

    #[test]
    fn secrets_are_not_stored_with_what_went_wrong() {
        let credentials = Credentials { username: None, secret: "token-1".into() };
        let trouble = Trouble::Refused("upstream says token-1".into());
        let Setback::Refused(text) = setback(trouble, Some(&credentials), 1) else {
            panic!("it is refused");
        };
        assert_eq!(text, "upstream says *****");
    }
}
