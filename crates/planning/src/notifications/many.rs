//! What somebody may know of many things that happened, read for all of them at once.

use super::recipients::gets_mail;
use super::seen::{Seen, seen, summary_of_issue};
use crate::access::Parent;
use crate::model::Issue;
use crate::model::epics::EPIC;
use crate::rules::topic::OwnedTopic;
use crate::store::issues as rows;
use crate::store::notes::{self as note_rows, ISSUE, Note};
use crate::targets::{self, NoteableSummary, TargetKinds};
use crate::tasks::News;
use ::store::Tx;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use spaces::access::find_projects;
use spaces::model::Project;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What happened, as far as a user may know of it now, in the order of these news; in
/// as many statements for a hundred as for one; epics, of which less is told, are read
/// one by one.
pub fn seen_many(
    app: &App, tx: &mut Tx<'_>, news: &[&News], user: &User,
) -> Result<Vec<Option<Seen>>> {
    let known = match gets_mail(user) {
        true => Known::read(app, tx, news, user)?,
        false => Known::default(),
    };
    let each = news.iter().map(|one| match one.about.kind == EPIC {
        true => seen(tx, one, user),
        false => known.seen(tx, one),
    });
    each.collect()
}

/// What the news are about, as far as the user sees it.
#[derive(Default)]
struct Known {
    issues: HashMap<i64, Issue>,
    things: HashMap<(String, i64), NoteableSummary>,
    assignees: HashMap<i64, Vec<i64>>,
    notes: HashMap<i64, Note>,
    projects: HashMap<i64, Project>,
    /// Projects whose internal notes the user reads.
    reported: HashSet<i64>,
}

impl Known {
    fn read(app: &App, tx: &mut Tx<'_>, news: &[&News], user: &User) -> Result<Known> {
        let viewer = Viewer::addressed(user.clone());
        let mut ids: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
        for one in news {
            ids.entry(one.about.kind.as_str()).or_default().push(one.about.id);
        }
        let mut known = Known::default();
        ids.remove(EPIC);
        let of_issues = ids.remove(ISSUE).unwrap_or_default();
        for issue in rows::visible_by_ids(tx, &viewer, &of_issues)? {
            known.issues.insert(issue.id, issue);
        }
        known.assignees = rows::assignees_of(tx, &of_issues)?;
        for (kind, ids) in ids {
            known.read_things(app, tx, &viewer, kind, &ids)?;
        }
        let notes: Vec<i64> = news.iter().filter_map(|one| one.note).collect();
        for note in note_rows::by_ids(tx, &notes)? {
            known.notes.insert(note.id, note);
        }
        let of_issues = known.issues.values().map(|issue| issue.project_id);
        let of_things = known.things.values().filter_map(|told| told.place.project_id());
        let projects: Vec<i64> = of_issues.chain(of_things).collect();
        known.reported = match user.is_admin {
            true => projects.iter().copied().collect(),
            false => rows::reported(tx, user.id, &projects)?,
        };
        for project in find_projects(tx, &projects)? {
            known.projects.insert(project.id, project);
        }
        Ok(known)
    }

    /// Things of one kind of a room above.
    fn read_things(
        &mut self, app: &App, tx: &mut Tx<'_>, viewer: &Viewer, kind: &str, ids: &[i64],
    ) -> Result<()> {
        let Some(talk) = tx.plugged::<TargetKinds>()?.named(kind).and_then(|kind| kind.talk) else {
            return Ok(());
        };
        let named = ids.iter().map(|id| (kind, *id));
        let seen = targets::read(app, tx, viewer, named)?;
        let shown: Vec<i64> =
            ids.iter().copied().filter(|id| seen.get(kind, *id).is_some()).collect();
        for (id, told) in (talk.told)(tx, &shown)? {
            self.things.insert((kind.to_owned(), id), told);
        }
        Ok(())
    }

    fn seen(&self, tx: &Tx<'_>, news: &News) -> Result<Option<Seen>> {
        let about = &news.about;
        let (subject, told) = match self.issues.get(&about.id).filter(|_| about.kind == ISSUE) {
            Some(issue) => {
                let assignees = self.assignees.get(&issue.id).cloned().unwrap_or_default();
                let told = summary_of_issue(issue, assignees);
                (OwnedTopic::Issue(Box::new(issue.clone())), told)
            }
            None => {
                let told = self.things.get(&(about.kind.clone(), about.id)).cloned();
                let thing = tx.plugged::<TargetKinds>()?.thing(&about.kind, about.id);
                match (thing, told) {
                    (Some(thing), Some(told)) => (OwnedTopic::Thing(thing), told),
                    _ => return Ok(None),
                }
            }
        };
        let note = news.note.and_then(|id| self.notes.get(&id).cloned());
        let is_gone = news.note.is_some() && note.is_none();
        let is_issue = matches!(subject, OwnedTopic::Issue(_));
        let is_internal = is_issue && note.as_ref().is_some_and(|note| note.internal);
        let project = told.place.project_id().and_then(|id| self.projects.get(&id)).cloned();
        let is_hidden = |project: &Project| is_internal && !self.reported.contains(&project.id);
        let known = project.filter(|project| !is_gone && !is_hidden(project));
        Ok(known.map(|project| Seen {
            subject,
            told,
            place: Parent::Project(Box::new(project)),
            note,
        }))
    }
}
