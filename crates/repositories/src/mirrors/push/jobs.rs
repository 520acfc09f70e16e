//! A mirror follows what was pushed. Whatever goes wrong is told to who maintains the
//! project; the next push, or they, have it try again.

use super::model::RemoteMirror;
use super::tasks::PushMirror;
use super::{pushing, store as rows};
use crate::mirrors::turns::{Direction, Turns};
use ::store::{Json, Tx};
use jiff::SignedDuration;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::jobs::{Failure, Job, Run, enqueue_at};
use spaces::access::find_project;
use spaces::model::Project;

/// How long one waits that came too many.
const AGAIN: SignedDuration = SignedDuration::from_secs(10);

impl Job for PushMirror {
    const NAME: &'static str = "repositories.push_mirror";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.mirror.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app, self.mirror);
        let turns = app.kept::<Turns>();
        let Some(_turn) = turns.take(Direction::Push) else {
            return Ok(app.write(move |tx| wait(tx, id)).await?);
        };
        let Some((mirror, project)) = app.write(move |tx| begin(tx, id)).await? else {
            return Ok(());
        };
        let (failure, learned) = follow(&app, mirror, project).await;
        app.write(move |tx| {
            if !learned.is_empty() {
                rows::learned(tx, id, learned.clone())?;
            }
            rows::ended(tx, id, failure.as_deref())
        })
        .await?;
        Ok(())
    }
}

fn wait(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let at = tx.now() + AGAIN;
    enqueue_at(tx, &PushMirror { mirror: id }, at)
}

/// The mirror, if it is to follow now.
fn begin(tx: &mut Tx<'_>, id: i64) -> Result<Option<(RemoteMirror, Project)>> {
    let Some(mirror) = rows::find(tx, id)?.filter(|mirror| mirror.enabled) else {
        return Ok(None);
    };
    let project = find_project(tx, &Reference::Id(mirror.project_id))?;
    let Some(project) = project.filter(|it| !it.archived) else {
        return Ok(None);
    };
    let (now, free_at) = (tx.now(), mirror.free_at(tx.now()));
    if free_at > now {
        // It was begun by a server that ended meanwhile.
        enqueue_at(tx, &PushMirror { mirror: id }, free_at)?;
        return Ok(None);
    }
    rows::started(tx, id)?;
    Ok(Some((mirror, project)))
}

/// Why it could not follow, and the keys that its server showed.
async fn follow(
    app: &App, mirror: RemoteMirror, project: Project,
) -> (Option<String>, Vec<String>) {
    let (id, Json(known)) = (mirror.id, mirror.server.host_keys.clone());
    match pushing::push(app, mirror, project).await {
        Ok(done) => {
            let learned = if known.is_empty() { done.host_keys } else { Vec::new() };
            (done.failure, learned)
        }
        Err(Error::Unavailable(text)) if !text.is_empty() => (Some(text), Vec::new()),
        Err(error) => {
            tracing::error!(%error, mirror = id, "a mirror could not follow");
            (Some("The server could not update this mirror.".into()), Vec::new())
        }
    }
}
