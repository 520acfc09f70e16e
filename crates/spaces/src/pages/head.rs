//! What stands above every page of a group or project.

use kernel::html::PageViewer;
use kernel::html::ui::Tab;

/// What the heading of a group's or project's pages says.
#[derive(Debug, Clone, Default)]
pub struct SpaceHead {
    pub kind: &'static str,
    pub id: i64,
    pub name: String,
    pub full_path: String,
    /// Its address without a trailing slash (`/groups/acme`, `/acme/anvil`).
    pub url: String,
    pub description: String,
    /// `private`, `internal`, `public`.
    pub visibility: String,
    pub is_archived: bool,
    pub has_issues: bool,
    pub has_packages: bool,
    /// The viewer may see the errors its programs report.
    pub has_errors: bool,
    /// The viewer may see the alerts that monitoring tools send.
    pub has_alerts: bool,
    /// Members, where the viewer may see them.
    pub members: Option<u64>,
    pub can_admin: bool,
    /// The viewer may change the rules of its packages.
    pub can_set_packages: bool,
}

impl SpaceHead {
    /// One or two letters in place of a picture.
    pub fn initials(&self) -> String {
        PageViewer::initials(&self.name)
    }

    /// Links between its pages: `Overview`, `Issues`, `Packages`, `Errors`,
    /// `Members`, `Settings`.
    pub fn tabs(&self, current: &str) -> Vec<Tab> {
        let tab = |label: &str, path: &str| {
            Tab::new(label, format!("{}{path}", self.url), label == current)
        };
        let mut tabs = vec![tab("Overview", "")];
        if self.has_issues {
            tabs.push(tab("Issues", "/-/issues"));
        }
        if self.has_packages {
            tabs.push(tab("Packages", "/-/packages"));
        }
        if self.has_errors {
            tabs.push(tab("Errors", "/-/error_tracking"));
        }
        if self.has_alerts {
            tabs.push(tab("Alerts", "/-/alert_management"));
        }
        if let Some(members) = self.members {
            tabs.push(tab("Members", "/-/members").count(members));
        }
        if self.can_admin {
            tabs.push(tab("Settings", "/-/settings"));
        } else if self.can_set_packages {
            tabs.push(tab("Settings", "/-/settings/packages"));
        }
        tabs
    }

    pub fn settings_tabs(&self, current: &str) -> Vec<Tab> {
        let tab = |label: &str, path: &str| {
            let url = format!("{}/-/{path}", self.url);
            Tab::new(label, url, label == current)
        };
        let mut tabs = Vec::new();
        if self.can_admin {
            tabs.push(tab("General", "settings"));
            tabs.push(tab("Access tokens", "access_tokens"));
            if self.kind == "Group" {
                tabs.push(tab("Applications", "settings/applications"));
            }
        }
        if self.can_set_packages {
            tabs.push(tab("Packages", "settings/packages"));
        }
        if self.can_admin && self.kind == "Project" {
            tabs.push(tab("Error tracking", "settings/error_tracking"));
            tabs.push(tab("Alerts", "settings/alerts"));
        }
        tabs
    }
}
