//! Whether somebody may change a ref. Pushes and edits ask here, before
//! `rules::moves::move_refs`.

use super::model::{Cover, Deed, RefKind, Rules, Standing, groups_named};
use super::{defaults, store as rows};
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::hooks;
use crate::model::Repository;
use crate::rules::push::PushRefused;
use crate::store::refs;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::access::{self, MAINTAINER, Purpose};
use spaces::model::Project;
use std::collections::HashSet;

/// Branches that somebody changes at once who may change those alone that were opened.
const MOST_OPENED: usize = 20;

/// By what way refs are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Git pushes.
    Git,
    /// Pages, REST and GraphQL.
    Api,
    /// A merge request is merged: who may merge need not be allowed to push.
    Merge,
    /// It follows another repository, which has rules of its own.
    Mirror,
    /// What a project begins with comes, which is told to nobody either.
    Import,
}

impl Way {
    /// Whether the project guards its refs from it, and looks at what it brings.
    pub fn is_guarded(self) -> bool {
        match self {
            Way::Git | Way::Api | Way::Merge => true,
            Way::Mirror | Way::Import => false,
        }
    }
}

/// Who changes refs. That they may push to the project at all was asked before.
#[derive(Debug, Clone)]
pub struct Pusher {
    /// Who asks; of a deploy key, who made it.
    pub viewer: Viewer,
    pub deploy_key_id: Option<i64>,
    pub way: Way,
}

impl Pusher {
    /// Somebody who changes refs on a page or by REST.
    pub fn by_api(viewer: &Viewer) -> Pusher {
        Pusher { viewer: viewer.clone(), deploy_key_id: None, way: Way::Api }
    }
}

/// One ref that somebody wants to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefChange {
    pub name: RefName,
    /// What it is; zero if it is to be made.
    pub old: ObjectId,
    /// What it shall be; zero if it is to go.
    pub new: ObjectId,
    /// What it shall be does not follow from what it is. Only asked of branches that
    /// [`Gate::asks_for_history_of`].
    pub is_forced: bool,
}

impl RefChange {
    fn is_made(&self) -> bool {
        self.old.is_zero()
    }

    fn is_deleted(&self) -> bool {
        self.new.is_zero()
    }
}

/// What is shown of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BranchProtection {
    pub is_protected: bool,
    pub developers_can_push: bool,
    pub developers_can_merge: bool,
    /// Whether who asks may push to it.
    pub can_push: bool,
    /// Whether who asks may merge into it, which who may push may, too.
    pub can_merge: bool,
}

/// Refuses changes of refs, all together, in words for who asks. The caller holds the
/// outcome against what they are about to do by `move_refs`.
pub fn check_refs(
    tx: &mut Tx<'_>, pusher: &Pusher, project: &Project, repository: &Repository,
    changes: &[RefChange],
) -> Result<Result<(), PushRefused>> {
    let gate = Gate::load(tx, pusher, project, repository, changes)?;
    Ok(gate.check(changes))
}

/// Whether somebody may push to a branch, be it there or not: whether pages offer to
/// edit it. It may have been opened to them alone. There is no repository before the first
/// push.
pub fn may_push(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, repository: Option<&Repository>,
    branch: &str,
) -> Result<bool> {
    if may_push_by_right(tx, viewer, project, repository, branch)? {
        return Ok(true);
    }
    // Who pushes to the project may not push to what is protected.
    let pushes = access::may(tx, viewer, project, Purpose::PushCode)?;
    Ok(!pushes && hooks::is_opened(tx, viewer, project, Some(branch))?)
}

/// The same of who may for what they are in the project.
pub fn may_push_by_right(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, repository: Option<&Repository>,
    branch: &str,
) -> Result<bool> {
    let branches = of_branches(tx, viewer, project, repository, &[branch])?;
    Ok(branches.first().is_some_and(|branch| branch.can_push))
}

