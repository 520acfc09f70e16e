//! Where the code of a project comes from, above it.

use askama::Template;
use askama::filters::HtmlSafe;
use kernel::error::Result;
use kernel::html::Moment;
use repositories::mirrors::pull::{self, PullMirror};
use spaces::imports::ImportStatus;
use spaces::model::Project;
use spaces::pages::SpaceHead;
use store::Tx;

/// That code follows another repository, or is brought from one, and how far that is.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "ui/mirrored.html")]
pub struct Mirrored {
    /// Before the address.
    words: &'static str,
    url: String,
    updated_at: Option<Moment>,
    problem: String,
    settings_url: Option<String>,
    /// The page that says how far an import is.
    import_url: Option<String>,
}

impl HtmlSafe for Mirrored {}

impl Mirrored {
    /// Reads it; none of code that comes from nowhere.
    pub fn read(tx: &mut Tx<'_>, project: &Project, head: &SpaceHead) -> Result<Option<Mirrored>> {
        let mirror = pull::of_project(tx, project.id)?;
        let shown = match mirror {
            Some(mirror) if mirror.enabled || mirror.gave_up() => {
                let at = mirror.last_successful_update_at;
                Mirrored {
                    words: "Mirrored from",
                    updated_at: at.map(|at| Moment::new(at, tx.now())),
                    problem: problem(&mirror, head.can_admin),
                    url: mirror.server.url,
                    ..Mirrored::default()
                }
            }
            Some(mirror) if mirror.is_import => Mirrored {
                words: "Its code is brought from",
                url: mirror.server.url,
                ..Mirrored::default()
            },
            _ if project.import_status == ImportStatus::Failed => {
                Mirrored { problem: failed(project, head.can_admin), ..imported(head) }
            }
            _ if is_coming(project) => {
                let words = "It is being imported.";
                Mirrored { words, ..imported(head) }
            }
            _ => return Ok(None),
        };
        let is_mirror = !shown.url.is_empty() && head.can_admin;
        let settings_url = is_mirror.then(|| format!("{}/-/settings/mirrors", head.url));
        Ok(Some(Mirrored { settings_url, ..shown }))
    }
}

/// With the way to how far an import is.
fn imported(head: &SpaceHead) -> Mirrored {
    let import_url = head.can_admin.then(|| format!("{}/-/import", head.url));
    Mirrored { import_url, ..Mirrored::default() }
}

fn is_coming(project: &Project) -> bool {
    matches!(project.import_status, ImportStatus::Scheduled | ImportStatus::Started)
}

/// What is wrong with a mirror; the reason is for who can do something about it.
fn problem(mirror: &PullMirror, can_admin: bool) -> String {
    let said = mirror.last_error.as_deref().unwrap_or_default();
    match (mirror.gave_up(), can_admin) {
        (true, true) => format!("It failed so often that it is switched off: {said}"),
        (true, false) => "It failed so often that it is switched off.".into(),
        (false, true) => said.to_owned(),
        (false, false) if mirror.failures > 0 => "The last update failed.".into(),
        (false, false) => String::new(),
    }
}

fn failed(project: &Project, can_admin: bool) -> String {
    let said = project.import_error.as_deref().unwrap_or_default();
    match can_admin {
        true => format!("It could not be imported: {said}"),
        false => "It could not be imported.".into(),
    }
}
