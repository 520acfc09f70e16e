//! Deletion of what was hidden, the end of memberships, and mail.

use crate::activity::{self, Action};
use crate::hooks::{self, Hooks};
use crate::invitations;
use crate::mail::{Membership, deliver, invitation_mail, request_mail};
use crate::model::SourceKind;
use crate::store::invitations::set_digest;
use crate::store::{self as lists, Breadth, Source, deletion as rows, projects, today};
use crate::tasks::{
    DestroyNamespace, DestroyProject, EndBots, ExpireMembers, MemberNews, SendInvitation,
    TellMember, TellOfRequest,
};
use identity::model::UserState;
use identity::oauth::applications::{self, Owner};
use identity::users::Author;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run, enqueue_at};
use kernel::mail::Message;
use kernel::secrets;
use kernel::time::date_of;
use store::Tx;

const BATCH: i64 = 500;
/// Days before a membership ends that its user is told so.
const ENDING_DAYS: i64 = 7;
/// Days for which ended tokens of projects and groups are still listed.
const ENDED_TOKEN_DAYS: i64 = 30;

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<DestroyProject>();
    registry.add::<DestroyNamespace>();
    registry.add::<SendInvitation>();
    registry.add::<TellOfRequest>();
    registry.add::<TellMember>();
    registry.add_periodic::<ExpireMembers>(3_600);
    registry.add_periodic::<EndBots>(3_600);
}

impl Job for DestroyProject {
    const NAME: &'static str = "spaces.destroy_project";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let mut progress = Progress { done: 0, total: contents(&run, self.project).await? };
        destroy_project(&run, self.project, &mut progress).await?;
        Ok(())
    }
}

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
                .write(move |tx| match rows::is_scheduled(tx, id)? {
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

fn forget_project(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    if !rows::is_scheduled(tx, id)? {
        return Ok(());
    }
    for hook in &hooks::get(tx)?.project_destroying {
        hook(tx, id)?;
    }
    forget_source(tx, SourceKind::Project, id)?;
    rows::delete_project(tx, id)
}

/// Ends the bots of a project or group and forgets all that refers to it.
fn forget_source(tx: &mut Tx<'_>, kind: SourceKind, id: i64) -> Result<()> {
    let bots = rows::bots_of(tx, kind, id)?;
    for bot in bots {
        identity::users::leave_bot(tx, &Author::default(), bot)?;
    }
    rows::delete_references(tx, kind, id)
}

impl Job for DestroyNamespace {
    const NAME: &'static str = "spaces.destroy_group";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let top = self.namespace;
        let below = run.app.read(move |tx| rows::scheduled_below(tx, top)).await?;
        let mut projects = Vec::new();
        for id in below.clone() {
            projects.extend(run.app.read(move |tx| projects::ids_in(tx, id)).await?);
        }
        let mut progress = Progress { done: 0, total: (projects.len() + below.len()) as i64 };
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
    for hook in &hooks::get(tx)?.group_destroying {
        hook(tx, id)?;
    }
    if !rows::delete_namespace(tx, id)? {
        return Ok(());
    }
    applications::forget_owner(tx, Owner::Group(id))?;
    // Its uploads went with it.
    hooks::blobs_unnamed(tx)?;
    forget_source(tx, SourceKind::Group, id)
}

impl Job for EndBots {
    const NAME: &'static str = "spaces.end_bots";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let idle = run.app.read(|tx| rows::idle_bots(tx, &today(tx))).await?;
        for bot in idle {
            run.app
                .write(move |tx| identity::users::leave_bot(tx, &Author::default(), bot))
                .await?;
        }
        run.app
            .write(|tx| {
                let old = tx.now() - jiff::SignedDuration::from_hours(24 * ENDED_TOKEN_DAYS);
                rows::delete_ended_tokens(tx, old)
            })
            .await?;
        Ok(())
    }
}

impl Job for ExpireMembers {
    const NAME: &'static str = "spaces.expire_members";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        run.app.write(expire_members).await?;
        Ok(())
    }
}

