//! The lists of the file: what was planned, reviewed and released, and who does what.

use super::people::{People, known};
use super::{Fault, MANY, Reading};
use crate::archive::format::List;
use crate::archive::out::{Lines, Out};
use crate::model::{
    CodeNote, Event, FoundRelease, Issue, Member, MergeRequest, Note, Object, On, Person,
    ProtectedBranch,
};
use kernel::error::{Error, Result};
use planning::store::notes::ISSUE;
use planning::transfer as plan;
use repositories::protection::model::{Deed, Level, NO_ONE, RefKind};
use repositories::protection::store as protection;
use reviews::transfer as review;
use spaces::store::members;
use std::collections::HashMap;
use std::io::Write;
use store::Tx;

/// Some objects, and what the next ones stand behind; nothing stands behind no objects.
type Found = (Vec<Object>, Option<i64>);
/// Reads those of a project that stand behind an id or a number.
type Read = fn(&mut Tx<'_>, &mut People, i64, i64) -> Result<Found>;

/// Writes all of them.
pub fn write<W: Write>(reading: &mut Reading<'_>, out: &mut Out<W>) -> Result<(), Fault> {
    let lists: [(List, Read); 5] = [
        (List::Labels, labels),
        (List::Milestones, milestones),
        (List::Releases, releases),
        (List::Members, members_of),
        (List::MergeRequests, requests),
    ];
    for (list, read) in lists {
        whole(reading, out, list, read)?;
    }
    let issues = issues(reading, out)?;
    whole(reading, out, List::CodeNotes, code_notes)?;
    let of_issue = |on: &HashMap<i64, On>, after| {
        let on = on.clone();
        move |tx: &mut Tx<'_>, people: &mut People| notes_of_issues(tx, people, &on, after)
    };
    let mut lines = out.list(List::Notes);
    for on in &issues {
        behind(reading, &mut lines, |reading, after| reading.read(of_issue(on, after)))?;
    }
    each(reading, &mut lines, notes_of_requests)?;
    lines.finish()?;
    let of_issue = |on: &HashMap<i64, On>, after| {
        let on = on.clone();
        move |tx: &mut Tx<'_>, people: &mut People| events_of_issues(tx, people, &on, after)
    };
    let mut lines = out.list(List::Events);
    for on in &issues {
        behind(reading, &mut lines, |reading, after| reading.read(of_issue(on, after)))?;
    }
    each(reading, &mut lines, events_of_requests)?;
    lines.finish()?;
    whole(reading, out, List::ProtectedBranches, protected_branches)
}

/// Writes a list.
fn whole<W: Write>(
    reading: &mut Reading<'_>, out: &mut Out<W>, list: List, read: Read,
) -> Result<(), Fault> {
    let mut lines = out.list(list);
    each(reading, &mut lines, read)?;
    Ok(lines.finish()?)
}

/// Writes what is read of the project, page by page.
fn each<W: Write>(
    reading: &mut Reading<'_>, lines: &mut Lines<'_, W>, read: Read,
) -> Result<(), Fault> {
    let project = reading.project.id;
    behind(reading, lines, |reading, after| {
        reading.read(move |tx, people| read(tx, people, project, after))
    })
}

fn behind<W: Write>(
    reading: &mut Reading<'_>, lines: &mut Lines<'_, W>,
    page: impl Fn(&mut Reading<'_>, i64) -> Result<Found, Fault>,
) -> Result<(), Fault> {
    let mut next = Some(0);
    while let Some(after) = next {
        let (objects, behind) = page(reading, after)?;
        for object in &objects {
            lines.line(object)?;
        }
        reading.objects += i64::try_from(objects.len()).unwrap_or_default();
        next = behind;
    }
    Ok(())
}

/// Issues; of each page their ids with their numbers.
fn issues<W: Write>(
    reading: &mut Reading<'_>, out: &mut Out<W>,
) -> Result<Vec<HashMap<i64, On>>, Fault> {
    let (project, mut all, mut after) = (reading.project.id, Vec::new(), 0);
    let mut lines = out.list(List::Issues);
    loop {
        let page = reading.read(move |tx, people| {
            let found = plan::read::issues(tx, project, after, MANY)?;
            let named = |(id, issue)| Ok((id, issue_of(tx, people, issue)?));
            found.into_iter().map(named).collect::<Result<Vec<(i64, Issue)>>>()
        })?;
        let Some((_, last)) = page.last() else {
            lines.finish()?;
            return Ok(all);
        };
        after = last.number;
        let mut on = HashMap::with_capacity(page.len());
        for (id, issue) in page {
            on.insert(id, On::Issue(issue.number));
            lines.line(&Object::Issue(Box::new(issue)))?;
            reading.objects += 1;
        }
        all.push(on);
    }
}

/// What was found, each behind an id, as objects.
fn page<T>(found: Vec<(i64, T)>, object: impl FnMut(T) -> Result<Object>) -> Result<Found> {
    let behind = found.last().map(|(id, _)| *id);
    let objects: Result<Vec<Object>> =
        found.into_iter().map(|(_, thing)| thing).map(object).collect();
    Ok((objects?, behind))
}

fn labels(tx: &mut Tx<'_>, _: &mut People, project: i64, after: i64) -> Result<Found> {
    let found = plan::read::labels(tx, project, after, MANY)?;
    page(found, |label| Ok(Object::Label(label)))
}

fn milestones(tx: &mut Tx<'_>, _: &mut People, project: i64, after: i64) -> Result<Found> {
    let found = plan::read::milestones(tx, project, after, MANY)?;
    let found = found.into_iter().map(|milestone| (milestone.number, milestone)).collect();
    page(found, |milestone| Ok(Object::Milestone(milestone)))
}

fn releases(tx: &mut Tx<'_>, people: &mut People, project: i64, after: i64) -> Result<Found> {
    let found = releases::transfer::read::page(tx, project, after, MANY)?;
    page(found, |release| {
        let who = &mut |id| people.of(tx, id);
        let mut release = release.with_people::<Person, Error>(who)?;
        release.author = known(release.author);
        Ok(Object::Release(Box::new(FoundRelease { release, assets: Vec::new() })))
    })
}

fn members_of(tx: &mut Tx<'_>, people: &mut People, project: i64, after: i64) -> Result<Found> {
    let found = members::direct_after(tx, project, after, MANY)?;
    let behind = found.last().map(|(user, ..)| *user);
    let mut objects = Vec::with_capacity(found.len());
    for (user, access_level, expires_at) in found {
        if let Some(who) = known(Some(people.of(tx, user)?)) {
            objects.push(Object::Member(Member { who, access_level, expires_at }));
        }
    }
    Ok((objects, behind))
}

fn requests(tx: &mut Tx<'_>, people: &mut People, project: i64, after: i64) -> Result<Found> {
    let found = review::read::requests(tx, project, after, MANY)?;
    page(found, |request| {
        let who = &mut |id| people.of(tx, id);
        let mut request: MergeRequest = request.with_people::<Person, Error>(who)?;
        for person in [&mut request.author, &mut request.closed_by, &mut request.merged_by] {
            *person = known(person.take());
        }
        request.assignees.retain(is_known);
        request.reviewers.retain(|one| is_known(&one.who));
        request.approvals.retain(|one| is_known(&one.by));
        by_known(&mut request.reactions);
        Ok(Object::MergeRequest(Box::new(request)))
    })
}

fn is_known(person: &Person) -> bool {
    !person.id.is_empty()
}

fn by_known(reactions: &mut [plan::Reaction<Person>]) {
    for reaction in reactions {
        reaction.by = known(reaction.by.take());
    }
}

fn issue_of(tx: &mut Tx<'_>, people: &mut People, issue: plan::Issue<i64>) -> Result<Issue> {
    let mut issue = issue.with_people::<Person, Error>(&mut |id| people.of(tx, id))?;
    issue.author = known(issue.author);
    issue.closed_by = known(issue.closed_by);
    issue.assignees.retain(is_known);
    by_known(&mut issue.reactions);
    Ok(issue)
}

fn note_of(tx: &mut Tx<'_>, people: &mut People, note: plan::Note<i64>) -> Result<Object> {
    let mut note: Note = note.with_people::<Person, Error>(&mut |id| people.of(tx, id))?;
    note.author = known(note.author);
    note.resolved_by = known(note.resolved_by);
    by_known(&mut note.reactions);
    Ok(Object::Note(Box::new(note)))
}

fn event_of(tx: &mut Tx<'_>, people: &mut People, event: plan::Event<i64>) -> Result<Object> {
    let mut event: Event = event.with_people::<Person, Error>(&mut |id| people.of(tx, id))?;
    event.by = known(event.by);
    Ok(Object::Event(event))
}

fn code_notes(tx: &mut Tx<'_>, people: &mut People, project: i64, after: i64) -> Result<Found> {
    let found = review::read::code_notes(tx, project, after, MANY)?;
    page(found, |note| {
        let who = &mut |id| people.of(tx, id);
        let mut note: CodeNote = note.with_people::<Person, Error>(who)?;
        note.author = known(note.author);
        note.resolved_by = known(note.resolved_by);
        by_known(&mut note.reactions);
        Ok(Object::CodeNote(Box::new(note)))
    })
}

fn notes_of_issues(
    tx: &mut Tx<'_>, people: &mut People, on: &HashMap<i64, On>, after: i64,
) -> Result<Found> {
    let found = plan::read::notes(tx, ISSUE, on, after, MANY)?;
    let found = found.into_iter().map(|(_, note)| (number_of(&note.key), note)).collect();
    page(found, |note| note_of(tx, people, note))
}

fn notes_of_requests(
    tx: &mut Tx<'_>, people: &mut People, project: i64, after: i64,
) -> Result<Found> {
    let found = review::read::notes(tx, project, after, MANY)?;
    page(found, |note| note_of(tx, people, note))
}

fn events_of_issues(
    tx: &mut Tx<'_>, people: &mut People, on: &HashMap<i64, On>, after: i64,
) -> Result<Found> {
    let found = plan::read::events(tx, on, after, MANY)?;
    let found = found.into_iter().map(|event| (number_of(&event.key), event)).collect();
    page(found, |event| event_of(tx, people, event))
}

fn events_of_requests(
    tx: &mut Tx<'_>, people: &mut People, project: i64, after: i64,
) -> Result<Found> {
    let found = review::read::events(tx, project, after, MANY)?;
    page(found, |event| event_of(tx, people, event))
}

/// The id that a key is.
fn number_of(key: &str) -> i64 {
    key.parse().unwrap_or(i64::MAX)
}

/// All at once: there are few.
fn protected_branches(tx: &mut Tx<'_>, people: &mut People, project: i64, _: i64) -> Result<Found> {
    let mut rules = protection::of_project(tx, project, None)?;
    rules.retain(|rule| rule.kind == RefKind::Branch && rule.project_id == Some(project));
    let mut levels = protection::levels(tx, &rules)?;
    let mut objects = Vec::with_capacity(rules.len());
    for rule in rules {
        let levels = levels.remove(&rule.id).unwrap_or_default();
        let mut pushers = Vec::new();
        for user in levels.iter().filter(|one| one.purpose == Deed::Push) {
            if let Some(id) = user.user_id {
                pushers.extend(known(Some(people.of(tx, id)?)));
            }
        }
        let push_level = least(&levels, Deed::Push);
        objects.push(Object::ProtectedBranch(ProtectedBranch {
            name: rule.name,
            allows_force_push: rule.allow_force_push,
            needs_code_owners: rule.code_owner_approval_required,
            needs_merge_request: push_level == Some(NO_ONE),
            // These are settings of the project.
            needs_resolved_threads: false,
            needs_signed_commits: false,
            pushers,
            push_level,
            merge_level: least(&levels, Deed::Merge),
        }));
    }
    Ok((objects, None))
}

/// The least role that may do it; nobody, where nobody is named but people.
fn least(levels: &[Level], deed: Deed) -> Option<i64> {
    let of_deed = levels.iter().filter(|level| level.purpose == deed);
    let roles = of_deed.filter_map(|level| level.access_level);
    // Nobody comes first by number and last by what it means.
    let least = roles.min_by_key(|role| if *role == NO_ONE { i64::MAX } else { *role });
    Some(least.unwrap_or(NO_ONE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(purpose: Deed, access_level: Option<i64>) -> Level {
        Level {
            id: 1,
            protected_ref_id: 1,
            purpose,
            access_level,
            user_id: None,
            group_id: None,
            deploy_key_id: None,
        }
    }

    #[test]
    fn the_least_role_counts() {
        let roles = |roles: &[i64]| {
            let levels: Vec<Level> =
                roles.iter().map(|role| level(Deed::Push, Some(*role))).collect();
            least(&levels, Deed::Push)
        };
        assert_eq!(roles(&[40, 30]), Some(30));
        assert_eq!(roles(&[NO_ONE, 40]), Some(40));
        assert_eq!(roles(&[NO_ONE]), Some(NO_ONE));
        assert_eq!(least(&[level(Deed::Merge, Some(30))], Deed::Push), Some(0));
    }
}
