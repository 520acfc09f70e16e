//! Push mirrors on `…/-/settings/repository`: added, made to follow, removed.

use super::settings::Form;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::rename;
use kernel::html::ui::{self, Badge};
use kernel::http::Patch;
use repositories::mirrors::{MirrorInput, RemoteMirror, UpdateStatus, rules};
use spaces::access::Purpose;
use spaces::model::Project;
use spaces::pages::Visit;
use store::Tx;
use url::Url;

/// What is told of an address in fields of its own.
const ADDRESS: &str = "mirror_url";

/// Adds a mirror; the address of its project, and the text for who did.
pub async fn add(app: &App, visit: &Visit, form: &Form) -> Result<(String, String)> {
    let asked = visit.clone();
    app.read(move |tx| asked.authorize(tx, Purpose::Update).map(drop)).await?;
    let input = input(form)?;
    let named = |error| rename(error, "url", ADDRESS);
    rules::check_address(app, input.url.as_deref()).await.map_err(named)?;
    let (visit, secrets) = (visit.clone(), app.secrets().clone());
    app.write(move |tx| {
        let space = visit.authorize(tx, Purpose::Update)?;
        let made =
            rules::create(tx, &secrets, &visit.viewer, space.project()?, &input).map_err(named)?;
        Ok((space.url(), format!("{} is a mirror.", made.shown_url)))
    })
    .await
}

/// Has a mirror follow, or removes it; the text for who did.
pub fn sync(tx: &mut Tx<'_>, project: &Project, id: Option<i64>) -> Result<String> {
    rules::sync(tx, project, id.unwrap_or_default())?;
    Ok("The mirror follows soon.".into())
}

pub fn remove(
    tx: &mut Tx<'_>, visit: &Visit, project: &Project, id: Option<i64>,
) -> Result<String> {
    rules::destroy(tx, &visit.viewer, project, id.unwrap_or_default())?;
    Ok("The mirror is removed. What it holds stays there.".into())
}

fn input(form: &Form) -> Result<MirrorInput> {
    let pattern = form.mirror_branch_regex.trim();
    Ok(MirrorInput {
        url: Some(address(form)?),
        enabled: Some(true),
        keep_divergent_refs: Some(form.keep_divergent_refs.unwrap_or(false)),
        only_protected_branches: Some(form.only_protected_branches.unwrap_or(false)),
        mirror_branch_regex: match pattern.is_empty() {
            true => Patch::Absent,
            false => Patch::Value(pattern.to_owned()),
        },
        ..MirrorInput::default()
    })
}

/// The address with what proves who pushes, which has fields of its own.
fn address(form: &Form) -> Result<String> {
    let typed = form.mirror_url.trim();
    if typed.is_empty() {
        return Err(Error::invalid(ADDRESS, "can't be blank"));
    }
    let (user, password) = (form.mirror_user.trim(), form.mirror_password.trim());
    if user.is_empty() && password.is_empty() {
        return Ok(typed.to_owned());
    }
    let wrong = || Error::invalid(ADDRESS, "is no address");
    let mut url = Url::parse(typed).map_err(|_| wrong())?;
    url.set_username(user).map_err(|()| wrong())?;
    let password = Some(password).filter(|text| !text.is_empty());
    url.set_password(password).map_err(|()| wrong())?;
    Ok(url.into())
}

/// A new mirror as it was typed; its password is typed again.
#[derive(Debug, Clone, Default)]
pub struct Typed {
    pub url: String,
    pub user: String,
    pub pattern: String,
}

impl Typed {
    pub fn of(form: &Form) -> Typed {
        Typed {
            url: form.mirror_url.to_string(),
            user: form.mirror_user.to_string(),
            pattern: form.mirror_branch_regex.to_string(),
        }
    }
}

/// How far a mirror is.
pub fn status(mirror: &RemoteMirror) -> Badge {
    match mirror.update_status {
        _ if !mirror.enabled => ui::state("deactivated"),
        UpdateStatus::None => ui::badge("waits for a push", "plain"),
        UpdateStatus::Scheduled => ui::state("queued"),
        UpdateStatus::Started => ui::state("running"),
        UpdateStatus::Finished => ui::state("finished"),
        UpdateStatus::Failed => ui::state("failed"),
    }
}

/// Which branches it follows.
pub fn branches(mirror: &RemoteMirror) -> String {
    match &mirror.mirror_branch_regex {
        _ if mirror.only_protected_branches => "Protected branches and all tags".into(),
        Some(pattern) => format!("Branches that fit {pattern}, and all tags"),
        None => "All branches and tags".into(),
    }
}
