//! Deletion of what was hidden, and the end of memberships.

use crate::hooks::{self, Hooks};
use crate::mail::{SendInvitation, TellOfRequest};
use crate::model::SourceKind;
use crate::rules;
use identity::oauth::applications::{self, Owner};
use identity::users::Author;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run};
use kernel::time::date_of;
use serde::{Deserialize, Serialize};
use store::{Tx, sql};

/// Rows one transaction removes.
const BATCH: i64 = 500;
/// Days for which ended tokens of projects and groups are still listed.
const ENDED_TOKEN_DAYS: i64 = 30;

/// Registers the kinds of jobs.
pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<DestroyProject>();
    registry.add::<DestroyNamespace>();
    registry.add::<SendInvitation>();
    registry.add::<TellOfRequest>();
    registry.add_periodic::<ExpireMembers>(3_600);
    registry.add_periodic::<EndBots>(3_600);
}

/// Deletes a hidden project.
#[derive(Serialize, Deserialize)]
pub struct DestroyProject {
    /// Its id.
    pub project: i64,
}

impl Job for DestroyProject {
    const NAME: &'static str = "spaces.destroy_project";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let mut progress = Progress {
            done: 0,
            total: contents(&run, self.project).await?,
        };
        destroy_project(&run, self.project, &mut progress).await?;
        Ok(())
    }
}

/// How far a job has come, in rows.
struct Progress {
    done: i64,
    total: i64,
}

impl Progress {
    async fn add(&mut self, run: &Run, rows: i64) {
        self.done += rows;
        run.progress(self.done, self.total.max(self.done)).await;
    }
}

/// Rows the rooms above hold of a project.
async fn contents(run: &Run, id: i64) -> Result<i64> {
    run.app
        .read(move |tx| {
            let mut total = 0;
            for contents in &hooks::get(tx)?.contents {
                total += (contents.count)(tx, id)?;
            }
            Ok(total)
        })
        .await
}

/// Empties a project piece by piece, so that other writes get between, then
/// deletes it.
async fn destroy_project(run: &Run, id: i64, progress: &mut Progress) -> Result<()> {
    let hooks: &Hooks = run.app.plugged()?;
    for &contents in &hooks.contents {
        loop {
            let removed = run
                .app
                .write(move |tx| match is_scheduled(tx, id)? {
                    true => (contents.remove)(tx, id, BATCH),
                    false => Ok(0),
                })
                .await?;
            if removed == 0 {
                break;
            }
            progress.add(run, removed).await;
        }
    }
    run.app.write(move |tx| forget_project(tx, id)).await
}

fn is_scheduled(tx: &mut Tx<'_>, id: i64) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!("select id from projects where id = $1 and deletion_scheduled_at is not null"),
        (id,),
    )?;
    Ok(found.is_some())
}

fn forget_project(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    if !is_scheduled(tx, id)? {
        return Ok(());
    }
    for hook in &hooks::get(tx)?.project_destroying {
        hook(tx, id)?;
    }
    forget_source(tx, SourceKind::Project, id)?;
    tx.execute(sql!("delete from projects where id = $1"), (id,))?;
    Ok(())
}

/// Ends the bots of a project or group and forgets all that refers to it.
fn forget_source(tx: &mut Tx<'_>, kind: SourceKind, id: i64) -> Result<()> {
    let bots: Vec<i64> = tx.all(
        sql!(
            "select distinct user_id from access_tokens where source_type = $1 and source_id = $2"
        ),
        (kind, id),
    )?;
    for bot in bots {
        identity::users::leave_bot(tx, &Author::default(), bot)?;
    }
    for forget in [
        sql!("delete from access_tokens where source_type = $1 and source_id = $2"),
        sql!("delete from members where source_type = $1 and source_id = $2"),
        sql!("delete from invitations where source_type = $1 and source_id = $2"),
        sql!("delete from shares where source_type = $1 and source_id = $2"),
        sql!("delete from deploy_tokens where source_type = $1 and source_id = $2"),
    ] {
        tx.execute(forget, (kind, id))?;
    }
    Ok(())
}

