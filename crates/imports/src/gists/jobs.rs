//! When gists come: one import at a time for each user, some gists by each job, and again from
//! where it stands where a node ended in the middle.

use super::bring::{Came, bring};
use super::model::{Gist, GistImport};
use super::tasks::{ImportGists, TellOfGists};
use super::{mail, rules, store as rows};
use crate::sources::provider_a::client;
use crate::upstream::{Client, Failed, Items, Leaf};
use ::store::{Json, Tx};
use identity::viewer::Viewer;
use jiff::SignedDuration;
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Run, enqueue, enqueue_at};
use kernel::read_only;
use kernel::time::Timestamp;

/// Gists of one job.
const SOME: usize = 5;
/// How long one waits for the turn of others, and while nothing may be written.
const AGAIN: SignedDuration = SignedDuration::from_secs(10);
const LATER: SignedDuration = SignedDuration::from_secs(60);
/// How often it is tried to go on where upstream is away.
const MOST_ATTEMPTS: i64 = 8;
/// What stands for gists that could not be listed.
const OTHERS: &str = "All others";

/// When an import goes on.
enum Next {
    Now,
    At(Timestamp),
    Never,
}

impl Job for ImportGists {
    const NAME: &'static str = "imports.gists";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.import.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app.clone();
        if read_only::check(&app).await.is_err() {
            return Ok(app.write(move |tx| wait(tx, &self, LATER)).await?);
        }
        let (this, own) = (self.clone(), run.clone());
        let Some((import, viewer)) = app.write(move |tx| begin(tx, &own, &this)).await? else {
            return Ok(());
        };
        let next = Going { app: &app, viewer, import }.go_on().await?;
        Ok(app.write(move |tx| hand_on(tx, &run, &self, &next)).await?)
    }
}

fn wait(tx: &mut Tx<'_>, job: &ImportGists, pause: SignedDuration) -> Result<()> {
    let at = tx.now() + pause;
    enqueue_at(tx, job, at)
}

/// The import, if it is to go on now, and in whose name.
fn begin(tx: &mut Tx<'_>, run: &Run, job: &ImportGists) -> Result<Option<(GistImport, Viewer)>> {
    let found = rows::find(tx, job.import)?.filter(|import| import.ended_at.is_none());
    let Some(import) = found else {
        return Ok(None);
    };
    if run.has_twin(tx, job)? {
        wait(tx, job, AGAIN)?;
        return Ok(None);
    }
    match identity::access::active_user(tx, import.user_id)? {
        Some(user) => Ok(Some((import, Viewer::addressed(user)))),
        None => {
            rows::delete(tx, import.id)?;
            Ok(None)
        }
    }
}

/// Ends a job and has the next one go on, by one transaction.
fn hand_on(tx: &mut Tx<'_>, run: &Run, job: &ImportGists, next: &Next) -> Result<()> {
    run.end(tx)?;
    match next {
        Next::Now => enqueue(tx, run.app.jobs(), job),
        Next::At(at) => enqueue_at(tx, job, *at),
        Next::Never => Ok(()),
    }
}

/// An import that goes on.
struct Going<'g> {
    app: &'g App,
    viewer: Viewer,
    import: GistImport,
}

impl Going<'_> {
    async fn go_on(mut self) -> Result<Next> {
        let token = rules::token(self.app.secrets(), &self.import)?;
        let asked = match client(self.app, &self.import.base_url, &token, None) {
            Ok(client) => self.page(&client).await,
            Err(failed) => Err(failed),
        };
        let (gists, after) = match asked {
            Ok(page) => page,
            Err(failed) => return self.stopped(failed).await,
        };
        let done = usize::try_from(self.import.done).unwrap_or(usize::MAX);
        for gist in gists.iter().skip(done).take(SOME) {
            match bring(self.app, &self.viewer, &self.import, (gist, &token)).await? {
                Came::Here => {}
                Came::Refused(reason) => self.import.note(gist.title(), reason),
                Came::Busy => return Ok(Next::At(self.app.now() + AGAIN)),
                Came::Away(reason) if self.import.attempts < MOST_ATTEMPTS => {
                    return self.pause(&reason).await;
                }
                Came::Away(reason) => self.import.note(gist.title(), reason),
            }
            self.import.done += 1;
            self.import.attempts = 0;
            self.write().await?;
        }
        if self.import.done < i64::try_from(gists.len()).unwrap_or(i64::MAX) {
            return Ok(Next::Now);
        }
        match after {
            Some(leaf) => {
                self.import.leaf = Some(Json(leaf));
                self.import.done = 0;
                self.write().await?;
                Ok(Next::Now)
            }
            None => self.end().await,
        }
    }

    /// The gists of the page where it stands, and the page after it.
    async fn page(&mut self, client: &Client) -> Result<(Vec<Gist>, Option<Leaf>), Failed> {
        let first = || Leaf::first("/gists?per_page=100".into());
        let leaf = self.import.leaf.as_ref().map_or_else(first, |Json(leaf)| leaf.clone());
        let answer = client.ask::<Items<Gist>>(&leaf.url, &[]).await?;
        let after = leaf.after(answer.next)?;
        let mut gists = Vec::new();
        for item in answer.value.0 {
            match item {
                Ok(gist) => gists.push(gist),
                // The page may be asked for more than once.
                Err(wrong) if self.import.knows(&wrong.key, &wrong.reason) => {}
                Err(wrong) => self.import.note(wrong.key, wrong.reason),
            }
        }
        Ok((gists, after))
    }

    /// Upstream does not list gists now, or not at all.
    async fn stopped(mut self, failed: Failed) -> Result<Next> {
        match failed {
            Failed::Internal(error) => Err(error),
            Failed::Limited(until) => Ok(Next::At(until)),
            failed if failed.may_pass() && self.import.attempts < MOST_ATTEMPTS => {
                self.pause(&failed.to_string()).await
            }
            failed => {
                self.import.note(OTHERS.into(), failed.to_string());
                self.end().await
            }
        }
    }

    /// Goes on later, and later each time.
    async fn pause(mut self, reason: &str) -> Result<Next> {
        tracing::info!(import = self.import.id, reason, "gists wait for their server");
        let doublings = u32::try_from(self.import.attempts.clamp(0, 10)).unwrap_or_default();
        self.import.attempts += 1;
        self.write().await?;
        let pause = SignedDuration::from_secs(60_i64 << doublings);
        Ok(Next::At(self.app.now() + pause))
    }

    async fn end(self) -> Result<Next> {
        let import = self.import;
        self.app.write(move |tx| rules::end(tx, import.clone())).await?;
        Ok(Next::Never)
    }

    async fn write(&self) -> Result<()> {
        let import = self.import.clone();
        self.app.write(move |tx| rows::write(tx, &import)).await
    }
}

impl Job for TellOfGists {
    const NAME: &'static str = "imports.tell_of_gists";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app;
        let base_url = app.base_url().to_owned();
        let message = app.read(move |tx| mail::of_failures(tx, &self, &base_url)).await?;
        match message {
            Some(message) => spaces::mail::deliver(&app, message).await,
            None => Ok(()),
        }
    }
}
