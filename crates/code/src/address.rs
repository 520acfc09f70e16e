//! Addresses of what is at a path.

use crate::pages::spot::encoded;
use repositories::objects::Path;

/// The address of a path in a ref on a page of a project: `blob`, `tree`, `edit`.
pub fn of_path(project_url: &str, page: &str, name: &str, path: &Path) -> String {
    let slash = if path.is_root() { "" } else { "/" };
    format!("{project_url}/-/{page}/{}{slash}{}", encoded(name), encoded(path.as_str()))
}
