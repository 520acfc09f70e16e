//! Mail to those who own and maintain a project.

use crate::alerts::model::{Alert, Status};
use crate::alerts::store::alerts as rows;
use crate::mail::{Occasion, post};
use crate::tasks::{News, TellOwner, TellOwners};
use identity::entities::load_basic;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Run, enqueue_at};
use spaces::Project;
use spaces::access::MAINTAINER;
use spaces::model::SourceKind;
use spaces::store::{Source, managers};
use store::Tx;

/// Most people told of one alert.
const MOST: i64 = 200;

impl Job for TellOwners {
    const NAME: &'static str = "monitoring.tell_owners";

    async fn run(self, run: Run) -> Result<(), Failure> {
        run.app
            .write(move |tx| {
                let Some((_, project)) = subject(tx, self.alert, self.news)? else {
                    return Ok(());
                };
                let source = Source {
                    kind: SourceKind::Project,
                    id: project.id,
                    name: project.full_path.clone(),
                    groups: project.ancestors(),
                };
                let mut people = managers(tx, &source, MAINTAINER, MOST)?;
                people.extend(project.namespace_owner_id);
                people.sort_unstable();
                people.dedup();
                let now = tx.now();
                for user in people {
                    let tell = TellOwner { alert: self.alert, news: self.news, user };
                    enqueue_at(tx, &tell, now)?;
                }
                Ok(())
            })
            .await?;
        Ok(())
    }
}

/// The alert with its project, if there is still something to tell: who looks
/// after it or ignores it knows of it.
fn subject(tx: &mut Tx<'_>, alert: i64, news: News) -> Result<Option<(Alert, Project)>> {
    let wanted = match news {
        News::Began => Status::Triggered,
        News::Ended => Status::Resolved,
    };
    let found = rows::with_project(tx, alert)?;
    Ok(found.filter(|(alert, _)| alert.status == wanted))
}

impl Job for TellOwner {
    const NAME: &'static str = "monitoring.tell_owner";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app.clone();
        let message = run
            .app
            .read(move |tx| {
                let Some((alert, project)) = subject(tx, self.alert, self.news)? else {
                    return Ok(None);
                };
                let users = load_basic(tx, &[self.user])?;
                let to = users.get(&self.user).filter(|user| user.refusal().is_none());
                Ok(to.map(|to| occasion(self.news).letter(&app, to, &alert, &project)))
            })
            .await?;
        let Some(message) = message else {
            return Ok(());
        };
        Ok(post(&run.app, &message).await?)
    }
}

fn occasion(news: News) -> Occasion {
    let (subject, happened) = match news {
        News::Began => ("Alert", "An alert began"),
        News::Ended => ("Resolved", "An alert is over"),
    };
    Occasion {
        subject,
        happened,
        because: "you own or maintain this project",
    }
}
