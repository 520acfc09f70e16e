//! Having a repository packed anew.

use crate::access;
use identity::Caller;
use kernel::error::{Error, Result};
use kernel::http::{Created, Params, Routes};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use kernel::limits::Limiter;
use repositories::upkeep::{Compact, Prune};
use spaces::access::{OWNER, level_in_project};

const AGAIN: &str = "The repository was packed anew within this hour. Try again later.";

pub(super) fn routes(r: &mut Routes) {
    r.post("/projects/{id}/housekeeping", begin)
        .summary("Has the repository of a project packed anew by a job");
}

/// How often that is done: once an hour.
struct Runs(Limiter);

impl Default for Runs {
    fn default() -> Runs {
        Runs(Limiter::new("housekeeping", 1, 60 * 60))
    }
}

kernel::choices! {
    /// How much is done.
    enum HousekeepingTask {
        Eager = "eager",
        Prune = "prune",
    }
}

kernel::params! {
    struct Housekeeping {
        /// Id or path of the project.
        pub id: Reference,
        /// `eager` makes its packs fewer, as is done unless said; `prune` also removes what
        /// no branch or tag leads to.
        pub task: Option<HousekeepingTask>,
    }
}

async fn begin(by: Caller, Params(asked): Params<Housekeeping>) -> Result<Created<()>> {
    by.viewer.signed_in()?;
    let found = by.clone().read(move |tx, by| {
        let code = access::find(tx, &by.viewer, &asked.id)?;
        match level_in_project(tx, &by.viewer, &code.project)? >= OWNER {
            true => Ok(code.repository),
            false => Err(Error::forbidden("")),
        }
    });
    let Some(repository) = found.await?.map(|repository| repository.id) else {
        return Ok(Created(()));
    };
    if !by.app.kept::<Runs>().0.check(&repository.to_string(), by.app.now()).allowed {
        return Err(Error::Conflict(AGAIN.into()));
    }
    let task = asked.task.unwrap_or(HousekeepingTask::Eager);
    let begun = by.app.write(move |tx| {
        let now = tx.now();
        match task {
            HousekeepingTask::Eager => enqueue_at(tx, &Compact { repository }, now),
            HousekeepingTask::Prune => enqueue_at(tx, &Prune { repository }, now),
        }
    });
    begun.await.map(Created)
}
