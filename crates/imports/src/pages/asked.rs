//! `/-/profile/placeholders`: people elsewhere of whom the viewer is asked whether it is they.

use crate::people::model::SourceUser;
use crate::people::rules;
use crate::people::store as rows;
use ::store::{Fragment, Tx};
use askama::Template;
use http::Method;
use identity::entities::load_basic;
use identity::model::User;
use identity::pages::navigation::own_settings;
use identity::pages::page;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Page, Pages, ui};
use kernel::http::{Paging, Params, Response, Routes};
use std::collections::HashMap;

/// The mail that asks leads there.
const PATH: &str = "/-/profile/placeholders";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, change);
}

kernel::choices! {
    /// What the viewer answers.
    pub enum Answer {
        Accept = "accept",
        Decline = "decline",
    }
}

kernel::params! {
    pub struct Form {
        pub action: Answer,
        pub placeholder_id: i64,
    }
}

#[derive(Clone)]
struct AskedPage {
    viewer: Viewer,
    paging: Paging,
}

async fn show(app: App, viewer: SignedInViewer, paging: Paging) -> Result<Response> {
    form::show(&app, AskedPage { viewer: viewer.viewer(), paging }).await
}

async fn change(
    app: App, viewer: SignedInViewer, sent: Params<Form>, paging: Paging,
) -> Result<Response> {
    form::submit(&app, AskedPage { viewer: viewer.viewer(), paging }, sent.0).await
}

impl FormPage for AskedPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &[];

    fn page(&self, app: &App) -> Page {
        own_settings(page(app, &self.viewer, "Who you were elsewhere"), "")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, _: &Typed<Form>) -> Result<View> {
        let user_id = self.viewer.signed_in()?.user.id;
        let (mut found, total) = rows::asked_of(tx, user_id, &self.paging)?;
        found.truncate(usize::try_from(self.paging.per_page).unwrap_or(usize::MAX));
        let ids: Vec<i64> = found.iter().flat_map(SourceUser::people).collect();
        let (users, groups) = (load_basic(tx, &ids)?, groups(tx, &found)?);
        Ok(View {
            page,
            url: PATH,
            rows: found.into_iter().map(|row| Row::of(row, &users, &groups)).collect(),
            pages: Pages::of(&self.paging, total, PATH),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let row = rules::asked(tx, &self.viewer, form.placeholder_id)?;
        let text = match form.action {
            Answer::Accept => {
                rules::accept(tx, &self.viewer, row)?;
                "It is yours."
            }
            Answer::Decline => {
                rules::reject(tx, &self.viewer, row)?;
                "It stays with the placeholder."
            }
        };
        Outcome::led(PATH, text)
    }
}

/// The paths of the groups that know some people.
fn groups(tx: &mut Tx<'_>, rows: &[SourceUser]) -> Result<HashMap<i64, String>> {
    let ids: Vec<i64> = rows.iter().map(|row| row.namespace_id).collect();
    let mut among = Fragment::new("namespaces.kind = 'group' and");
    among.in_list("namespaces.id", ids.as_slice());
    let most = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let found = spaces::store::namespaces(tx, &among, "namespaces.id", most, 0)?;
    Ok(found.into_iter().map(|group| (group.id, group.full_path)).collect())
}

/// Somebody elsewhere who may be the viewer.
#[derive(Debug)]
struct Row {
    id: i64,
    source: String,
    group: String,
    /// Who says so.
    by: Option<String>,
}

impl Row {
    fn of(row: SourceUser, users: &HashMap<i64, User>, groups: &HashMap<i64, String>) -> Row {
        let by = row.reassigned_by_id.and_then(|id| users.get(&id));
        Row {
            id: row.id,
            source: format!("{} at {}", row.username, row.host),
            group: groups.get(&row.namespace_id).cloned().unwrap_or_default(),
            by: by.map(|user| user.name.clone()),
        }
    }
}

#[derive(Template)]
#[template(path = "my_placeholders.html")]
struct View {
    page: Page,
    url: &'static str,
    rows: Vec<Row>,
    pages: Pages,
}
