//! Labels, milestones, releases, and who works on the repository.

use super::Upstream;
use super::answers::{Asset, Collaborator, Label, Milestone, Release, Roles, person};
use super::walk::{Listed, cursor, read};
use crate::model::{self, FoundRelease, Kind, Member, Object, Person};
use crate::run::{Lost, Page, Trouble};
use crate::upstream::{Failed, Leaf};
use kernel::time::date_of;
use planning::transfer as plan;
use std::collections::HashSet;

/// The color of a label that names none.
const USUAL_COLOR: &str = "#ededed";
/// Pages of people who are only guests of an organization.
const MOST_OUTSIDE: usize = 100;

impl Upstream {
    /// Where a stage begins, or goes on.
    fn leaf(
        &self, stored: Option<&str>, path: &str, query: &[(&str, &str)],
    ) -> Result<Leaf, Trouble> {
        stored.map_or_else(|| Ok(self.first(path, query)), read)
    }

    pub(super) async fn labels(&self, stored: Option<&str>) -> Result<Page, Trouble> {
        let leaf = self.leaf(stored, "/labels", &[])?;
        let listed = self.list::<Label>(&leaf).await?;
        listed.page(Kind::Label, |one| Ok(Some(Object::Label(label(one)))))
    }

    pub(super) async fn milestones(&self, stored: Option<&str>) -> Result<Page, Trouble> {
        let leaf = self.leaf(stored, "/milestones", &[("state", "all")])?;
        let listed = self.list::<Milestone>(&leaf).await?;
        listed.page(Kind::Milestone, |one| Ok(Some(Object::Milestone(milestone(one)))))
    }

    /// Those that are drafts are nobody's yet.
    pub(super) async fn releases(&self, stored: Option<&str>) -> Result<Page, Trouble> {
        let leaf = self.leaf(stored, "/releases", &[])?;
        let listed = self.list::<Release>(&leaf).await?;
        listed.page(Kind::Release, |one| {
            let found = Some(one).filter(|one| !one.draft).map(release);
            Ok(found.map(|found| Object::Release(Box::new(found))))
        })
    }

    /// Members, without guests of an organization. Whose token may not see them brings none.
    pub(super) async fn collaborators(&self, stored: Option<&str>) -> Result<Page, Trouble> {
        let leaf = self.leaf(stored, "/collaborators", &[("affiliation", "direct")])?;
        let listed = match self.list::<Collaborator>(&leaf).await {
            Err(Failed::Status { status: 403 | 404, .. }) => return Ok(Page::default()),
            listed => listed?,
        };
        let outside = self.outside().await?;
        listed.page(Kind::Collaborator, |one| match outside.contains(&one.id) {
            true => Ok(None),
            false => member(one).map(|member| Some(Object::Member(member))),
        })
    }

    async fn outside(&self) -> Result<HashSet<i64>, Trouble> {
        let mut ids = HashSet::new();
        let mut next = Some(self.first("/collaborators", &[("affiliation", "outside")]));
        for _ in 0..MOST_OUTSIDE {
            let Some(leaf) = next else {
                break;
            };
            let listed = self.list::<Collaborator>(&leaf).await;
            let Listed { things, next: after, .. } = match listed {
                Err(Failed::Status { status: 403 | 404, .. }) => Listed::default(),
                listed => listed?,
            };
            ids.extend(things.into_iter().map(|one| one.id));
            next = after;
        }
        Ok(ids)
    }

    /// A page whose next begins here.
    pub(super) fn then(page: Page, next: Option<&impl serde::Serialize>) -> Result<Page, Trouble> {
        Ok(Page { next: cursor(next)?, ..page })
    }
}

fn label(from: Label) -> plan::Label {
    let color = from.color.as_deref().map(|color| color.trim_start_matches('#'));
    let is_color = |text: &&str| text.len() == 6 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let color = color.filter(is_color).map(|text| format!("#{}", text.to_ascii_lowercase()));
    plan::Label {
        name: from.name,
        color: color.unwrap_or_else(|| USUAL_COLOR.into()),
        description: from.description,
        priority: None,
    }
}

