//! What the templates are given.

use super::{deploy_keys, own_keys};
use crate::model::SshKey;
use crate::store::deploy::DeployKey;
use askama::Template;
use kernel::html::ui::Choice;
use kernel::html::{Errors, Page, Pages, ui};
use kernel::time::{Date, Timestamp, date_of};
use spaces::pages::SpaceHead;

/// `/-/user_settings/ssh_keys`.
#[derive(Debug, Template)]
#[template(path = "ssh_keys.html")]
pub struct OwnKeys {
    pub page: Page,
    pub keys: Vec<SshKey>,
    pub form: own_keys::Form,
    pub errors: Errors,
    pub usages: Vec<Choice>,
    pub now: Timestamp,
}

/// `…/-/deploy_keys` of a project.
#[derive(Debug, Template)]
#[template(path = "deploy_keys.html")]
pub struct DeployKeys {
    pub page: Page,
    pub head: SpaceHead,
    pub keys: Vec<DeployKey>,
    pub form: deploy_keys::Form,
    pub errors: Errors,
    pub now: Timestamp,
    pub pages: Pages,
}

/// The day that a key ends on, if it does.
fn day(key: &SshKey) -> Option<Date> {
    key.expires_at.map(date_of)
}

impl OwnKeys {
    fn is_expired(&self, key: &SshKey) -> bool {
        key.is_expired(self.now)
    }

    fn ends_on(&self, key: &SshKey) -> Option<Date> {
        day(key)
    }

    fn usage(&self) -> &str {
        &self.form.usage_type
    }
}

impl DeployKeys {
    fn url(&self) -> String {
        format!("{}/-/deploy_keys", self.head.url)
    }

    fn is_expired(&self, key: &SshKey) -> bool {
        key.is_expired(self.now)
    }

    fn ends_on(&self, key: &SshKey) -> Option<Date> {
        day(key)
    }
}