/// Whether all that somebody changes are branches that were opened to them, and stay.
pub fn are_opened(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, changes: &[RefChange],
) -> Result<bool> {
    if changes.len() > MOST_OPENED {
        return Ok(false);
    }
    for change in changes {
        let branch = change.name.as_branch().filter(|_| !change.is_made() && !change.is_deleted());
        if branch.is_none() || !hooks::is_opened(tx, viewer, project, branch)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether somebody may merge into a branch: push to it, or merge alone.
pub fn may_merge(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, repository: Option<&Repository>,
    branch: &str,
) -> Result<bool> {
    let branches = of_branches(tx, viewer, project, repository, &[branch])?;
    Ok(branches.first().is_some_and(|branch| branch.can_merge))
}

/// What is shown of some branches, one for one. As many statements for any number.
pub fn of_branches(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, repository: Option<&Repository>,
    names: &[&str],
) -> Result<Vec<BranchProtection>> {
    let rules = rules(tx, project, repository)?;
    seen_by(tx, viewer, project, &rules, names)
}

/// The same of a project that is known to have branches.
pub fn of_branches_there(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, names: &[&str],
) -> Result<Vec<BranchProtection>> {
    let rules = rules_of_some(tx, project)?;
    seen_by(tx, viewer, project, &rules, names)
}

fn seen_by(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, rules: &Rules, names: &[&str],
) -> Result<Vec<BranchProtection>> {
    let pushes = access::may(tx, viewer, project, Purpose::PushCode)?;
    let who = standing(tx, viewer, None, project, rules)?;
    Ok(names.iter().map(|name| of_branch(rules, name, &who, pushes)).collect())
}

/// What is shown of a branch to somebody who may push to its project, or not.
pub(super) fn of_branch(
    rules: &Rules, name: &str, who: &Standing, pushes: bool,
) -> BranchProtection {
    match rules.cover(RefKind::Branch, name) {
        Some(cover) => {
            let can_push = pushes && cover.lets(Deed::Push, who);
            BranchProtection {
                is_protected: true,
                developers_can_push: cover.lets_developers(Deed::Push),
                developers_can_merge: cover.lets_developers(Deed::Merge),
                can_push,
                can_merge: can_push || (pushes && cover.lets(Deed::Merge, who)),
            }
        }
        None => {
            let can_push = pushes && rules.beginning.is_none_or(|begin| who.role >= begin.role);
            BranchProtection {
                is_protected: rules.beginning.is_some(),
                developers_can_push: false,
                developers_can_merge: false,
                can_push,
                can_merge: can_push,
            }
        }
    }
}

/// Whether some tags are protected, one for one.
pub fn are_tags_protected(tx: &mut Tx<'_>, project: &Project, names: &[&str]) -> Result<Vec<bool>> {
    let rules = rules(tx, project, None)?;
    Ok(names.iter().map(|name| rules.cover(RefKind::Tag, name).is_some()).collect())
}

/// Tells of names of branches whether they are protected, for whoever asks.
pub fn protected_branches(
    tx: &mut Tx<'_>, project: &Project, repository: &Repository,
) -> Result<impl Fn(&str) -> bool + Send + Sync + use<>> {
    let rules = rules(tx, project, Some(repository))?;
    Ok(move |name: &str| rules.cover(RefKind::Branch, name).is_some())
}

fn rules(tx: &mut Tx<'_>, project: &Project, repository: Option<&Repository>) -> Result<Rules> {
    let rules = rules_of_some(tx, project)?;
    let is_empty = match repository {
        Some(repository) => refs::first_branches(tx, repository.id, 1)?.is_empty(),
        None => true,
    };
    let beginning = match is_empty {
        true => defaults::of_project(tx, project)?.beginning(),
        false => None,
    };
    Ok(Rules { beginning, ..rules })
}

/// The rules of a project that has branches.
fn rules_of_some(tx: &mut Tx<'_>, project: &Project) -> Result<Rules> {
    let root = project.ancestors().first().copied();
    let refs = rows::of_project(tx, project.id, root)?;
    let levels = rows::levels(tx, &refs)?;
    Ok(Rules { refs, levels, beginning: None })
}

fn standing(
    tx: &mut Tx<'_>, viewer: &Viewer, deploy_key_id: Option<i64>, project: &Project, rules: &Rules,
) -> Result<Standing> {
    let user_id = viewer.user_id();
    let groups = match user_id {
        Some(user_id) => rows::groups_joined(tx, user_id, &groups_named(&rules.levels))?,
        None => Vec::new(),
    };
    let role = access::level_in_project(tx, viewer, project)?;
    Ok(Standing { user_id, role, groups, deploy_key_id })
}

/// All that is needed to judge changes of refs, read at once.
#[derive(Debug, Clone)]
pub struct Gate {
    rules: Rules,
    who: Standing,
    way: Way,
    /// Where protected branches point, of what shall be the beginning of others.
    bases: HashSet<ObjectId>,
    full_path: String,
}

impl Gate {
    /// Reads it for these changes.
    pub fn load(
        tx: &mut Tx<'_>, pusher: &Pusher, project: &Project, repository: &Repository,
        changes: &[RefChange],
    ) -> Result<Gate> {
        let rules = rules(tx, project, Some(repository))?;
        let who = standing(tx, &pusher.viewer, pusher.deploy_key_id, project, &rules)?;
        let is_covered = |name: &RefName| {
            name.as_branch()
                .is_some_and(|name| rules.cover(RefKind::Branch, name).is_some())
        };
        let made = changes.iter().filter(|one| one.is_made() && is_covered(&one.name));
        let made: Vec<ObjectId> = made.map(|one| one.new).collect();
        let there = refs::branches_at(tx, repository.id, &made)?;
        let bases = there.into_iter().filter(|one| is_covered(&one.name));
        let bases = bases.map(|one| one.object_id).collect();
        Ok(Gate {
            rules,
            who,
            way: pusher.way,
            bases,
            full_path: project.full_path.clone(),
        })
    }

    /// Whether it matters for a ref if what it shall be follows from what it is.
    pub fn asks_for_history_of(&self, change: &RefChange) -> bool {
        let cover = change.name.as_branch().and_then(|it| self.rules.cover(RefKind::Branch, it));
        let moves = !change.is_made() && !change.is_deleted();
        moves && cover.is_some_and(|cover| !cover.lets_force())
    }

    /// Refuses the changes if one of them may not be.
    pub fn check(&self, changes: &[RefChange]) -> Result<(), PushRefused> {
        changes.iter().try_for_each(|change| {
            let refusal = match (change.name.as_branch(), change.name.as_tag()) {
                (Some(name), _) => self.check_branch(name, change),
                (_, Some(name)) => self.check_tag(name, change).map_err(str::to_owned),
                _ => Ok(()),
            };
            refusal.map_err(PushRefused)
        })
    }

    fn check_branch(&self, name: &str, change: &RefChange) -> Result<(), String> {
        let Some(cover) = self.rules.cover(RefKind::Branch, name) else {
            return self.check_beginning(name, change);
        };
        let may_push = cover.lets(Deed::Push, &self.who);
        let refused = match change {
            change if change.is_deleted() => self.check_deletion(DELETE_BRANCH),
            change if change.is_forced && !cover.lets_force() => Err(FORCE),
            _ if may_push => Ok(()),
            change if !change.is_made() && self.may_merge(&cover) => Ok(()),
            change if !change.is_made() => Err(PUSH),
            _ if !cover.lets(Deed::Merge, &self.who) => Err(CREATE),
            change if !self.bases.contains(&change.new) => Err(CREATE_ELSEWHERE),
            _ if self.way == Way::Git => Err(CREATE_BY_GIT),
            _ => Ok(()),
        };
        refused.map_err(str::to_owned)
    }

    fn may_merge(&self, cover: &Cover<'_>) -> bool {
        self.way == Way::Merge && cover.lets(Deed::Merge, &self.who)
    }

    /// An empty project is protected like its first branch will be.
    fn check_beginning(&self, name: &str, change: &RefChange) -> Result<(), String> {
        let role = self.who.role;
        match self.rules.beginning {
            Some(begin) if !change.is_deleted() && role < begin.role => {
                Err(nothing_yet(name, &self.full_path))
            }
            _ => Ok(()),
        }
    }

    fn check_tag(&self, name: &str, change: &RefChange) -> Result<(), &'static str> {
        let Some(cover) = self.rules.cover(RefKind::Tag, name) else {
            return Ok(());
        };
        match change {
            change if change.is_deleted() => self.check_deletion(DELETE_TAG),
            change if !change.is_made() => Err(UPDATE_TAG),
            _ if !cover.lets(Deed::Create, &self.who) => Err(CREATE_TAG),
            _ => Ok(()),
        }
    }

    /// What is protected is deleted by who maintains the project, and not by git.
    fn check_deletion(&self, texts: [&'static str; 2]) -> Result<(), &'static str> {
        let [below, by_git] = texts;
        let is_maintainer = self.who.role >= MAINTAINER && self.who.deploy_key_id.is_none();
        match self.way {
            _ if !is_maintainer => Err(below),
            Way::Git => Err(by_git),
            Way::Api | Way::Merge | Way::Mirror | Way::Import => Ok(()),
        }
    }
}

const FORCE: &str = "You are not allowed to force push code to a protected branch on this project.";
const PUSH: &str = "You are not allowed to push code to protected branches on this project.";
const CREATE: &str = "You are not allowed to create protected branches on this project.";
const CREATE_ELSEWHERE: &str =
    "You can only use an existing protected branch ref as the basis of a new protected branch.";
const CREATE_BY_GIT: &str =
    "You can only create protected branches using the web interface and API.";
const DELETE_BRANCH: [&str; 2] = [
    "You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.",
    "You can only delete protected branches using the web interface.",
];
const UPDATE_TAG: &str = "Protected tags cannot be updated.";
const CREATE_TAG: &str = "You are not allowed to create this tag as it is protected.";
const DELETE_TAG: [&str; 2] = [
    "You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.",
    "You can only delete protected tags using the web interface.",
];

fn nothing_yet(branch: &str, full_path: &str) -> String {
    format!(
        "The default branch (e.g. {branch}) does not exist yet for {full_path}\n\
         Ask a project Owner or Maintainer to push it first:\n\n  /{full_path}/-/project_members\n"
    )
}
