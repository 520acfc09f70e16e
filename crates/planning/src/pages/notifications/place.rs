//! What somebody is told of in one project or group.

use super::own::addresses;
use super::views::PlaceNotifications;
use super::{Form, LEVELS, Shown, boxes, digests, levels};
use crate::notifications::store::{self as rows, SettingSource, SourceType};
use crate::notifications::{SETTINGS, rules};
use http::Method;
use identity::pages::page;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::Result;
use kernel::html;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::http::{Params, Response, Routes};
use spaces::access::Purpose;
use spaces::pages::panels::{HeadMenu, HeadMenuEntry};
use spaces::pages::{Address, Section, Space, section};
use store::Tx;

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "notification_settings", show);
    section(r, Method::POST, "notification_settings", save);
}

kernel::choices! {
    /// Where a form leads back to.
    pub enum Back { Overview = "overview", Settings = "settings" }
}

kernel::params! {
    pub struct BackTo { pub back: Option<Back> }
}

#[derive(Clone)]
struct Place {
    viewer: SignedInViewer,
    address: Address,
    back: Option<Back>,
}

async fn show(app: App, viewer: SignedInViewer, address: Address) -> Result<Response> {
    form::show(&app, Place { viewer, address, back: None }).await
}

async fn save(
    app: App, viewer: SignedInViewer, address: Address, form: Params<Form>, back: Params<BackTo>,
) -> Result<Response> {
    let back = back.0.back;
    form::submit(&app, Place { viewer, address, back }, form.0).await
}

fn source(space: &Space) -> SettingSource {
    match space {
        Space::Project(project, _) => (SourceType::Project, project.id),
        Space::Group(group, _) => (SourceType::Group, group.id),
    }
}

impl FormPage for Place {
    type Form = Form;
    type View = PlaceNotifications;
    const FIELDS: &'static [&'static str] = &["level", "notification_email", "digest"];

    fn page(&self, app: &App) -> html::Page {
        page(app, &self.viewer.viewer(), "Notifications")
    }

    fn view(
        &self, tx: &mut Tx<'_>, page: html::Page, typed: &Typed<Form>,
    ) -> Result<PlaceNotifications> {
        let viewer = self.viewer.viewer();
        let space = self.address.authorize(tx, &viewer, Purpose::Read)?;
        let (user, source) = (&self.viewer.0.user, source(&space));
        let stored = rows::find(tx, user.id, source)?;
        let shown = match &typed.form {
            Some(form) => form.over(&stored),
            None => Shown::of(&stored),
        };
        let head = space.head(tx, &viewer)?;
        Ok(PlaceNotifications {
            page: head.page_below(page, Section::Overview),
            levels: levels(source.0),
            digests: digests(source.0),
            addresses: match source.0 {
                SourceType::Group => Some(addresses(tx, user, "As set above")?),
                SourceType::Global | SourceType::Project => None,
            },
            boxes: boxes(&shown, source.0),
            shown,
            head,
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.address.authorize(tx, &self.viewer.viewer(), Purpose::Read)?;
        let source = source(&space);
        let mut change = form.change(source.0);
        if source.0 == SourceType::Project {
            change.email = None;
        }
        rules::change(tx, &self.viewer.0, source, &change)?;
        let to = match self.back {
            Some(Back::Overview) => space.url(),
            Some(Back::Settings) => SETTINGS.to_owned(),
            None => format!("{}/-/notification_settings", space.url()),
        };
        Outcome::led(to, format!("Notification settings for {} saved.", space.full_path()))
    }
}

/// The bell of a project or group: a level, for people.
pub fn menu(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space) -> Result<Option<HeadMenu>> {
    let Some(user) = viewer.user().filter(|user| user.is_human()) else {
        return Ok(None);
    };
    let level = rows::find(tx, user.id, source(space))?.level;
    let entry = |(value, label): &(&'static str, &'static str)| HeadMenuEntry {
        value,
        label,
        is_current: *value == level.as_str(),
    };
    let url = format!("{}/-/notification_settings", space.url());
    Ok(Some(HeadMenu {
        label: "Notifications".to_owned(),
        picture: "bell",
        field: "level",
        entries: LEVELS.iter().map(entry).collect(),
        more: ("Notification settings", url.clone()),
        url: format!("{url}?back=overview"),
    }))
}

impl PlaceNotifications {
    /// What holds where nothing is set here.
    pub fn above(&self) -> &'static str {
        match self.head.kind {
            "Group" => "the group above, or what holds everywhere",
            _ => "the group it stands in, or what holds everywhere",
        }
    }

    /// Where the form is sent.
    pub fn url(&self) -> String {
        format!("{}/-/notification_settings", self.head.url)
    }
}
