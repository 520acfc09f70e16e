//! `…/-/settings/error_tracking`: where errors go, and the keys of programs.

use super::views::{ErrorSettings, KeyRow};
use crate::errors::limits::ErrorLimits;
use crate::errors::model::Setting;
use crate::errors::rules::keys;
use crate::errors::rules::settings::{self, External};
use crate::errors::store::{arrive, settings as rows};
use identity::pages::refusal::FormState;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::html::{Html, flash};
use kernel::http::{Params, RequestContext, Response};
use spaces::Project;
use spaces::access::Purpose;
use spaces::pages::{Address, Space};
use std::sync::Arc;
use store::Tx;

/// Most keys the page shows.
const MAX_KEYS: i64 = 100;
/// Most reasons it shows; the protocol has fewer.
const MAX_DROPPED: i64 = 300;
const MODES: &[(&str, &str)] = &[
    ("integrated", "Here: programs send them to this server"),
    ("external", "In another tracker: they are shown here"),
];

kernel::choices! {
    /// What the forms ask for.
    pub enum Action { Save = "save", Add = "add", Remove = "remove" }
}

kernel::choices! {
    /// Where errors are received.
    pub enum Mode {
        /// Here.
        Integrated = "integrated",
        /// Elsewhere.
        External = "external",
    }
}

kernel::params! {
    /// The forms of the page.
    pub struct Form {
        /// What is asked for.
        pub action: Action,
        /// The project tracks errors.
        pub active: Option<bool>,
        /// Where.
        pub mode: Option<Mode>,
        /// Where the tracker elsewhere answers.
        pub api_url: Option<String>,
        /// A token for it; blank to keep the one there is.
        pub token: Option<String>,
        /// The key to remove.
        pub key_id: Option<i64>,
    }
}

pub(super) async fn show(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
) -> Result<Response> {
    let address = Address::of(&asked)?;
    render(app, viewer.viewer(), address, FormState::default()).await
}

async fn render(
    app: App,
    viewer: Viewer,
    address: Address,
    typed: FormState<Form>,
) -> Result<Response> {
    let status = typed.refusal.status();
    let shown = typed.refusal.page(&app, &viewer, "Error tracking");
    let base_url = app.base_url().to_owned();
    let html = app
        .read(move |tx| {
            let space = address.authorize(tx, &viewer, Purpose::Update)?;
            let head = space.head(tx, &viewer)?;
            let stored = rows::of_project(tx, head.id)?;
            let keys = rows::keys(tx, head.id, MAX_KEYS, 0)?;
            let limits: ErrorLimits = kernel::settings::read(tx)?;
            let dropped = arrive::dropped(tx, head.id, MAX_DROPPED, 0)?;
            let form = typed.form.as_ref();
            let mode = match &stored {
                Some(setting) if !setting.integrated => Mode::External,
                _ => Mode::Integrated,
            };
            let api_url = stored.as_ref().and_then(|setting| setting.api_url.clone());
            Html::new(&ErrorSettings {
                page: space.crumbs(shown, true),
                head,
                is_off: !limits.integrated,
                active: form.map_or(
                    stored.as_ref().is_some_and(|setting| setting.active),
                    |form| form.active.unwrap_or(false),
                ),
                mode: form.and_then(|form| form.mode).unwrap_or(mode).to_string(),
                modes: Choice::list(MODES),
                api_url: form
                    .and_then(|form| form.api_url.clone())
                    .or(api_url)
                    .unwrap_or_default(),
                has_token: stored.is_some_and(|setting| setting.sealed_token.is_some()),
                errors: typed.refusal.errors,
                dropped,
                keys: keys
                    .iter()
                    .map(|key| KeyRow {
                        id: key.id,
                        dsn: keys::dsn(&base_url, key),
                    })
                    .collect(),
            })
        })
        .await?;
    Ok(html.status(status).response())
}

pub(super) async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<Form>,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (handle, asker, wanted, place) =
        (app.clone(), viewer.clone(), form.clone(), address.clone());
    let done = app
        .write(move |tx| apply(&handle, tx, &asker, &place, &wanted))
        .await;
    match done {
        Ok((url, text)) => flash::done(&app, &url, text),
        Err(error) => {
            let typed = FormState::refused(form, error, &["mode", "api_url", "token"])?;
            render(app, viewer, address, typed).await
        }
    }
}

fn apply(
    app: &App,
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    address: &Address,
    form: &Form,
) -> Result<(String, &'static str)> {
    let space = address.authorize(tx, viewer, Purpose::Update)?;
    let Space::Project(project, _) = &space else {
        return Err(Error::NotFound("Project"));
    };
    let text = match form.action {
        Action::Save => {
            let setting = save(app, tx, viewer, project, form)?;
            let receives = setting.active && setting.integrated;
            match receives && rows::count_keys(tx, project.id)? == 0 {
                true => "The settings are saved. Make a key for the programs that report errors.",
                false => "The settings are saved.",
            }
        }
        Action::Add => {
            keys::create(tx, viewer, project)?;
            "The key is made."
        }
        Action::Remove => {
            let id = form.key_id.ok_or_else(|| Error::missing("key_id"))?;
            keys::destroy(app, tx, viewer, project, id)?;
            "The key is removed."
        }
    };
    Ok((format!("{}/-/settings/error_tracking", space.url()), text))
}

fn save(
    app: &App,
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    form: &Form,
) -> Result<Setting> {
    let external = External {
        api_url: form.api_url.clone().unwrap_or_default(),
        token: form.token.clone().unwrap_or_default(),
    };
    let change = settings::Change {
        active: form.active.unwrap_or(false),
        integrated: form.mode.map(|mode| mode == Mode::Integrated),
    };
    let limits: ErrorLimits = kernel::settings::read(tx)?;
    if change.active && change.integrated == Some(true) && !limits.integrated {
        let text = "is switched off by administrators";
        return Err(Error::invalid("mode", text));
    }
    settings::put_with(app, tx, viewer, project, &change, Some(&external))
}
