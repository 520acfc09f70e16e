//! The navigation beside the pages of the administration and of one's own
//! settings.

use super::settings::list::PAGES;
use kernel::html::ui::Tab;
use kernel::html::{Nav, NavLink, NavPart, Page};

/// A page of the administration, at or below one of its links.
pub fn administration(mut page: Page, link: &str) -> Page {
    page.active = "admin";
    let to = |label, picture, url| NavLink::new(label, picture, url, label == link);
    let mut settings = vec![to("All settings", "gear", "/admin/settings")];
    settings.extend(PAGES.iter().map(|page| to(page.label, page.picture, page.path)));
    settings.push(to("Package limits", "file", "/admin/package_limits"));
    settings.push(to("CI/CD variables", "key", "/admin/settings/ci_cd"));
    let parts = vec![
        NavPart {
            title: "",
            links: vec![
                to("Overview", "home", "/admin"),
                to("Users", "members", "/admin/users"),
                to("Runners", "play", "/admin/runners"),
                to("Applications", "key", "/admin/applications"),
            ],
        },
        NavPart { title: "Settings", links: settings },
        NavPart {
            title: "Watch",
            links: vec![
                to("Jobs", "clock", "/admin/jobs"),
                to("Storages", "folder", "/admin/storages"),
                to("Search", "search", "/admin/search"),
                to("Audit", "list", "/admin/audit"),
                to("Spam", "shield", "/admin/spam_logs"),
                to("Components", "package", "/-/components"),
            ],
        },
    ];
    place(page, "Administration", "/admin", parts)
}

/// The pages about one user, for administrators.
pub fn user_tabs(username: &str, current: &str) -> Vec<Tab> {
    let tab = |label: &str, path: &str| {
        let url = format!("/admin/users/{username}{path}");
        Tab::new(label, url, label == current)
    };
    vec![
        tab("Account", ""),
        tab("Edit", "/edit"),
        tab("Status", "/status"),
        tab("Memberships", "/memberships"),
    ]
}

/// A page of one's own settings, at or below one of their links.
pub fn own_settings(page: Page, link: &str) -> Page {
    let to = |label, picture, url| NavLink::new(label, picture, url, label == link);
    let links = vec![
        to("Profile", "user", "/-/user_settings/profile"),
        to("Status", "comment", "/-/user_settings/status"),
        to("E-mail addresses", "mail", "/-/user_settings/emails"),
        to("Notifications", "bell", "/-/profile/notifications"),
        to("Preferences", "gear", "/-/user_settings/preferences"),
        to("Two-factor authentication", "shield", crate::two_factor::requirement::PAGE),
        to("Access tokens", "key", "/-/user_settings/tokens"),
        to("SSH keys", "key", "/-/user_settings/ssh_keys"),
        to("GPG keys", "key", "/-/user_settings/gpg_keys"),
        to("Sessions", "clock", "/-/user_settings/sessions"),
        to("Applications", "package", "/-/user_settings/applications"),
    ];
    let parts = vec![NavPart { title: "", links }];
    place(page, "Your settings", "/-/user_settings/profile", parts)
}

fn place(page: Page, name: &'static str, url: &str, parts: Vec<NavPart>) -> Page {
    let nav = Nav {
        label: name,
        name: name.to_owned(),
        url: url.to_owned(),
        context: name.to_owned(),
        has_picture: false,
        parts,
    };
    let mut page = page.crumb(name, url);
    if let Some(above) = nav.current().filter(|link| link.label != page.title) {
        page = page.crumb(above.label, &above.url);
    }
    page.within(nav)
}