fn expire_members(tx: &mut Tx<'_>) -> Result<()> {
    let today = today(tx);
    for (kind, id, user_id) in rows::delete_expired_members(tx, &today)? {
        activity::member(tx, (kind, id), user_id, Action::Expired)?;
    }
    tell_ending(tx)?;
    rows::delete_expired(tx, &today)
}

/// Has those told whose membership ends within days, once for each end.
fn tell_ending(tx: &mut Tx<'_>) -> Result<()> {
    let now = tx.now();
    let Ok(last) = date_of(now).checked_add(jiff::Span::new().days(ENDING_DAYS)) else {
        return Ok(());
    };
    for (kind, source_id, user) in rows::members_ending(tx, &today(tx), &last.to_string(), BATCH)? {
        let job = TellMember {
            news: MemberNews::Ending,
            source_type: kind.as_str().to_owned(),
            source_id,
            user,
            actor: None,
        };
        enqueue_at(tx, &job, now)?;
    }
    Ok(())
}

impl Job for TellMember {
    const NAME: &'static str = "spaces.tell_member";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let base_url = run.app.base_url().to_owned();
        let message = run.app.read(move |tx| member_mail(tx, &self, &base_url)).await?;
        match message {
            Some(message) => deliver(&run.app, message).await,
            None => Ok(()),
        }
    }
}

/// What is so of a membership that is still there.
fn member_mail(tx: &mut Tx<'_>, job: &TellMember, base_url: &str) -> Result<Option<Message>> {
    let Some(kind) = SourceKind::from_text(&job.source_type) else {
        return Ok(None);
    };
    let (Some(subject), Some(to)) = (
        invitations::subject(tx, kind, job.source_id)?,
        identity::users::find(tx, job.user)?,
    ) else {
        return Ok(None);
    };
    let (id, groups) = (job.source_id, Vec::new());
    let source = Source { kind, id, name: String::new(), groups };
    let row = lists::member(tx, &source, Breadth::Direct, to.id)?;
    let is_told = subject.emails_enabled && to.state == UserState::Active && to.is_human();
    let Some(row) = row.filter(|_| is_told) else {
        return Ok(None);
    };
    let actor = match job.actor {
        Some(id) => identity::users::find(tx, id)?,
        None => None,
    };
    let membership = Membership {
        news: job.news,
        subject: &subject,
        to: &to,
        actor: actor.as_ref(),
        row: &row,
    };
    Ok(Some(membership.mail(base_url)))
}

impl Job for SendInvitation {
    const NAME: &'static str = "spaces.send_invitation";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let id = self.invitation;
        // The text of the token exists only here and in the mail.
        let token = secrets::random_token("");
        let digest = secrets::digest(token.expose());
        let found = run
            .app
            .write(move |tx| {
                set_digest(tx, id, digest.clone())?;
                invitations::by_id(tx, id)
            })
            .await?;
        match found {
            Some((invitation, subject)) => {
                let link = run.app.url(&format!("/-/invites/{}", token.expose()));
                deliver(&run.app, invitation_mail(&invitation, &subject, &link)).await
            }
            None => Ok(()),
        }
    }
}

impl Job for TellOfRequest {
    const NAME: &'static str = "spaces.tell_of_request";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let news = self.news;
        let base_url = run.app.base_url().to_owned();
        let message = run
            .app
            .read(move |tx| {
                let Some(kind) = SourceKind::from_text(&self.source_type) else {
                    return Ok(None);
                };
                let subject = invitations::subject(tx, kind, self.source_id)?;
                let user = identity::users::find(tx, self.user)?;
                let to = identity::users::find(tx, self.to)?;
                Ok(match (subject, user, to) {
                    (Some(subject), Some(user), Some(to))
                        if subject.emails_enabled && to.state == UserState::Active =>
                    {
                        Some(request_mail(news, &base_url, &subject, &user, &to))
                    }
                    _ => None,
                })
            })
            .await?;
        match message {
            Some(message) => deliver(&run.app, message).await,
            None => Ok(()),
        }
    }
}
