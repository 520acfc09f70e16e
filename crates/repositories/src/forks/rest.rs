//! `/fork/sync` of projects.

use super::sync::sync;
use identity::Caller;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Accepted, Params, Routes};
use kernel::ids::Reference;
use kernel::limits::Limiter;

pub(super) fn routes(r: &mut Routes) {
    r.post("/projects/{id}/fork/sync", update)
        .summary("Has a branch of a fork follow that of its source");
}

/// Times that a user has forks follow: 10 in half an hour.
struct Syncs(Limiter);

impl Default for Syncs {
    fn default() -> Syncs {
        Syncs(Limiter::new("fork_syncs", 10, 30 * 60))
    }
}

kernel::params! {
    /// A fork and its branch.
    struct SyncFork {
        /// Id or path of the fork.
        pub id: Reference,
        /// Its branch; the default branch of its source unless given.
        pub branch: Option<String>,
    }
}

/// Refuses who has forks follow too often.
pub fn count(app: &App, viewer: &Viewer) -> Result<()> {
    let key = viewer.signed_in()?.user.id.to_string();
    let decision = app.kept::<Syncs>().0.check(&key, app.now());
    match decision.allowed {
        true => Ok(()),
        false => Err(Error::Limited(decision.retry_after)),
    }
}

async fn update(by: Caller, params: Params<SyncFork>) -> Result<Accepted> {
    count(&by.app, &by.viewer)?;
    let Params(asked) = params;
    let branch = asked.branch.filter(|name| !name.is_empty());
    sync(&by.app, &by.viewer, asked.id, branch).await.map(|()| Accepted)
}
