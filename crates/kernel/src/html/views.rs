//! What pages of several rooms show: the tabs of the administration.

use super::ui::Tab;

/// Links between the pages of the administration.
pub fn admin_tabs(current: &str) -> Vec<Tab> {
    [
        ("Overview", "/admin"),
        ("Users", "/admin/users"),
        ("Settings", "/admin/settings"),
        ("Package limits", "/admin/package_limits"),
        ("Applications", "/admin/applications"),
        ("Spam", "/admin/spam_logs"),
        ("Jobs", "/admin/jobs"),
        ("Audit", "/admin/audit"),
    ]
    .map(|(label, url)| Tab::new(label, url, label == current))
    .to_vec()
}
