//! Reactions to issues and epics, and to their notes.

use super::epics::EpicRequest;
use super::issues::IssueRequest;
use super::noted::{self, Noted, Spot};
use super::{in_path, twin};
use crate::entity::notes::{AwardEntity, award};
use crate::rules::awards as rules;
use crate::store::awards::{self as rows, Award, Awardable};
use identity::entities::load_basic;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::FromParams;
use kernel::http::{Call, Created, FromCall, NoContent, Ok200, Paged, Paging, Params, Routes};
use store::Tx;

pub(super) fn routes(r: &mut Routes) {
    let issue = "/projects/{id}/issues/{issue_iid}";
    of::<IssueRequest>(r, issue, [("issues", "an issue"), ("notes", "a note of an issue")]);
    for (base, name) in super::epics::BASES {
        let (epic, of_note) = (format!("{base}/{{epic_iid}}"), format!("{name}_notes"));
        of::<EpicRequest>(r, &epic, [(name, "an epic"), (&of_note, "a note of an epic")]);
    }
}

/// Reactions to one kind of thing and to notes about it, as these are called.
pub(super) fn of<R: Noted>(r: &mut Routes, base: &str, [thing, note]: [(&str, &str); 2]) {
    reactions::<R>(r, base, thing, "award_id");
    of_notes::<R>(r, base, note);
}

/// Those to notes alone.
pub(super) fn of_notes<R: Noted>(r: &mut Routes, base: &str, note: (&str, &str)) {
    reactions::<R>(r, &format!("{base}/notes/{{note_id}}"), note, "award_of_note_id");
}

/// Reactions to what has this path; the last word is the parameter that has the id of one.
fn reactions<R: Noted>(r: &mut Routes, base: &str, place: (&str, &str), award: &str) {
    let all = &format!("{base}/award_emoji");
    let one = &format!("{all}/{{{award}}}");
    twin(r.get(all, list::<R>), place, "list", "Lists the reactions to PLACE");
    twin(r.post(all, create::<R>), place, "create", "Reacts to PLACE");
    twin(r.get(one, show::<R>), place, "show", "Shows a reaction to PLACE");
    let back = "Takes back a reaction to PLACE";
    twin(r.delete(one, destroy::<R>), place, "destroy", back);
}

kernel::params! {
    /// A note, if the reaction is to one, and perhaps one of the reactions.
    pub struct Subject {
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
    /// What the reaction is to: the thing itself, or a note about it.
    fn of(&self, tx: &mut Tx<'_>, spot: &Spot<'_>) -> Result<Awardable> {
        match self.note_id {
            Some(id) => Ok(Awardable::Note(spot.talk.find(tx, id)?.id)),
            None => Ok(spot.awardable),
        }
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

async fn list<R: Noted>(at: R, subject: Subject, paging: Paging) -> Result<Paged<AwardEntity>> {
    noted::read(at, move |tx, spot| {
        let to = subject.of(tx, &spot)?;
        let page = rows::list(tx, to, paging)?;
        let ids: Vec<i64> = page.items.iter().map(|award| award.user_id).collect();
        let users = load_basic(tx, &ids)?;
        Ok(page.map(|one| award(&spot.by.app, &one, &users)))
    })
    .await
}

async fn create<R: Noted>(
    at: R, subject: Subject, params: Params<Reaction>,
) -> Result<Created<AwardEntity>> {
    noted::write(at, move |tx, spot| {
        let to = subject.of(tx, &spot)?;
        let talk = spot.talk;
        let made = rules::create(tx, talk.viewer, talk.desk, talk.topic, to, &params.name)?;
        shown(tx, &spot.by.app, &made).map(Created)
    })
    .await
}

async fn show<R: Noted>(at: R, subject: Subject) -> Result<Ok200<AwardEntity>> {
    noted::read(at, move |tx, spot| {
        let to = subject.of(tx, &spot)?;
        let found = rows::find(tx, to, subject.award())?.found("")?;
        shown(tx, &spot.by.app, &found).map(Ok200)
    })
    .await
}

async fn destroy<R: Noted>(at: R, subject: Subject) -> Result<NoContent> {
    noted::write(at, move |tx, spot| {
        let to = subject.of(tx, &spot)?;
        rules::destroy(tx, &spot.by.viewer, to, subject.award())?;
        Ok(NoContent)
    })
    .await
}
