//! What somebody is told of everywhere, and where they set something else.

use super::views::OwnNotifications;
use super::{Form, Shown, boxes, digests, levels};
use crate::notifications::store::{self as rows, EVERYTHING, SourceType};
use crate::notifications::{SETTINGS, rules};
use http::Method;
use identity::model::User;
use identity::pages::navigation::own_settings;
use identity::pages::page;
use identity::users;
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::html::{Page, Pages};
use kernel::http::{Paging, Params, Response, Routes};
use spaces::store::members;
use store::Tx;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, SETTINGS, show);
    r.page(Method::POST, SETTINGS, save);
}

#[derive(Clone)]
struct Own {
    viewer: SignedInViewer,
    paging: Paging,
}

async fn show(app: App, viewer: SignedInViewer, paging: Paging) -> Result<Response> {
    form::show(&app, Own { viewer, paging }).await
}

async fn save(
    app: App, viewer: SignedInViewer, form: Params<Form>, paging: Paging,
) -> Result<Response> {
    form::submit(&app, Own { viewer, paging }, form.0).await
}

impl FormPage for Own {
    type Form = Form;
    type View = OwnNotifications;
    const FIELDS: &'static [&'static str] = &["level", "notification_email", "digest"];

    fn page(&self, app: &App) -> Page {
        own_settings(page(app, &self.viewer.viewer(), "Notifications"), "Notifications")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<OwnNotifications> {
        let user = &self.viewer.0.user;
        let stored = rows::find(tx, user.id, EVERYTHING)?;
        let shown = match &typed.form {
            Some(form) => form.over(&stored),
            None => Shown::of(&stored),
        };
        let total = members::count_held(tx, user.id)?;
        Ok(OwnNotifications {
            page,
            levels: levels(SourceType::Global),
            digests: digests(SourceType::Global),
            addresses: addresses(tx, user, &format!("Primary: {}", user.email))?,
            boxes: boxes(&shown, SourceType::Global),
            places: rows::places_of(tx, user.id, &self.paging)?,
            others: rows::other_places(tx, &self.viewer.viewer())?,
            place_levels: levels(SourceType::Project),
            pages: Pages::of(&self.paging, total, SETTINGS),
            shown,
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        rules::change(tx, &self.viewer.0, EVERYTHING, &form.change(SourceType::Global))?;
        Outcome::led(SETTINGS, "Notification settings saved.")
    }
}

/// The confirmed addresses of somebody, behind a choice of none.
pub fn addresses(tx: &mut Tx<'_>, user: &User, none: &str) -> Result<Vec<Choice>> {
    let none = Choice { value: String::new(), label: none.to_owned() };
    let known = users::confirmed_addresses(tx, user)?;
    let known = known.into_iter().map(|one| Choice { value: one.clone(), label: one });
    Ok(std::iter::once(none).chain(known).collect())
}
