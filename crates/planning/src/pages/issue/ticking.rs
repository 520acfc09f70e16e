//! Boxes of an issue's texts, ticked one by one.

use super::DESCRIPTION;
use super::actions::at;
use crate::access::ProjectAccess;
use crate::model::Issue;
use crate::pages::desk;
use crate::rules::comments::Talk;
use crate::rules::issues::places::found_to_write;
use crate::rules::issues::requests;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::flash;
use kernel::http::params::Text;
use kernel::http::{Params, Response};
use kernel::markup::{Tick, version};
use spaces::access::Purpose;
use spaces::pages::Visit;
use store::Tx;

const CHANGED: &str = "Somebody changed this text since you opened the page, so nothing was \
                       ticked. Go back, reload the page and try again.";

kernel::params! {
    pub struct BoxForm {
        pub issue_iid: i64,
        /// The note that has the box; else the description does.
        pub note_id: Option<i64>,
        /// Which box, and what becomes of it.
        pub task: Text,
        /// The text that the box was seen in.
        pub version: Text,
        pub page: Option<i64>,
    }
}

pub async fn tick(app: App, visit: Visit, form: Params<BoxForm>) -> Result<Response> {
    let Params(form) = form;
    let tick = Tick::of(&form.task);
    let tick = tick.ok_or_else(|| Error::Parameters(vec!["task is invalid".into()]))?;
    let (iid, note_id, page) = (form.issue_iid, form.note_id, form.page.unwrap_or(1));
    let url = app
        .write(move |tx| {
            let (space, _) = desk(tx, &visit.viewer, &visit.address, Purpose::ReadMembers)?;
            let (desk, issue) = found_to_write(tx, &visit.viewer, &space.reference(), iid)?;
            Ticking { visit: &visit, desk: &desk, issue: &issue }.apply(tx, &form, tick)?;
            Ok(format!("{}/-/issues/{iid}", space.url()))
        })
        .await?;
    let to = match note_id {
        Some(note) => at(&url, page, note),
        None => format!("{url}#{DESCRIPTION}"),
    };
    let done = if tick.done {
        "Task marked as done."
    } else {
        "Task marked as not done."
    };
    flash::done(&app, &to, done)
}

struct Ticking<'t> {
    visit: &'t Visit,
    desk: &'t ProjectAccess,
    issue: &'t Issue,
}

impl Ticking<'_> {
    fn apply(&self, tx: &mut Tx<'_>, form: &BoxForm, tick: Tick) -> Result<()> {
        let viewer = &self.visit.viewer;
        match form.note_id {
            Some(note_id) => {
                let talk = Talk::new(viewer, self.desk, self.issue);
                let note = talk.find(tx, note_id)?;
                let text = ticked(&note.body, form, tick)?;
                talk.rewrite(tx, note_id, &text).map(drop)
            }
            None => {
                let text = ticked(self.issue.text(), form, tick)?;
                requests::tick(tx, viewer, self.desk, self.issue, text).map(drop)
            }
        }
    }
}

/// The text with the box ticked, if it is still the one that was seen.
fn ticked(text: &str, form: &BoxForm, tick: Tick) -> Result<String> {
    let same = *form.version == version(text);
    let ticked = same.then(|| tick.apply(text)).flatten();
    ticked.ok_or_else(|| Error::Conflict(CHANGED.into()))
}
