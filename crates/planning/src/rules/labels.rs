//! Labels: making, changing, promoting, removing.

use super::{group_above, record};
use crate::access::{Parent, ParentAccess};
use crate::hooks::labels_replaced;
use crate::model::{Label, MAX_LABEL_TEXT, MAX_NAMED, color, label_title_error};
use crate::store::labels;
use crate::store::subscriptions::{self, Target};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use spaces::model::Problems;
use store::Tx;

kernel::params! {
    #[derive(Default, PartialEq)]
    pub struct LabelInput {
        /// Its title.
        pub title as "new_name": Option<String>,
        /// `#rrggbb` or a name of CSS.
        pub color: Option<String>,
        /// A few words.
        pub description: Patch<String>,
        /// Where it stands among the project's labels; null for nowhere.
        pub priority: Patch<i64>,
        /// No longer offered.
        pub archived: Option<bool>,
    }
}

impl LabelInput {
    fn over(&self, before: Label) -> Result<Label> {
        let title = self.title.as_deref().unwrap_or(&before.title);
        let description = self.description.clone().over(before.description);
        checked(Label {
            title: title.trim().to_owned(),
            color: self.color.clone().unwrap_or(before.color),
            description: description.filter(|text| !text.is_empty()),
            archived: self.archived.unwrap_or(before.archived),
            ..before
        })
    }

    /// The same but for the priority.
    fn rewrites(&self) -> bool {
        let same = LabelInput { priority: self.priority.clone(), ..LabelInput::default() };
        *self != same
    }
}

pub fn find(
    tx: &mut Tx<'_>, viewer: &Viewer, entered: &ParentAccess, id_or_title: &str,
    with_groups_above: bool,
) -> Result<Label> {
    let within = (&entered.parent, with_groups_above);
    labels::find(tx, viewer.user_id(), within, id_or_title)?.found("Label")
}

/// Makes a label. Neither the place nor a group above it may have one of the
/// same title.
pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, entered: &ParentAccess, new: &LabelInput,
) -> Result<Label> {
    // One has a colour of its own unless given.
    let written = new.over(Label { color: color::DEFAULT.to_owned(), ..Label::default() })?;
    let priority = new.priority.clone().over(None);
    check_priority(entered, priority)?;
    let parent = &entered.parent;
    let exists = || Error::Conflict("Label already exists".into());
    if labels::is_taken(tx, parent, &written.title, 0)? {
        return Err(exists());
    }
    let id = labels::insert(tx, parent, &written)?.ok_or_else(exists)?;
    if let (Some(project), Some(priority)) = (parent.project_id(), priority) {
        labels::prioritize(tx, (project, id), Some(priority))?;
    }
    record(tx, viewer, "label.create", ("Label", id, &written.title), parent)?;
    find(tx, viewer, entered, &id.to_string(), false)
}

/// Changes a label of this place. A label of a group above may be given a
/// priority in the project; nothing else of it changes from there.
pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, entered: &ParentAccess, id_or_title: &str,
    change: &LabelInput,
) -> Result<Label> {
    let label = find(tx, viewer, entered, id_or_title, true)?;
    let parent = &entered.parent;
    let is_own = label.project_id == parent.project_id() && label.group_id == parent.group_id();
    if change.rewrites() {
        if !is_own {
            return Err(Error::NotFound("Label"));
        }
        let written = change.over(label.clone())?;
        if labels::is_taken(tx, parent, &written.title, label.id)? {
            return Err(Error::invalid("title", "has already been taken"));
        }
        labels::update(tx, &written)?;
        record(tx, viewer, "label.update", ("Label", label.id, &written.title), parent)?;
    }
    if change.priority != Patch::Absent {
        let priority = change.priority.clone().over(None);
        check_priority(entered, priority)?;
        if let Some(project) = parent.project_id() {
            labels::prioritize(tx, (project, label.id), priority)?;
        }
    }
    find(tx, viewer, entered, &label.id.to_string(), true)
}

pub fn destroy(
    tx: &mut Tx<'_>, viewer: &Viewer, entered: &ParentAccess, id_or_title: &str,
) -> Result<()> {
    let label = find(tx, viewer, entered, id_or_title, false)?;
    labels::delete(tx, label.id)?;
    record(tx, viewer, "label.destroy", ("Label", label.id, &label.title), &entered.parent)
}