/// Deletes a hidden group or user namespace with all below it.
#[derive(Serialize, Deserialize)]
pub struct DestroyNamespace {
    /// Its id.
    pub namespace: i64,
}

impl Job for DestroyNamespace {
    const NAME: &'static str = "spaces.destroy_group";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let top = self.namespace;
        // The deepest first: a parent cannot go before its children.
        let below: Vec<i64> = run
            .app
            .read(move |tx| {
                Ok(tx.all(
                    sql!(
                        "select n.id from namespaces top join namespaces n
                            on n.lineage >= top.lineage and n.lineage < top.lineage || ':'
                         where top.id = $1 and top.deletion_scheduled_at is not null
                         order by n.depth desc, n.id"
                    ),
                    (top,),
                )?)
            })
            .await?;
        let mut projects = Vec::new();
        for id in below.clone() {
            projects.extend(run.app.read(move |tx| rules::projects_in(tx, id)).await?);
        }
        let mut progress = Progress {
            done: 0,
            total: (projects.len() + below.len()) as i64,
        };
        for project in &projects {
            progress.total += contents(&run, *project).await?;
        }
        for project in projects {
            destroy_project(&run, project, &mut progress).await?;
            progress.add(&run, 1).await;
        }
        for id in below {
            run.app.write(move |tx| forget_namespace(tx, id)).await?;
            progress.add(&run, 1).await;
        }
        Ok(())
    }
}

fn forget_namespace(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let gone = tx.execute(
        sql!("delete from namespaces where id = $1 and deletion_scheduled_at is not null"),
        (id,),
    )?;
    match gone {
        0 => Ok(()),
        _ => {
            applications::forget_owner(tx, Owner::Group(id))?;
            forget_source(tx, SourceKind::Group, id)
        }
    }
}

/// Ends bots none of whose tokens opens anything, and forgets tokens that
/// ended long ago.
#[derive(Default, Serialize, Deserialize)]
pub struct EndBots {}

impl Job for EndBots {
    const NAME: &'static str = "spaces.end_bots";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let idle: Vec<i64> = run
            .app
            .read(|tx| {
                let today = date_of(tx.now()).to_string();
                Ok(tx.all(
                    sql!(
                        "select u.id from users u
                         where u.kind in ('project_bot', 'group_bot') and not exists
                            (select 1 from access_tokens t where t.user_id = u.id
                                and not t.revoked
                                and (t.expires_at is null or t.expires_at > $1))"
                    ),
                    (today,),
                )?)
            })
            .await?;
        for bot in idle {
            run.app
                .write(move |tx| identity::users::leave_bot(tx, &Author::default(), bot))
                .await?;
        }
        run.app
            .write(|tx| {
                let old = tx.now() - jiff::SignedDuration::from_hours(24 * ENDED_TOKEN_DAYS);
                Ok(tx.execute(
                    sql!(
                        "delete from access_tokens where kind in ('project', 'group')
                            and updated_at < $1
                            and user_id in (select id from users where kind = 'ghost')"
                    ),
                    (old,),
                )?)
            })
            .await?;
        Ok(())
    }
}

/// Removes memberships and shares whose day has come; they stopped counting
/// at its first instant.
#[derive(Default, Serialize, Deserialize)]
pub struct ExpireMembers {}

impl Job for ExpireMembers {
    const NAME: &'static str = "spaces.expire_members";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        run.app
            .write(|tx| {
                let today = date_of(tx.now()).to_string();
                tx.execute(
                    sql!("delete from members where expires_at <= $1"),
                    (&today,),
                )?;
                tx.execute(sql!("delete from shares where expires_at <= $1"), (&today,))?;
                tx.execute(
                    sql!("delete from invitations where expires_at <= $1"),
                    (&today,),
                )?;
                Ok(())
            })
            .await?;
        Ok(())
    }
}
