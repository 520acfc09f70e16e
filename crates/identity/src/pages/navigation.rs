//! The navigation beside the pages of the administration and of one's own
//! settings.

use kernel::html::{Nav, NavLink, NavPart, Page};

/// A page of the administration, at or below one of its links.
pub fn administration(mut page: Page, link: &str) -> Page {
    page.active = "admin";
    let to = |label, picture, url| NavLink::new(label, picture, url, label == link);
    let parts = vec![
        NavPart {
            title: "",
            links: vec![
                to("Overview", "home", "/admin"),
                to("Users", "members", "/admin/users"),
                to("Applications", "key", "/admin/applications"),
            ],
        },
        NavPart {
            title: "Settings",
            links: vec![
                to("Settings", "gear", "/admin/settings"),
                to("Package limits", "package", "/admin/package_limits"),
            ],
        },
        NavPart {
            title: "Watch",
            links: vec![
                to("Jobs", "clock", "/admin/jobs"),
                to("Audit", "list", "/admin/audit"),
                to("Spam", "shield", "/admin/spam_logs"),
                to("Components", "package", "/-/components"),
            ],
        },
    ];
    place(page, "Administration", "/admin", parts)
}

/// A page of one's own settings, at or below one of their links.
pub fn own_settings(page: Page, link: &str) -> Page {
    let to = |label, picture, url| NavLink::new(label, picture, url, label == link);
    let links = vec![
        to("Profile", "user", "/-/user_settings/profile"),
        to("Two-factor authentication", "shield", crate::two_factor::requirement::PAGE),
        to("Access tokens", "key", "/-/user_settings/tokens"),
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
        initials: String::new(),
        parts,
    };
    let mut page = page.crumb(name, url);
    if let Some(above) = nav.current().filter(|link| link.label != page.title) {
        page = page.crumb(above.label, &above.url);
    }
    page.within(nav)
}
