//! Reactions to issues and their notes.

use super::in_path;
use super::issues::IssuePath;
use crate::access::ProjectAccess;
use crate::entity::notes::{AwardEntity, award};
use crate::model::Issue;
use crate::rules::awards as rules;
use crate::rules::comments::Talk;
use crate::rules::issues::places::{found, found_signed_in};
use crate::store::awards::{self as rows, Award, Awardable};
use identity::entities::load_basic;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::FromParams;
use kernel::http::{
    Call, Created, Flat, FromCall, NoContent, Ok200, Paged, Paging, Params, Routes,
};
use std::collections::HashMap;
use store::Tx;

/// Where reactions to an issue or a note about it are; the last word is the
/// parameter that has the id of one.
const SUBJECTS: [(&str, &str, &str, &str); 2] = [
    ("issues", "an issue", "", "award_id"),
    (
        "notes",
        "a note of an issue",
        "/notes/{note_id}",
        "award_of_note_id",
    ),
];

pub(super) fn routes(r: &mut Routes) {
    for (subjects, words, below, award) in SUBJECTS {
        let all = &format!("/projects/{{id}}/issues/{{issue_iid}}{below}/award_emoji");
        let one = &format!("{all}/{{{award}}}");
        let name = |handler: &str| format!("{subjects}_{handler}");
        r.get(all, list)
            .named(&name("list"))
            .summary(format!("Lists the reactions to {words}"));
        r.post(all, create)
            .named(&name("create"))
            .summary(format!("Reacts to {words}"));
        r.get(one, show)
            .named(&name("show"))
            .summary(format!("Shows a reaction to {words}"));
        r.delete(one, destroy)
            .named(&name("destroy"))
            .summary(format!("Takes back a reaction to {words}"));
    }
}

kernel::params! {
    /// An issue or a note about it, and perhaps one of the reactions to it.
    pub struct Subject {
        pub issue: Flat<IssuePath>,
        /// Id of the note.
        pub note_id: Option<i64>,
        /// Id of the reaction.
        pub award_id: Option<i64>,
        /// Id of the reaction.
        pub award_of_note_id: Option<i64>,
    }
}

kernel::params! {
    pub struct Reaction {
        /// Name of an emoji, without colons.
        pub name: String,
    }
}

impl FromCall for Subject {
    async fn from_call(call: &mut Call) -> Result<Self> {
        in_path(call)
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.in_path(Subject::fields());
    }
}

impl Subject {
    fn find(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<(ProjectAccess, Issue, Awardable)> {
        let (desk, issue) = found(tx, viewer, &self.issue.id, self.issue.issue_iid)?;
        self.within(tx, viewer, desk, issue)
    }

    fn find_signed_in(
        &self,
        tx: &mut Tx<'_>,
        viewer: &Viewer,
    ) -> Result<(ProjectAccess, Issue, Awardable)> {
        let (desk, issue) = found_signed_in(tx, viewer, &self.issue.id, self.issue.issue_iid)?;
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
            Some(id) => Awardable::Note(Talk::new(viewer, &desk, &issue).find(tx, id)?.id),
            None => Awardable::Issue(issue.id),
        };
        Ok((desk, issue, to))
    }

    /// The reaction that the path names; 0, which none has, if it names none.
    fn award(&self) -> i64 {
        self.award_id.or(self.award_of_note_id).unwrap_or(0)
    }
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
    params: Params<Reaction>,
) -> Result<Created<AwardEntity>> {
    let (made, users) = app
        .write(move |tx| {
            let (desk, issue, to) = subject.find_signed_in(tx, &viewer)?;
            let made = rules::create(tx, &viewer, &desk, &issue, to, &params.name)?;
            let users = users(tx, std::slice::from_ref(&made))?;
            Ok((made, users))
        })
        .await?;
    Ok(Created(award(&app, &made, &users)))
}

async fn show(app: App, viewer: Viewer, subject: Subject) -> Result<Ok200<AwardEntity>> {
    let (found, users) = app
        .read(move |tx| {
            let (_, _, to) = subject.find(tx, &viewer)?;
            let found = rows::find(tx, to, subject.award())?.found("")?;
            let users = users(tx, std::slice::from_ref(&found))?;
            Ok((found, users))
        })
        .await?;
    Ok(Ok200(award(&app, &found, &users)))
}

async fn destroy(app: App, viewer: Viewer, subject: Subject) -> Result<NoContent> {
    app.write(move |tx| {
        let (_, _, to) = subject.find_signed_in(tx, &viewer)?;
        rules::destroy(tx, &viewer, to, subject.award())?;
        Ok(NoContent)
    })
    .await
}
