//! Notes that tell on epics, issues and merge requests which text names them: an issue on
//! epics and merge requests, an epic and a merge request on all of them. Only who sees
//! what names it sees such a note.

use crate::access::epics::visible as visible_epics;
use crate::access::{Desk, Scope, visible};
use crate::formats::references::{Name, named};
use crate::model::Issue;
use crate::model::epics::Epic;
use crate::requests::{self, NamedRequest};
use crate::rules::epics::said;
use crate::rules::issues::noteable;
use crate::rules::notes;
use crate::rules::references::own_address;
use crate::rules::topic::Topic;
use crate::store::notes::{MERGE_REQUEST, Naming, Noteable, is_named, name_epic, name_request};
use crate::store::{epics, issues};
use crate::targets::NoteableSummary;
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
        Topic::Issue(_) => matches!(name, Name::Epic(..) | Name::MergeRequest(..)),
        Topic::Thing(thing) if thing.kind != MERGE_REQUEST => false,
        Topic::Epic(_) | Topic::Thing(_) => {
            matches!(name, Name::Epic(..) | Name::Issue(..) | Name::MergeRequest(..))
        }
    };
    let own = own_address(tx)?;
    let mut names = named(change.text, own);
    names.retain(is_told);
    if names.is_empty() {
        return Ok(());
    }
    let before = named(change.before, own);
    names.retain(|name| !before.contains(name));
    names.truncate(MOST);
    let (Some(here), Some(source)) = (Here::of(desk), Source::of(tx, topic)?) else {
        return Ok(());
    };
    for epic in named_epics(tx, viewer, &names, &here)? {
        source.tell(tx, viewer, said::noteable(&epic), epic.group_id)?;
    }
    if !matches!(topic, Topic::Issue(_)) {
        for issue in named_issues(tx, viewer, &names, &here)? {
            source.tell(tx, viewer, noteable(&issue), 0)?;
        }
    }
    for request in named_requests(tx, viewer, &names, |path| here.project(path))? {
        source.tell(tx, viewer, about(&request), 0)?;
    }
    Ok(())
}

/// A merge request, as notes are about it.
pub(super) fn about(request: &NamedRequest) -> Noteable {
    Noteable {
        kind: MERGE_REQUEST,
        id: request.id,
        project_id: Some(request.project_id),
    }
}

/// With which such notes begin.
const WORDS: &str = "mentioned in ";

/// What names others.
enum Source<'s> {
    Issue(&'s Issue),
    Epic(&'s Epic),
    Request(i64, Box<NoteableSummary>),
}

impl<'s> Source<'s> {
    /// None of what is gone.
    fn of(tx: &mut Tx<'_>, topic: Topic<'s>) -> Result<Option<Source<'s>>> {
        Ok(match topic {
            Topic::Issue(issue) => Some(Source::Issue(issue)),
            Topic::Epic(epic) => Some(Source::Epic(epic)),
            Topic::Thing(thing) => {
                let told = (thing.talk.told)(tx, &[thing.id])?.remove(&thing.id);
                told.map(|told| Source::Request(thing.id, Box::new(told)))
            }
        })
    }

    fn naming(&self) -> Naming {
        match self {
            Source::Issue(issue) => Naming::Issue(issue.id),
            Source::Epic(epic) => Naming::Epic(epic.id),
            Source::Request(id, _) => Naming::Request(*id),
        }
    }

    /// How it is called where something is told of: in a project, or of an epic in a group.
    fn name(&self, there: Noteable, group: i64) -> String {
        let path = |project: Option<i64>, path: &str| match project == there.project_id {
            true => String::new(),
            false => path.to_owned(),
        };
        match self {
            Source::Issue(issue) => {
                let path = path(Some(issue.project_id), &issue.project_path);
                format!("issue {path}#{}", issue.iid)
            }
            Source::Epic(epic) => format!("epic {}", epic.reference_from(group)),
            Source::Request(_, told) => {
                let path = path(told.place.project_id(), &told.place_path);
                format!("merge request {path}{}", told.reference)
            }
        }
    }

    /// Tells it on something, unless that is itself or was told.
    fn tell(&self, tx: &mut Tx<'_>, viewer: &Viewer, there: Noteable, group: i64) -> Result<()> {
        if self.is(there) || is_named(tx, there, self.naming(), WORDS)? {
            return Ok(());
        }
        let (actor, text) = (viewer.user_id(), format!("{WORDS}{}", self.name(there, group)));
        if let Source::Issue(issue) = self {
            return notes::system_naming(tx, there, actor, &text, issue.id).map(drop);
        }
        let note = notes::system(tx, there, actor, &text)?;
        match self {
            Source::Issue(_) => Ok(()),
            Source::Epic(epic) => name_epic(tx, note.id, epic.id),
            Source::Request(id, _) => name_request(tx, note.id, *id),
        }
    }

    fn is(&self, other: Noteable) -> bool {
        match self {
            Source::Issue(_) => false,
            Source::Epic(epic) => said::noteable(epic) == other,
            Source::Request(id, _) => other.kind == MERGE_REQUEST && other.id == *id,
        }
    }
}

/// What short names mean: folded paths of a project, if it is one, and of its group.
struct Here {
    project: Option<String>,
    group: String,
}

impl Here {
    fn of(desk: Desk<'_>) -> Option<Here> {
        Some(match desk {
            Desk::Project(access) => Here {
                project: Some(fold(&access.project.full_path)),
                group: fold(access.project.full_path.rsplit_once('/')?.0),
            },
            Desk::Group(access) => Here { project: None, group: fold(&access.group.full_path) },
        })
    }

    fn project(&self, path: Option<&str>) -> Option<String> {
        match path {
            None => self.project.clone(),
            Some(path) if path.contains('/') => Some(fold(path)),
            Some(path) => Some(format!("{}/{}", self.group, fold(path))),
        }
    }

    fn group(&self, path: Option<&str>) -> String {
        path.map_or_else(|| self.group.clone(), fold)
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

fn named_epics(tx: &mut Tx<'_>, viewer: &Viewer, names: &[Name], here: &Here) -> Result<Vec<Epic>> {
    let place = |name: &Name| match name {
        Name::Epic(path, iid) => Some((here.group(path.as_deref()), *iid)),
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
    tx: &mut Tx<'_>, viewer: &Viewer, names: &[Name], here: &Here,
) -> Result<Vec<Issue>> {
    let place = |name: &Name| match name {
        Name::Issue(path, iid) => Some((here.project(path.as_deref())?, *iid)),
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

/// Those that the viewer sees, by the folded path of the project that a name means.
pub(super) fn named_requests(
    tx: &mut Tx<'_>, viewer: &Viewer, names: &[Name],
    project: impl Fn(Option<&str>) -> Option<String>,
) -> Result<Vec<NamedRequest>> {
    let place = |name: &Name| match name {
        Name::MergeRequest(path, iid) => Some((project(path.as_deref())?, *iid)),
        _ => None,
    };
    let places: Places = names.iter().filter_map(place).collect();
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let (paths, iids): (Vec<String>, Vec<i64>) = places.iter().cloned().unzip();
    let mut found = requests::named(tx, viewer, &paths, &iids)?;
    found.retain(|one| places.contains(&(one.full_path_folded.clone(), one.iid)));
    Ok(found)
}