fn milestone(from: Milestone) -> plan::Milestone {
    plan::Milestone {
        number: from.number,
        title: from.title,
        description: from.description,
        is_closed: from.state.as_deref() == Some("closed"),
        start_date: None,
        due_date: from.due_on.map(date_of),
        created_at: from.created_at,
        updated_at: from.updated_at.unwrap_or(from.created_at),
    }
}

fn release(from: Release) -> FoundRelease {
    let commit = from.target_commitish.filter(|text| super::is_commit(text));
    FoundRelease {
        release: model::Release {
            tag: from.tag_name,
            commit,
            name: from.name,
            description: from.body,
            author: person(from.author),
            milestones: Vec::new(),
            links: Vec::new(),
            created_at: from.created_at,
            released_at: from.published_at.unwrap_or(from.created_at),
        },
        assets: from.assets.into_iter().filter_map(asset).collect(),
    }
}

/// By its address in the interface, where the token counts.
fn asset(from: Asset) -> Option<model::Asset> {
    let url = from.url.or(from.browser_download_url)?;
    Some(model::Asset { name: from.name, url, size: from.size })
}

fn member(from: Collaborator) -> Result<Member, Lost> {
    let role = match &from.role_name {
        Some(name) => level(name),
        None => Some(from.permissions.as_ref().map_or(10, level_of)),
    };
    let key = from.id.to_string();
    let Some(access_level) = role else {
        let name = from.role_name.unwrap_or_default();
        let reason = format!("{} has the custom role {name}, which is not known here", from.login);
        return Err(Lost { kind: Kind::Collaborator, key, reason });
    };
    let who = Person { id: key, username: from.login, name: None, email: None };
    Ok(Member { who, access_level, expires_at: None })
}

fn level(role: &str) -> Option<i64> {
    Some(match role {
        "read" | "pull" => 10,
        "triage" => 20,
        "write" | "push" => 30,
        "maintain" => 40,
        "admin" => 50,
        _ => return None,
    })
}

fn level_of(roles: &Roles) -> i64 {
    let all = [(roles.admin, 50), (roles.maintain, 40), (roles.push, 30), (roles.triage, 20)];
    all.iter().find(|(has, _)| *has).map_or(10, |(_, level)| *level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn colors_are_colors() {
        let color = |color: Option<&str>| {
            let from = Label {
                name: "a".into(),
                color: color.map(str::to_owned),
                description: None,
            };
            label(from).color
        };
        assert_eq!(color(Some("F29513")), "#f29513");
        assert_eq!(color(Some("#f29513")), "#f29513");
        for wrong in [None, Some(""), Some("red"), Some("ffff\u{e9}")] {
            assert_eq!(color(wrong), USUAL_COLOR, "{wrong:?}");
        }
    }

    #[test]
    fn roles_become_levels() {
        let read = |more: serde_json::Value| {
            let mut value = json!({"id": 7, "login": "jane"});
            value
                .as_object_mut()
                .expect("an object")
                .extend(more.as_object().expect("an object").clone());
            member(serde_json::from_value(value).expect("a collaborator"))
        };
        let level = |more| read(more).map(|member| member.access_level).ok();
        assert_eq!(level(json!({"role_name": "read"})), Some(10));
        assert_eq!(level(json!({"role_name": "triage"})), Some(20));
        assert_eq!(level(json!({"role_name": "write"})), Some(30));
        assert_eq!(level(json!({"role_name": "maintain"})), Some(40));
        assert_eq!(level(json!({"role_name": "admin"})), Some(50));
        assert_eq!(level(json!({"permissions": {"push": true, "pull": true}})), Some(30));
        assert_eq!(level(json!({})), Some(10));
        let custom = read(json!({"role_name": "auditor"})).expect_err("it is not known");
        assert!(custom.key == "7" && custom.reason.contains("auditor"), "{custom:?}");
    }
}
