//! Mail about projects that stand elsewhere, to those of their members who are told
//! of anything.

use crate::mail::{deliver, moved_letter};
use crate::notifications::recipients::{MOST, gets_mail};
use crate::notifications::{model::Level, rules};
use crate::store::people;
use crate::tasks::{TellMoved, TellMovedTo};
use ::store::Tx;
use identity::entities::load_basic;
use kernel::app::App;
use kernel::error::Result;
use kernel::ids::Reference;
use kernel::jobs::{Failure, Job, Run, enqueue_at};
use kernel::mail::{Message, Thread};
use spaces::access::{GUEST, find_project, role_in_project};

impl Job for TellMoved {
    const NAME: &'static str = "planning.tell_moved";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let project = self.project;
        let members = run.app.read(move |tx| members(tx, project)).await?;
        let app = run.app.clone();
        app.write(move |tx| {
            if !run.end(tx)? {
                return Ok(());
            }
            let now = tx.now();
            let others = members.iter().filter(|user| Some(**user) != self.actor);
            others.copied().try_for_each(|user| {
                let (from, actor) = (self.from.clone(), self.actor);
                enqueue_at(tx, &TellMovedTo { project, from, actor, user }, now)
            })
        })
        .await?;
        Ok(())
    }
}

/// Members who are told of anything there.
fn members(tx: &mut Tx<'_>, id: i64) -> Result<Vec<i64>> {
    let Some(project) = find_project(tx, &Reference::Id(id))? else {
        return Ok(Vec::new());
    };
    if !people::emails_enabled(tx, &project.ancestors())? {
        return Ok(Vec::new());
    }
    let ids = people::member_ids(tx, project.id, &project.ancestors(), MOST as i64)?;
    let levels = rules::levels(tx, &ids, &project)?;
    let is_told = |user: &i64| {
        levels.get(user).is_some_and(|holds| match holds.level {
            Level::Disabled => false,
            Level::Custom => holds.switches.is_on("moved_project"),
            _ => true,
        })
    };
    Ok(ids.into_iter().filter(is_told).collect())
}

impl Job for TellMovedTo {
    const NAME: &'static str = "planning.tell_moved_to";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app.clone();
        match run.app.read(move |tx| mail(&app, tx, &self)).await? {
            Some((message, thread)) => deliver(&run.app, message, thread).await,
            None => Ok(()),
        }
    }
}

fn mail(app: &App, tx: &mut Tx<'_>, job: &TellMovedTo) -> Result<Option<(Message, Thread)>> {
    let Some(project) = find_project(tx, &Reference::Id(job.project))? else {
        return Ok(None);
    };
    let people: Vec<i64> = [Some(job.user), job.actor].into_iter().flatten().collect();
    let users = load_basic(tx, &people)?;
    let Some(to) = users.get(&job.user).filter(|user| gets_mail(user)) else {
        return Ok(None);
    };
    if role_in_project(tx, to.id, &project)? < GUEST {
        return Ok(None);
    }
    let address = rules::address_for(tx, to, &project)?;
    let actor = job.actor.and_then(|id| users.get(&id));
    moved_letter(app, address, actor, &project, &job.from).map(Some)
}
