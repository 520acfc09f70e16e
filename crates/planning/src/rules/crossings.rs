//! Notes that tell on epics and issues which text names them: of an issue on epics, of
//! an epic on issues and other epics. Only who sees what names it sees such a note.

use crate::access::epics::visible as visible_epics;
use crate::access::{Desk, Scope, visible};
use crate::formats::references::{Name, named};
use crate::model::Issue;
use crate::model::epics::Epic;
use crate::rules::epics::said::{self, beside, beside_issue, told_on_issue};
use crate::rules::issues::noteable;
use crate::rules::topic::Topic;
use crate::store::notes::{Naming, Noteable, is_named};
use crate::store::{epics, issues};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::fold;
use store::{Fragment, Tx};

/// Things that one text is told on at most.
const MOST: usize = 20;

/// What a text says, and said before.
#[derive(Debug, Clone, Copy)]
pub struct Change<'t> {
    pub text: &'t str,
    pub before: &'t str,
}

/// Tells on what a text newly names, as far as its author sees it, that it does; once.
pub fn tell(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: Desk<'_>, topic: Topic<'_>, change: Change<'_>,
) -> Result<()> {
    let is_told = |name: &Name| match topic {
        Topic::Issue(_) => matches!(name, Name::Epic(..)),
        Topic::Epic(_) => matches!(name, Name::Epic(..) | Name::Issue(..)),
        Topic::Thing(_) => false,
    };
    let mut names = named(change.text);
    names.retain(is_told);
    if names.is_empty() {
        return Ok(());
    }
    let before = named(change.before);
    names.retain(|name| !before.contains(name));
    names.truncate(MOST);
    let Some(group) = group_path(desk) else {
        return Ok(());
    };
    for epic in named_epics(tx, viewer, &names, &group)? {
        tell_epic(tx, viewer, topic, &epic)?;
    }
    if let Topic::Epic(source) = topic {
        for issue in named_issues(tx, viewer, &names, &group)? {
            let about = noteable(&issue);
            if !is_named(tx, about, Naming::Epic(source.id), WORDS)? {
                let words = "mentioned in epic";
                told_on_issue(tx, source, &issue, viewer.user_id(), words)?;
            }
        }
    }
    Ok(())
}

/// With which such notes begin.
const WORDS: &str = "mentioned in ";

fn tell_epic(tx: &mut Tx<'_>, viewer: &Viewer, topic: Topic<'_>, epic: &Epic) -> Result<()> {
    let (actor, about): (_, Noteable) = (viewer.user_id(), said::noteable(epic));
    match topic {
        Topic::Issue(source) if !is_named(tx, about, Naming::Issue(source.id), WORDS)? => {
            beside_issue(tx, epic, source, actor, "mentioned in issue")
        }
        Topic::Epic(source)
            if source.id != epic.id && !is_named(tx, about, Naming::Epic(source.id), WORDS)? =>
        {
            beside(tx, epic, actor, "mentioned in epic", source)
        }
        _ => Ok(()),
    }
}

/// The folded path of the group that short names mean.
fn group_path(desk: Desk<'_>) -> Option<String> {
    match desk {
        Desk::Project(access) => Some(fold(access.project.full_path.rsplit_once('/')?.0)),
        Desk::Group(access) => Some(fold(&access.group.full_path)),
    }
}

/// Folded paths and numbers.
type Places = Vec<(String, i64)>;

fn narrowed(places: &Places, path: &str, iid: &str) -> Fragment {
    let mut narrowed = Fragment::default();
    let paths: Vec<String> = places.iter().map(|(path, _)| path.clone()).collect();
    let iids: Vec<i64> = places.iter().map(|(_, iid)| *iid).collect();
    narrowed.in_list(path, paths).raw(" and").in_list(iid, iids).raw(" and ");
    narrowed
}

fn named_epics(tx: &mut Tx<'_>, viewer: &Viewer, names: &[Name], group: &str) -> Result<Vec<Epic>> {
    let place = |name: &Name| match name {
        Name::Epic(path, iid) => Some((path.as_deref().map_or(group.to_owned(), fold), *iid)),
        _ => None,
    };
    let places: Places = names.iter().filter_map(place).collect();
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let mut wanted = narrowed(&places, "namespaces.full_path_folded", "epics.iid");
    wanted.append(visible_epics(tx, viewer));
    let mut found = epics::of_condition(tx, wanted)?;
    found.retain(|epic| places.contains(&(fold(&epic.group_path), epic.iid)));
    Ok(found)
}

fn named_issues(
    tx: &mut Tx<'_>, viewer: &Viewer, names: &[Name], group: &str,
) -> Result<Vec<Issue>> {
    let place = |name: &Name| match name {
        Name::Issue(Some(path), iid) if path.contains('/') => Some((fold(path), *iid)),
        Name::Issue(Some(path), iid) => Some((format!("{group}/{}", fold(path)), *iid)),
        _ => None,
    };
    let places: Places = names.iter().filter_map(place).collect();
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let mut wanted = narrowed(&places, "projects.full_path_folded", "issues.iid");
    wanted.append(visible(tx, viewer, &Scope::Everywhere));
    let mut found = issues::of_condition(tx, wanted)?;
    found.retain(|issue| places.contains(&(fold(&issue.project_path), issue.iid)));
    Ok(found)
}
