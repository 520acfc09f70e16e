//! Deletion of what was hidden, and the end of memberships.

use crate::{hooks, rules};
use kernel::error::Result;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run};
use kernel::time::date_of;
use serde::{Deserialize, Serialize};
use store::sql;

/// Registers the kinds of jobs.
pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<DestroyProject>();
    registry.add::<DestroyNamespace>();
    registry.add_periodic::<ExpireMembers>(3_600);
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
        destroy_project(&run, self.project).await?;
        Ok(())
    }
}

async fn destroy_project(run: &Run, id: i64) -> Result<()> {
    run.app
        .write(move |tx| {
            for hook in &hooks::get().project_destroying {
                hook(tx, id)?;
            }
            for forget in [
                sql!("delete from members where source_type = 'Project' and source_id = $1"),
                sql!("delete from invitations where source_type = 'Project' and source_id = $1"),
                sql!("delete from shares where source_type = 'Project' and source_id = $1"),
                sql!("delete from deploy_tokens where source_type = 'Project' and source_id = $1"),
                sql!(
                    "delete from users where kind = 'project_bot' and id in
                        (select user_id from access_tokens
                         where source_type = 'Project' and source_id = $1)"
                ),
                sql!("delete from projects where id = $1 and deletion_scheduled_at is not null"),
            ] {
                tx.execute(forget, (id,))?;
            }
            Ok(())
        })
        .await
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
        let total = below.len() as i64;
        for (done, id) in below.into_iter().enumerate() {
            let projects = run.app.read(move |tx| rules::projects_in(tx, id)).await?;
            for project in projects {
                destroy_project(&run, project).await?;
            }
            run.app.write(move |tx| forget_namespace(tx, id)).await?;
            run.progress(done as i64 + 1, total).await;
        }
        Ok(())
    }
}

fn forget_namespace(tx: &mut store::Tx<'_>, id: i64) -> Result<()> {
    for forget in [
        sql!("delete from members where source_type = 'Group' and source_id = $1"),
        sql!("delete from invitations where source_type = 'Group' and source_id = $1"),
        sql!("delete from shares where source_type = 'Group' and source_id = $1"),
        sql!("delete from deploy_tokens where source_type = 'Group' and source_id = $1"),
        sql!(
            "delete from users where kind = 'group_bot' and id in
                (select user_id from access_tokens
                 where source_type = 'Group' and source_id = $1)"
        ),
        sql!("delete from namespaces where id = $1 and deletion_scheduled_at is not null"),
    ] {
        tx.execute(forget, (id,))?;
    }
    Ok(())
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