/// Asks to be told of issues with this label, or no longer; nothing if it was
/// so before.
pub fn subscribe(
    tx: &mut Tx<'_>, viewer: &Viewer, entered: &ParentAccess, id_or_title: &str, wanted: bool,
) -> Result<Option<Label>> {
    let user_id = viewer.signed_in()?.user.id;
    let label = find(tx, viewer, entered, id_or_title, true)?;
    if label.subscribed == wanted {
        return Ok(None);
    }
    subscriptions::set(tx, user_id, Target::Label, label.id, wanted)?;
    Ok(Some(Label { subscribed: wanted, ..label }))
}

/// Makes a project's label one of its group, also in place of the labels of
/// the same title in the group's other projects.
pub fn promote(
    tx: &mut Tx<'_>, viewer: &Viewer, entered: &ParentAccess, id_or_title: &str,
) -> Result<(Label, ParentAccess)> {
    let label = find(tx, viewer, entered, id_or_title, false)?;
    let refusal = "Failed to promote project label to group label";
    let (group, above) = group_above(tx, viewer, entered, refusal)?;
    let made = match labels::insert(tx, &above.parent, &label)? {
        Some(id) => id,
        None => find(tx, viewer, &above, &label.title, false)?.id,
    };
    let old = labels::of_title_below(tx, &group.lineage, &label.title)?;
    labels_replaced(tx, &old, made)?;
    labels::replace(tx, old, made)?;
    record(tx, viewer, "label.promote", ("Label", made, &label.title), &above.parent)?;
    let promoted = find(tx, viewer, &above, &made.to_string(), false)?;
    Ok((promoted, above))
}

fn checked(mut label: Label) -> Result<Label> {
    let mut problems = Problems::default();
    problems.note("title", label_title_error(&label.title));
    match color::parse(&label.color) {
        Some(color) => label.color = color,
        None => problems.add("color", "must be a valid color code"),
    }
    if label.text().chars().count() > MAX_LABEL_TEXT {
        problems.add("description", "is too long (maximum is 512 characters)");
    }
    problems.check()?;
    Ok(label)
}

fn check_priority(entered: &ParentAccess, priority: Option<i64>) -> Result<()> {
    match priority {
        Some(_) if entered.parent.project_id().is_none() => {
            Err(Error::invalid("priority", "is set in projects, not in groups"))
        }
        Some(priority) if priority < 0 => {
            Err(Error::invalid("priority", "must be greater than or equal to 0"))
        }
        _ => Ok(()),
    }
}

/// The labels named by title or id; unknown titles become labels of the
/// project where `make` is set, unknown ids are left out.
pub fn label_ids(
    tx: &mut Tx<'_>, parent: &Parent, titles: &[String], ids: &[i64], make: bool,
) -> Result<Vec<i64>> {
    let titles: Vec<String> = titles
        .iter()
        .map(|title| title.trim().to_owned())
        .filter(|title| !title.is_empty())
        .collect();
    if titles.is_empty() && ids.is_empty() {
        return Ok(Vec::new());
    }
    if titles.len() + ids.len() > MAX_NAMED {
        return Err(Error::invalid("labels", "are too many (maximum is 200)"));
    }
    let known = labels::ids_of(tx, parent, &titles, ids)?;
    let mut found: Vec<i64> = ids
        .iter()
        .copied()
        .filter(|id| known.iter().any(|(known, _)| known == id))
        .collect();
    for title in &titles {
        match known.iter().find(|(_, known)| known == title) {
            Some((id, _)) => found.push(*id),
            None if make => found.push(make_label(tx, parent, title)?),
            None => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn make_label(tx: &mut Tx<'_>, parent: &Parent, title: &str) -> Result<i64> {
    if let Some(problem) = label_title_error(title) {
        return Err(Error::invalid("labels", problem));
    }
    let label = Label {
        title: title.to_owned(),
        color: color::DEFAULT.to_owned(),
        ..Label::default()
    };
    match labels::insert(tx, parent, &label)? {
        Some(id) => Ok(id),
        // Named twice in one request.
        None => Ok(labels::find(tx, None, (parent, true), title)?.found("Label")?.id),
    }
}
