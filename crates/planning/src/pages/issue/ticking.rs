//! Boxes of an issue's texts, ticked one by one.

use super::DESCRIPTION;
use crate::access::ProjectAccess;
use crate::model::Issue;
use crate::pages::boxes::{BoxForm, ticked};
use crate::pages::desk;
use crate::pages::notes::at;
use crate::rules::comments::Talk;
use crate::rules::issues::places::found_to_write;
use crate::rules::issues::requests;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::flash;
use kernel::http::{Flat, Params, Response};
use spaces::access::Purpose;
use spaces::pages::Visit;
use store::Tx;

kernel::params! {
    pub struct IssueBox {
        pub issue_iid: i64,
        /// The note that has the box; else the description does.
        pub note_id: Option<i64>,
        pub ticked: Flat<BoxForm>,
    }
}

pub async fn tick(app: App, visit: Visit, form: Params<IssueBox>) -> Result<Response> {
    let Params(form) = form;
    let tick = form.ticked.tick()?;
    let (iid, note_id, page) = (form.issue_iid, form.note_id, form.ticked.page.unwrap_or(1));
    let url = app
        .write(move |tx| {
            let (space, _) = desk(tx, &visit.viewer, &visit.address, Purpose::ReadMembers)?;
            let (desk, issue) = found_to_write(tx, &visit.viewer, &space.reference(), iid)?;
            Ticking { visit: &visit, desk: &desk, issue: &issue }.apply(tx, &form)?;
            Ok(format!("{}/-/issues/{iid}", space.url()))
        })
        .await?;
    let to = match note_id {
        Some(note) => at(&url, page, note),
        None => format!("{url}#{DESCRIPTION}"),
    };
    flash::done(&app, &to, ticked(tick))
}

struct Ticking<'t> {
    visit: &'t Visit,
    desk: &'t ProjectAccess,
    issue: &'t Issue,
}

impl Ticking<'_> {
    fn apply(&self, tx: &mut Tx<'_>, form: &IssueBox) -> Result<()> {
        let viewer = &self.visit.viewer;
        match form.note_id {
            Some(note_id) => Talk::new(viewer, self.desk, self.issue)
                .tick(tx, note_id, |text| form.ticked.apply(text)),
            None => {
                let text = form.ticked.apply(self.issue.text())?;
                requests::tick(tx, viewer, self.desk, self.issue, text).map(drop)
            }
        }
    }
}
