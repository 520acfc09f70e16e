//! Paging behind alerts: looking for rules that have come due, and the mail.

use super::rules::paging::carry_on;
use super::store::escalations as rows;
use crate::access::may_look_after;
use crate::alerts::store::alerts;
use crate::mail::{Occasion, post};
use crate::tasks::{Escalate, Tell, wake};
use identity::entities::load_basic;
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run};
use kernel::mail::Message;
use store::Tx;

/// Alerts one transaction looks at.
const BATCH: i64 = 50;
/// How often due rules are looked for even if nobody called, in seconds.
const LOOK: i64 = 60;

const PAGED: Occasion = Occasion {
    subject: "Page",
    happened: "You are paged about an alert",
    because: "of the escalation policy of this project",
};

pub fn register(registry: &mut RegistryBuilder) {
    registry.add_periodic::<Escalate>(LOOK);
    registry.add::<Tell>();
}

impl Job for Escalate {
    const NAME: &'static str = "monitoring.escalate";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.second.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        while run.app.write(look).await? {}
        Ok(())
    }
}

/// Does what is due and sees to it that what comes next is looked for, as of
/// one moment; whether more may be due.
fn look(tx: &mut Tx<'_>) -> Result<bool> {
    let done = carry_on(tx, BATCH)?;
    if usize::try_from(BATCH).is_ok_and(|most| done >= most) {
        return Ok(true);
    }
    if let Some(due_at) = rows::next_due(tx)? {
        wake(tx, due_at)?;
    }
    Ok(false)
}

impl Job for Tell {
    const NAME: &'static str = "monitoring.tell_on_call";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app.clone();
        let message = run.app.read(move |tx| letter(&app, tx, self.page)).await?;
        if let Some(message) = message {
            post(&run.app, &message).await?;
            run.app.write(move |tx| rows::sent(tx, self.page)).await?;
        }
        Ok(())
    }
}

/// The mail of a page, unless it was sent or whom it tells may not know.
fn letter(app: &App, tx: &mut Tx<'_>, page: i64) -> Result<Option<Message>> {
    let Some((alert, user)) = rows::unsent(tx, page)? else {
        return Ok(None);
    };
    let Some((alert, project)) = alerts::with_project(tx, alert)? else {
        return Ok(None);
    };
    let users = load_basic(tx, &[user])?;
    let Some(user) = users.get(&user) else {
        return Ok(None);
    };
    match may_look_after(tx, user, &project)? {
        true => Ok(Some(PAGED.letter(app, user, &alert, &project))),
        false => Ok(None),
    }
}
