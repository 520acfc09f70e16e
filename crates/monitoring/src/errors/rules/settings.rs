//! How a project tracks errors.

use crate::errors::ingest::forget_full;
use crate::errors::keys::forget;
use crate::errors::model::{MAX_API_URL, Setting};
use crate::errors::store::settings as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::audit;
use kernel::error::{Error, Result};
use serde_json::json;
use spaces::Project;
use spaces::rules::of_project;
use store::Tx;

/// What tokens for trackers elsewhere are sealed as.
pub const TOKEN: &str = "error_tracking_token";
const API: &str = "/api/0/projects/";

#[derive(Debug, Clone)]
pub struct Change {
    pub active: bool,
    pub integrated: Option<bool>,
    pub external: Option<External>,
}

kernel::params! {
    /// Where a tracker elsewhere is, as typed.
    pub struct External {
        pub api_url: Option<String>,
        /// A token for it; blank to keep the one there is.
        pub token: Option<String>,
    }
}

/// Stores a change, also where nothing was said before.
pub fn put(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, change: &Change,
) -> Result<Setting> {
    let before = rows::of_project(tx, project.id)?;
    let mut setting = before.unwrap_or(Setting {
        project_id: project.id,
        active: false,
        integrated: true,
        api_url: None,
        sealed_token: None,
        external_name: None,
    });
    setting.active = change.active;
    setting.integrated = change.integrated.unwrap_or(setting.integrated);
    if let Some(external) = &change.external {
        let typed = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().to_owned();
        let (url, token) = (typed(&external.api_url), typed(&external.token));
        let moved = setting.api_url.as_deref() != Some(&*url);
        setting.api_url = (!url.is_empty()).then_some(url);
        if moved {
            // A token is for the server it was given for.
            setting.sealed_token = None;
            setting.external_name = None;
        }
        if !token.is_empty() {
            setting.sealed_token = Some(app.secrets().seal(TOKEN, token.as_bytes()));
        }
    }
    check(&setting)?;
    rows::put(tx, &setting)?;
    let details = json!({
        "active": setting.active,
        "integrated": setting.integrated,
        "api_url": setting.api_url,
    });
    let target = of_project(project);
    audit::record(tx, viewer, "error_tracking_setting.update", target, details)?;
    forget(app, tx);
    forget_full(app, tx);
    Ok(setting)
}

/// A tracker elsewhere needs an address and a token.
fn check(setting: &Setting) -> Result<()> {
    if setting.api_url.as_deref().is_some_and(|url| !is_api(url)) {
        return Err(Error::invalid("api_url", "is invalid"));
    }
    if setting.integrated || !setting.active {
        return Ok(());
    }
    let needed = [
        ("api_url", setting.api_url.is_none()),
        ("token", setting.sealed_token.is_none()),
    ];
    let missing: Vec<_> = needed
        .into_iter()
        .filter(|(_, is_missing)| *is_missing)
        .map(|(field, _)| (field.to_owned(), vec!["is a required field".to_owned()]))
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(Error::Invalid(missing)),
    }
}

/// Whether an address is one of a project in a tracker's API. Whether the
/// server may call it is asked at each call.
fn is_api(text: &str) -> bool {
    let Ok(url) = url::Url::parse(text) else {
        return false;
    };
    let place = url.path().strip_prefix(API).unwrap_or_default();
    let parts: Vec<&str> = place.trim_end_matches('/').split('/').collect();
    text.len() <= MAX_API_URL
        && matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
        && parts.len() == 2
        && parts.iter().all(|part| !part.is_empty())
}

impl Setting {
    /// The project's pages at the tracker elsewhere.
    pub fn external_url(&self) -> Option<String> {
        let url = self.api_url.as_deref()?;
        Some(url.replacen(API, "/", 1))
    }

    /// What the tracker elsewhere calls the project, or its name in the
    /// address with capitals.
    pub fn external_project(&self) -> Option<String> {
        if self.external_name.is_some() {
            return self.external_name.clone();
        }
        let (_, place) = self.api_url.as_deref()?.split_once(API)?;
        let slug = place.trim_end_matches('/').rsplit('/').next()?;
        let words = slug.split(['-', '_']).filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(capital).collect();
        Some(words.join(" "))
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_that_of_a_project() {
        assert!(is_api("https://t.example/api/0/projects/acme/anvil/"));
        assert!(is_api("http://127.0.0.1:9000/api/0/projects/acme/anvil"));
        for bad in [
            "",
            "t.example/api/0/projects/a/b/",
            "ftp://t.example/api/0/projects/a/b/",
            "https://t.example/api/0/projects/a/",
            "https://t.example/api/0/projects/a//",
            "https://t.example/api/0/projects/a/b/c/",
            "https://t.example/projects/a/b/",
            "https://me:x@t.example/api/0/projects/a/b/",
            "https://t.example/api/0/projects/a/b/?x",
        ] {
            assert!(!is_api(bad), "{bad}");
        }
        assert!(!is_api(&format!("https://t.example/api/0/projects/a/{}/", "b".repeat(300))));
    }

    #[test]
    fn a_tracker_elsewhere_is_named_by_its_address() {
        let setting = Setting {
            project_id: 1,
            active: true,
            integrated: false,
            api_url: Some("https://t.example/api/0/projects/acme/big-anvil/".into()),
            sealed_token: None,
            external_name: None,
        };
        assert_eq!(setting.external_url().as_deref(), Some("https://t.example/acme/big-anvil/"));
        assert_eq!(setting.external_project().as_deref(), Some("Big Anvil"));
        let named = Setting { external_name: Some("Anvil".into()), ..setting };
        assert_eq!(named.external_project().as_deref(), Some("Anvil"));
    }
}
