//! Paging: who is told of the alerts whose rules have come due. One
//! transaction says which rules are done, records who is paged and enqueues
//! their mail, so that nobody is paged twice or forgotten, whatever dies.

use super::escalation::{Step, step};
use super::rotations::shifts;
use crate::access::may_look_after;
use crate::alerts::store::arrive::noteable_of;
use crate::on_call::model::{Rule, Target};
use crate::on_call::store::escalations::{self as rows, Escalation, NewPage};
use crate::on_call::store::{rotations, schedules};
use crate::tasks::Tell;
use identity::entities::load_basic;
use identity::model::User;
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use planning::Noteable;
use spaces::Project;
use spaces::access::find_project;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use store::{Tx, grouped};

/// What a note says when a rule has nobody to page.
const NOBODY: &str = "found nobody on call to page about this alert";

/// Does what is due for at most so many alerts; for how many it did.
pub fn carry_on(tx: &mut Tx<'_>, most: i64) -> Result<usize> {
    let now = tx.now();
    let due = rows::due(tx, most)?;
    if due.is_empty() {
        return Ok(0);
    }
    let rules = rules_of(tx, &due)?;
    let steps: Vec<(&Escalation, Step<'_>)> = due
        .iter()
        .map(|one| {
            let rules = rules.get(&one.project_id).filter(|_| !one.rests);
            let rules = rules.map_or(&[][..], Vec::as_slice);
            let elapsed = now.duration_since(one.began_at).as_secs();
            (one, step(rules, one.passed_seconds, elapsed, one.status))
        })
        .collect();
    let paging = steps.iter().flat_map(|(_, step)| &step.paging);
    let mut people = People::read(tx, paging.map(|rule| rule.target), now)?;
    let (mut pages, mut notes) = (Vec::new(), Vec::new());
    for (one, step) in &steps {
        for rule in &step.paging {
            let users = people.whom(tx, one.project_id, rule)?;
            notes.push((noteable_of(one.project_id, one.alert_id), said(&users)));
            pages.extend(users.iter().map(|user| NewPage {
                alert_id: one.alert_id,
                began_at: one.began_at,
                rule_id: rule.id,
                user_id: user.id,
            }));
        }
    }
    tell(tx, &pages, &notes, now)?;
    let over = steps.iter().filter(|(_, step)| step.next.is_none());
    let over: Vec<i64> = over.map(|(one, _)| one.alert_id).collect();
    rows::end(tx, &over)?;
    let later = steps.iter().filter_map(|(one, step)| {
        let next = SignedDuration::from_secs(step.next?);
        let due_at = one.began_at.checked_add(next).ok()?;
        Some((one.alert_id, step.passed, due_at))
    });
    rows::pass(tx, &later.collect::<Vec<_>>())?;
    Ok(due.len())
}

fn rules_of(tx: &mut Tx<'_>, due: &[Escalation]) -> Result<HashMap<i64, Vec<Rule>>> {
    let mut projects: Vec<i64> = due.iter().map(|one| one.project_id).collect();
    projects.sort_unstable();
    projects.dedup();
    Ok(grouped(rows::rules(tx, &projects)?))
}

fn said(users: &[User]) -> String {
    if users.is_empty() {
        return NOBODY.to_owned();
    }
    let names: Vec<String> = users.iter().map(|user| format!("@{}", user.username)).collect();
    format!("paged {} about this alert by e-mail", names.join(", "))
}

fn tell(
    tx: &mut Tx<'_>, pages: &[NewPage], notes: &[(Noteable, String)], now: Timestamp,
) -> Result<()> {
    for page in rows::record(tx, pages)? {
        enqueue_at(tx, &Tell { page }, now)?;
    }
    if notes.is_empty() {
        return Ok(());
    }
    let bot = identity::users::alert_bot(tx)?;
    planning::notes::system_all(tx, Some(bot), notes)
}

/// Those whom rules page, as far as they may be told.
struct People {
    /// Whom each target means, in order and once.
    targets: HashMap<Target, Vec<i64>>,
    users: HashMap<i64, User>,
    projects: HashMap<i64, Option<Project>>,
    /// Whether a user may be told of the alerts of a project.
    may: HashMap<(i64, i64), bool>,
}

impl People {
    fn read(
        tx: &mut Tx<'_>, targets: impl Iterator<Item = Target>, now: Timestamp,
    ) -> Result<People> {
        let (mut found, mut named) = (HashMap::new(), Vec::new());
        for target in targets {
            match target {
                Target::User(id) => {
                    found.insert(target, vec![id]);
                }
                Target::Schedule(id) if !named.contains(&id) => named.push(id),
                Target::Schedule(_) => {}
            }
        }
        for (schedule, users) in on_call(tx, &named, now)? {
            found.insert(Target::Schedule(schedule), users);
        }
        let ids: Vec<i64> = found.values().flatten().copied().collect();
        Ok(People {
            targets: found,
            users: load_basic(tx, &ids)?,
            projects: HashMap::new(),
            may: HashMap::new(),
        })
    }

    /// Whom a rule of a project pages now: nobody who is shut out or may no
    /// longer see its alerts.
    fn whom(&mut self, tx: &mut Tx<'_>, project_id: i64, rule: &Rule) -> Result<Vec<User>> {
        let project = match self.projects.entry(project_id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(find_project(tx, &Reference::Id(project_id))?),
        };
        let Some(project) = project else {
            return Ok(Vec::new());
        };
        let mut users = Vec::new();
        for id in self.targets.get(&rule.target).into_iter().flatten() {
            let Some(user) = self.users.get(id) else {
                continue;
            };
            let may = match self.may.get(&(project_id, *id)) {
                Some(may) => *may,
                None => may_look_after(tx, user, project)?,
            };
            self.may.insert((project_id, *id), may);
            if may {
                users.push(user.clone());
            }
        }
        Ok(users)
    }
}

/// Who is on call by each of these schedules: of each rotation one, and each
/// user once.
pub fn on_call(tx: &mut Tx<'_>, ids: &[i64], now: Timestamp) -> Result<HashMap<i64, Vec<i64>>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = rotations::of_schedules(tx, ids)?;
    let all: Vec<i64> = found.iter().map(|one| one.id).collect();
    let people = rotations::participants(tx, &all)?;
    let next = now.checked_add(SignedDuration::from_nanos(1)).unwrap_or(now);
    let mut users: HashMap<i64, Vec<i64>> = HashMap::new();
    for schedule in schedules::by_ids(tx, ids)? {
        let own = users.entry(schedule.id).or_default();
        for rotation in found.iter().filter(|one| one.schedule_id == schedule.id) {
            for (_, one) in shifts(&schedule, rotation, &people, now, next) {
                if !own.contains(&one.user_id) {
                    own.push(one.user_id);
                }
            }
        }
    }
    Ok(users)
}
