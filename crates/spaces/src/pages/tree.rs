//! Groups as a tree: each unfolds by a link that names what is open, so that no
//! more is read than is shown, without a script, too.

use super::filtered;
use crate::access::{self, Purpose};
use crate::model::{Namespace, Project};
use crate::store::{counts, tree};
use askama::Template;
use askama::filters::HtmlSafe;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::ui;
use kernel::markup;
use kernel::time::Timestamp;
use std::collections::HashMap;
use store::Tx;

/// Groups that one page shows open, at most.
const MAX_OPEN: usize = 20;
/// Groups, and projects, shown right below an open one; its page has all.
const MAX_BELOW: usize = 20;

/// One level of a tree.
#[derive(Debug, Default, Template)]
#[template(path = "tree.html")]
pub struct Tree {
    pub(super) groups: Vec<Branch>,
    pub(super) projects: Vec<Project>,
    /// The page of the group whose level it is, where that has more.
    pub(super) more: Option<String>,
    /// Whether a group is called by its whole path.
    pub(super) with_parents: bool,
    pub(super) now: Timestamp,
}

impl HtmlSafe for Tree {}

impl Tree {
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.projects.is_empty()
    }
}

/// A group with how much stands right in it, as far as the viewer may see it.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) group: Namespace,
    pub(super) subgroups: u64,
    pub(super) projects: u64,
    /// Direct members; 0 hides them.
    pub(super) members: u64,
    /// The page with it unfolded, or folded; none where nothing stands in it.
    pub(super) toggle: Option<String>,
    pub(super) below: Option<Tree>,
}

/// What of a tree is open, as an address says it: ids told apart by commas.
pub fn open_ids(text: &str) -> Vec<i64> {
    let mut ids: Vec<i64> = text.split(',').filter_map(|id| id.trim().parse().ok()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(MAX_OPEN);
    ids
}

/// How a page shows a tree.
#[derive(Debug, Clone, Copy)]
pub struct TreePage<'p> {
    /// The page's address without what is open.
    pub url: &'p str,
    /// Its other parameters.
    pub filters: &'p [(&'p str, &'p str)],
    /// Groups that are open.
    pub open: &'p [i64],
    /// Whether the first level calls groups by their whole path.
    pub with_parents: bool,
}

impl TreePage<'_> {
    /// The address with a group unfolded, or folded if it is open.
    fn toggled(&self, id: i64) -> String {
        let mut open: Vec<i64> = self.open.iter().copied().filter(|one| *one != id).collect();
        if open.len() == self.open.len() {
            open.push(id);
        }
        let open: Vec<String> = open.iter().map(i64::to_string).collect();
        let open = open.join(",");
        let mut parameters = self.filters.to_vec();
        parameters.push(("open", &open));
        format!("{}#group-{id}", filtered(self.url, &parameters))
    }
}

/// The tree that begins with these groups, by as many statements however many
/// there are and whatever is open.
pub fn read(
    tx: &mut Tx<'_>, viewer: &Viewer, top: Vec<Namespace>, page: TreePage<'_>,
) -> Result<Tree> {
    let mut reading = Reading {
        page,
        now: tx.now(),
        ..Reading::below(tx, viewer, page.open)?
    };
    let groups = reading.groups.values().flatten().chain(&top);
    let ids: Vec<i64> = groups.map(|group| group.id).collect();
    reading.subgroup_counts = counts::subgroups(tx, viewer, &ids)?;
    reading.project_counts = counts::projects(tx, viewer, &ids)?;
    if let Viewer::User(_) = viewer {
        reading.member_counts = counts::direct_members(tx, &ids)?;
    }
    let level = reading.level(top, Vec::new(), page.with_parents);
    Ok(level)
}

/// Everything a tree is made of.
struct Reading<'p> {
    page: TreePage<'p>,
    now: Timestamp,
    /// What stands right below those that are open, by their ids.
    groups: HashMap<i64, Vec<Namespace>>,
    projects: HashMap<i64, Vec<Project>>,
    subgroup_counts: HashMap<i64, i64>,
    project_counts: HashMap<i64, i64>,
    member_counts: HashMap<i64, i64>,
}

impl<'p> Reading<'p> {
    fn below(tx: &mut Tx<'_>, viewer: &Viewer, open: &[i64]) -> Result<Reading<'p>> {
        let most = MAX_BELOW as i64 + 1;
        let visible = access::visible_groups(tx, viewer);
        let mut groups: HashMap<i64, Vec<Namespace>> = HashMap::new();
        for group in tree::groups_below(tx, open, visible, most)? {
            groups.entry(group.parent_id.unwrap_or_default()).or_default().push(group);
        }
        let visible = access::visible_projects(tx, viewer, Purpose::Read);
        let mut projects: HashMap<i64, Vec<Project>> = HashMap::new();
        for project in tree::projects_below(tx, open, visible, most)? {
            projects.entry(project.namespace_id).or_default().push(project);
        }
        Ok(Reading {
            page: TreePage { url: "", filters: &[], open: &[], with_parents: false },
            now: Timestamp::UNIX_EPOCH,
            groups,
            projects,
            subgroup_counts: HashMap::new(),
            project_counts: HashMap::new(),
            member_counts: HashMap::new(),
        })
    }

    fn level(
        &mut self, groups: Vec<Namespace>, projects: Vec<Project>, with_parents: bool,
    ) -> Tree {
        Tree {
            groups: groups.into_iter().map(|group| self.branch(group)).collect(),
            projects,
            more: None,
            with_parents,
            now: self.now,
        }
    }

    /// Each level is taken out where it is shown, so none is shown twice and
    /// none goes on for ever.
    fn branch(&mut self, group: Namespace) -> Branch {
        let of = |counts: &HashMap<i64, i64>| counts.get(&group.id).map_or(0, |n| n.unsigned_abs());
        let (subgroups, inside) = (of(&self.subgroup_counts), of(&self.project_counts));
        let members = of(&self.member_counts);
        let toggle = (subgroups + inside > 0).then(|| self.page.toggled(group.id));
        let mut below = None;
        if self.page.open.contains(&group.id) && toggle.is_some() {
            let mut groups = self.groups.remove(&group.id).unwrap_or_default();
            let mut projects = self.projects.remove(&group.id).unwrap_or_default();
            let has_more = groups.len() > MAX_BELOW || projects.len() > MAX_BELOW;
            groups.truncate(MAX_BELOW);
            projects.truncate(MAX_BELOW);
            let level = self.level(groups, projects, false);
            let more = has_more.then(|| format!("/groups/{}", group.full_path));
            below = Some(Tree { more, ..level });
        }
        Branch { group, subgroups, projects: inside, members, toggle, below }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_is_bounded_and_said_once() {
        assert_eq!(open_ids(""), Vec::<i64>::new());
        assert_eq!(open_ids("3, 1,x,3,-"), [1, 3]);
        let many: Vec<String> = (0..1_000).map(|id| id.to_string()).collect();
        assert_eq!(open_ids(&many.join(",")).len(), MAX_OPEN);
    }

    #[test]
    fn a_link_unfolds_what_is_folded_and_the_other_way_round() {
        let page = TreePage {
            url: "/groups",
            filters: &[("search", "")],
            open: &[1, 3],
            with_parents: false,
        };
        assert_eq!(page.toggled(5), "/groups?open=1%2C3%2C5#group-5");
        assert_eq!(page.toggled(3), "/groups?open=1#group-3");
    }
}
