//! What a placeholder has is given to who it stood for, some rows at a time; and mail of it.

use super::model::SourceUserStatus;
use super::tasks::{Reassign, TellOfReassignment};
use super::{mail, rules, store as rows};
use ::store::Tx;
use identity::hooks::{HandOver, Hooks};
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Run};

/// Rows one transaction gives.
const BATCH: i64 = 1_000;

impl Job for Reassign {
    const NAME: &'static str = "imports.reassign";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.source_user.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app, self.source_user);
        let parties = app.read(move |tx| parties(tx, id)).await?;
        if let Some((placeholder, user)) = parties {
            for give in all(&app)? {
                while app.write(move |tx| give(tx, placeholder, Some(user), BATCH)).await? > 0 {}
            }
        }
        Ok(app.write(move |tx| rules::complete(tx, id)).await?)
    }
}

/// The placeholder, and who it stood for.
fn parties(tx: &mut Tx<'_>, id: i64) -> Result<Option<(i64, i64)>> {
    let found = rows::by_id(tx, id)?;
    let row = found.filter(|row| row.status == SourceUserStatus::ReassignmentInProgress);
    Ok(row.and_then(|row| row.placeholder_id.zip(row.user_id)))
}

/// All that says of a user what they made, did and have to do.
fn all(app: &App) -> Result<Vec<HandOver>> {
    let hooks: &Hooks = app.plugged()?;
    let mut all = hooks.handing_over.clone();
    all.push(planning::store::upkeep::take_over);
    all.push(reviews::store::upkeep::take_over);
    Ok(all)
}

impl Job for TellOfReassignment {
    const NAME: &'static str = "imports.tell_of_reassignment";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app;
        let address = app.url(mail::PAGE);
        let message = app.read(move |tx| mail::of_question(tx, &self, &address)).await?;
        match message {
            Some(message) => spaces::mail::deliver(&app, message).await,
            None => Ok(()),
        }
    }
}
