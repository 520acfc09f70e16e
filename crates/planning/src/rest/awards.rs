//! Reactions to issues and their notes.

use super::issues::IssuePath;
use super::{in_path, twin};
use crate::access::ProjectAccess;
use crate::entity::notes::{AwardEntity, award};
use crate::model::Issue;
use crate::rules::awards as rules;
use crate::rules::comments::Talk;
use crate::rules::issues::places::{found, found_signed_in};
use crate::store::awards::{self as rows, Award, Awardable};
use identity::caller::Caller;
use identity::entities::load_basic;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::FromParams;
use kernel::http::{
    Call, Created, Flat, FromCall, NoContent, Ok200, Paged, Paging, Params, Routes,
};
use store::Tx;

/// Where reactions to an issue or a note about it are; the last word is the
/// parameter that has the id of one.
const SUBJECTS: [((&str, &str), &str, &str); 2] = [
    (("issues", "an issue"), "", "award_id"),
    (("notes", "a note of an issue"), "/notes/{note_id}", "award_of_note_id"),
];

pub(super) fn routes(r: &mut Routes) {
    for (place, below, award) in SUBJECTS {
        let all = &format!("/projects/{{id}}/issues/{{issue_iid}}{below}/award_emoji");
        let one = &format!("{all}/{{{award}}}");
        twin(r.get(all, list), place, "list", "Lists the reactions to PLACE");
        twin(r.post(all, create), place, "create", "Reacts to PLACE");
        twin(r.get(one, show), place, "show", "Shows a reaction to PLACE");
        let back = "Takes back a reaction to PLACE";
        twin(r.delete(one, destroy), place, "destroy", back);
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

fn shown(tx: &mut Tx<'_>, app: &App, one: &Award) -> Result<AwardEntity> {
    let users = load_basic(tx, &[one.user_id])?;
    Ok(award(app, one, &users))
}

async fn list(by: Caller, subject: Subject, paging: Paging) -> Result<Paged<AwardEntity>> {
    by.read(move |tx, by| {
        let (_, _, to) = subject.find(tx, &by.viewer)?;
        let page = rows::list(tx, to, paging)?;
        let ids: Vec<i64> = page.items.iter().map(|award| award.user_id).collect();
        let users = load_basic(tx, &ids)?;
        Ok(page.map(|one| award(&by.app, &one, &users)))
    })
    .await
}

async fn create(
    by: Caller,
    subject: Subject,
    params: Params<Reaction>,
) -> Result<Created<AwardEntity>> {
    by.write(move |tx, by| {
        let (desk, issue, to) = subject.find_signed_in(tx, &by.viewer)?;
        let made = rules::create(tx, &by.viewer, &desk, &issue, to, &params.name)?;
        shown(tx, &by.app, &made).map(Created)
    })
    .await
}

async fn show(by: Caller, subject: Subject) -> Result<Ok200<AwardEntity>> {
    by.read(move |tx, by| {
        let (_, _, to) = subject.find(tx, &by.viewer)?;
        let found = rows::find(tx, to, subject.award())?.found("")?;
        shown(tx, &by.app, &found).map(Ok200)
    })
    .await
}

async fn destroy(by: Caller, subject: Subject) -> Result<NoContent> {
    by.write(move |tx, by| {
        let (_, _, to) = subject.find_signed_in(tx, &by.viewer)?;
        rules::destroy(tx, &by.viewer, to, subject.award())?;
        Ok(NoContent)
    })
    .await
}
