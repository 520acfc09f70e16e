//! People: members and who takes part first, then everybody else, whom users
//! know by `GET /users`.

use super::{MOST, Suggestion, beginnings_first};
use crate::access::{Parent, ParentAccess, ProjectAccess, Scope, visible};
use crate::store::contains;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::PageViewer;
use spaces::store::{Breadth, Source, memberships};
use store::{Fragment, Tx};

/// Issues and notes, the newest, whose authors take part.
const RECENT: i64 = 100;

const NAMES: [&str; 2] = ["users.username_folded", "users.name_folded"];

/// Nobody but who is near is named before something is typed.
pub fn named(
    tx: &mut Tx<'_>, viewer: &Viewer, here: Option<&ParentAccess>, typed: &str,
) -> Result<Vec<Suggestion>> {
    let mut query = Fragment::new("select users.username, users.name from users");
    if let Some(here) = here {
        let join = if typed.is_empty() { " join (" } else { " left join (" };
        query
            .raw(join)
            .append(near(tx, viewer, here))
            .raw(") as near on near.user_id = users.id");
    }
    query.raw(" where users.kind = 'human' and users.state = 'active'");
    contains(&mut query, &NAMES, typed);
    query.raw(" order by ");
    if here.is_some() {
        query.raw("coalesce(near.distance, 2), ");
    }
    beginnings_first(&mut query, &NAMES, typed);
    query.push("users.username_folded limit ", MOST);
    let found = tx.query::<(String, String)>(query)?;
    Ok(found.into_iter().map(suggestion).collect())
}

fn suggestion((username, name): (String, String)) -> Suggestion {
    Suggestion {
        letters: Some(PageViewer::initials(&name)),
        label: name,
        detail: format!("@{username}"),
        value: username,
        color: None,
    }
}

/// Ids of users with how far they are: members 0, who takes part 1.
fn near(tx: &Tx<'_>, viewer: &Viewer, here: &ParentAccess) -> Fragment {
    let mut near = Fragment::new(
        "select everybody.user_id, min(everybody.distance) as distance
         from (select m.member_user_id as user_id, 0 as distance from ",
    );
    let source = match &here.parent {
        Parent::Project(project) => Source::of_project(project),
        Parent::Group(group) => Source::of_group(group),
    };
    near.append(memberships(tx, &source, Breadth::All)).raw(" as m");
    if let Parent::Project(project) = &here.parent {
        let desk = ProjectAccess { project: (**project).clone(), level: here.level };
        taking_part(&mut near, &visible(tx, viewer, &Scope::Project(Box::new(desk))), project.id);
    }
    near.raw(") as everybody group by everybody.user_id");
    near
}

/// ` union all …`: who wrote the newest issues and notes that the viewer sees,
/// and who is assigned.
fn taking_part(near: &mut Fragment, seen: &Fragment, project: i64) {
    let newest = |columns: &str| {
        let mut newest = Fragment::new(&format!("(select {columns} from issues where "));
        newest
            .append(seen.clone())
            .push(" order by issues.iid desc limit ", RECENT)
            .raw(")");
        newest
    };
    near.raw(" union all select i.author_id, 1 from ")
        .append(newest("issues.author_id"))
        .raw(" as i union all select a.user_id, 1 from ")
        .append(newest("issues.id"))
        .raw(
            " as i join issue_assignees a on a.issue_id = i.id
             union all select n.author_id, 1 from (select notes.author_id from notes
                join issues on issues.id = notes.noteable_id
                where notes.noteable_type = 'Issue' and not notes.internal
                    and not notes.is_system and ",
        )
        .append(seen.clone())
        .push(" and notes.project_id = ", project)
        .push(" order by notes.id desc limit ", RECENT)
        .raw(") as n");
}
