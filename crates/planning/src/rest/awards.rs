//! Reactions to issues and their notes.

use crate::access::ProjectAccess;
use crate::entity::notes::{AwardEntity, award};
use crate::model::Issue;
use crate::rules::issues::places::{found, found_signed_in};
use crate::rules::{awards as rules, comments};
use crate::store::awards::{self as rows, Award, Awardable};
use identity::entities::load_basic;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use std::collections::HashMap;
use store::Tx;

/// An issue, or a note about it.
struct Subject {
    id: Reference,
    issue_iid: i64,
    note_id: Option<i64>,
}

impl Subject {
    /// What is reacted to, for who may see it.
    fn find(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<(ProjectAccess, Issue, Awardable)> {
        let (desk, issue) = found(tx, viewer, &self.id, self.issue_iid)?;
        self.within(tx, viewer, desk, issue)
    }

    /// The same for somebody signed in.
    fn find_signed_in(
        &self,
        tx: &mut Tx<'_>,
        viewer: &Viewer,
    ) -> Result<(ProjectAccess, Issue, Awardable)> {
        let (desk, issue) = found_signed_in(tx, viewer, &self.id, self.issue_iid)?;
        desk.writable()?;
        self.within(tx, viewer, desk, issue)
    }

    fn within(
        &self,
        tx: &mut Tx<'_>,
        viewer: &Viewer,
        desk: ProjectAccess,
        issue: Issue,
    ) -> Result<(ProjectAccess, Issue, Awardable)> {
        let to = match self.note_id {
            Some(id) => Awardable::Note(comments::find(tx, viewer, &desk, &issue, id)?.id),
            None => Awardable::Issue(issue.id),
        };
        Ok((desk, issue, to))
    }
}

macro_rules! of_subjects {
    ($($module:ident, $word:literal, $base:literal, $one:literal, $award:literal,
        { $($(#[doc = $doc:literal])* $field:ident: $ty:ty),* }, $note:expr;)*) => {$(
        mod $module {
            use super::*;

            kernel::params! {
                /// What is reacted to.
                pub struct At {
                    /// Id or path of the project.
                    pub id: Reference,
                    /// Number of the issue.
                    pub issue_iid: i64,
                    $($(#[doc = $doc])* pub $field: $ty,)*
                }
            }

            kernel::params! {
                /// What is reacted to, and how.
                pub struct Give {
                    /// Id or path of the project.
                    pub id: Reference,
                    /// Number of the issue.
                    pub issue_iid: i64,
                    $($(#[doc = $doc])* pub $field: $ty,)*
                    /// Name of an emoji, without colons.
                    pub name: String,
                }
            }

            kernel::params! {
                /// A reaction.
                pub struct Given {
                    /// Id or path of the project.
                    pub id: Reference,
                    /// Number of the issue.
                    pub issue_iid: i64,
                    $($(#[doc = $doc])* pub $field: $ty,)*
                    /// Id of the reaction.
                    pub award_id as $award: i64,
                }
            }

            pub fn routes(r: &mut Routes) {
                r.get($base, list)
                    .summary(concat!("Lists the reactions to ", $word));
                r.post($base, create)
                    .summary(concat!("Reacts to ", $word));
                r.get($one, show)
                    .summary(concat!("Shows a reaction to ", $word));
                r.delete($one, destroy)
                    .summary(concat!("Takes back a reaction to ", $word));
            }

            async fn list(
                app: App,
                viewer: Viewer,
                at: Params<At>,
                paging: Paging,
            ) -> Result<Paged<AwardEntity>> {
                let note: fn(&At) -> Option<i64> = $note;
                let subject = Subject {
                    id: at.id.clone(),
                    issue_iid: at.issue_iid,
                    note_id: note(&at),
                };
                super::list(app, viewer, subject, paging).await
            }

            async fn create(
                app: App,
                viewer: Viewer,
                params: Params<Give>,
            ) -> Result<Created<AwardEntity>> {
                let note: fn(&Give) -> Option<i64> = $note;
                let subject = Subject {
                    id: params.id.clone(),
                    issue_iid: params.issue_iid,
                    note_id: note(&params),
                };
                super::create(app, viewer, subject, params.0.name).await
            }

            async fn show(
                app: App,
                viewer: Viewer,
                params: Params<Given>,
            ) -> Result<Ok200<AwardEntity>> {
                let note: fn(&Given) -> Option<i64> = $note;
                let subject = Subject {
                    id: params.id.clone(),
                    issue_iid: params.issue_iid,
                    note_id: note(&params),
                };
                super::show(app, viewer, subject, params.award_id).await
            }

            async fn destroy(
                app: App,
                viewer: Viewer,
                params: Params<Given>,
            ) -> Result<NoContent> {
                let note: fn(&Given) -> Option<i64> = $note;
                let subject = Subject {
                    id: params.id.clone(),
                    issue_iid: params.issue_iid,
                    note_id: note(&params),
                };
                super::destroy(app, viewer, subject, params.award_id).await
            }
        }
    )*};
}

of_subjects! {
    issues, "an issue",
        "/projects/{id}/issues/{issue_iid}/award_emoji",
        "/projects/{id}/issues/{issue_iid}/award_emoji/{award_id}", "award_id",
        {}, |_| None;
    notes, "a note of an issue",
        "/projects/{id}/issues/{issue_iid}/notes/{note_id}/award_emoji",
        "/projects/{id}/issues/{issue_iid}/notes/{note_id}/award_emoji/{award_of_note_id}", "award_of_note_id",
        { /// Id of the note.
          note_id: i64 }, |at| Some(at.note_id);
}

pub(super) fn routes(r: &mut Routes) {
    issues::routes(r);
    notes::routes(r);
}

type Users = HashMap<i64, User>;

fn users(tx: &mut Tx<'_>, awards: &[Award]) -> Result<Users> {
    let ids: Vec<i64> = awards.iter().map(|award| award.user_id).collect();
    Ok(load_basic(tx, &ids)?)
}

async fn list(
    app: App,
    viewer: Viewer,
    subject: Subject,
    paging: Paging,
) -> Result<Paged<AwardEntity>> {
    let (page, users) = app
        .read(move |tx| {
            let (_, _, to) = subject.find(tx, &viewer)?;
            let page = rows::list(tx, to, paging)?;
            let users = users(tx, &page.items)?;
            Ok((page, users))
        })
        .await?;
    Ok(page.map(|one| award(&app, &one, &users)))
}

async fn create(
    app: App,
    viewer: Viewer,
    subject: Subject,
    name: String,
) -> Result<Created<AwardEntity>> {
    let (made, users) = app
        .write(move |tx| {
            let (desk, issue, to) = subject.find_signed_in(tx, &viewer)?;
            let made = rules::create(tx, &viewer, &desk, &issue, to, &name)?;
            let users = users(tx, std::slice::from_ref(&made))?;
            Ok((made, users))
        })
        .await?;
    Ok(Created(award(&app, &made, &users)))
}

async fn show(app: App, viewer: Viewer, subject: Subject, id: i64) -> Result<Ok200<AwardEntity>> {
    let (found, users) = app
        .read(move |tx| {
            let (_, _, to) = subject.find(tx, &viewer)?;
            let found = rows::find(tx, to, id)?.found("")?;
            let users = users(tx, std::slice::from_ref(&found))?;
            Ok((found, users))
        })
        .await?;
    Ok(Ok200(award(&app, &found, &users)))
}

async fn destroy(app: App, viewer: Viewer, subject: Subject, id: i64) -> Result<NoContent> {
    app.write(move |tx| {
        let (_, _, to) = subject.find_signed_in(tx, &viewer)?;
        rules::destroy(tx, &viewer, to, id)?;
        Ok(NoContent)
    })
    .await
}
