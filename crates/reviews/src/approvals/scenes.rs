//! All that decides about the approvals of some merge requests, read in as many statements
//! for any number of them.

use super::model::{Rule, Settings};
use super::state::{Scene, TargetBranch};
use super::store::{self, given::Approval};
use crate::model::{MergeRequest, State};
use ::store::Tx;
use identity::entities::load_basic;
use identity::model::{User, UserKind, UserState};
use kernel::error::Result;
use repositories::protection::model::{ProtectedRef, RefKind, fits};
use repositories::protection::store as protected;
use spaces::access::{ADMINISTRATOR, DEVELOPER, find_projects};
use spaces::model::Project;
use spaces::store::members;
use std::collections::{BTreeSet, HashMap};

/// Most members of groups that are read at once.
const MOST_MEMBERS: i64 = 50_000;

/// What was read of some merge requests.
pub struct Scenes {
    settings: HashMap<i64, Settings>,
    of_projects: HashMap<i64, Vec<Rule>>,
    own: HashMap<i64, Vec<Rule>>,
    branches: HashMap<i64, TargetBranch>,
    committers: HashMap<i64, Vec<i64>>,
    /// By project and user.
    roles: HashMap<i64, HashMap<i64, i64>>,
    developers: HashMap<i64, i64>,
    members: HashMap<i64, Vec<i64>>,
    given: HashMap<i64, Vec<Approval>>,
    /// Who approved, by merge request.
    approvers: HashMap<i64, Vec<i64>>,
    none: HashMap<i64, i64>,
}

impl Scenes {
    /// Reads what there is about some merge requests.
    pub fn read(tx: &mut Tx<'_>, requests: &[MergeRequest]) -> Result<Scenes> {
        let ids: Vec<i64> = requests.iter().map(|one| one.id).collect();
        let projects = distinct(requests.iter().map(|one| one.target_project_id));
        let rules = store::rules::of(tx, &projects, &ids)?;
        let given = store::given::of(tx, &ids)?;
        let committers = store::given::committers_of(tx, &ids)?;
        let members = members_of_groups(tx, &rules)?;
        let people = people(requests, &rules, &members, &given, &committers);
        let roles = roles(tx, &projects, people)?;
        let developers = match rules.is_empty() {
            true => HashMap::new(),
            false => members::count_people(tx, projects.clone(), DEVELOPER)?,
        };
        let (mut of_projects, mut own) = (HashMap::new(), HashMap::new());
        for rule in rules {
            let (of, id): (&mut HashMap<i64, Vec<Rule>>, _) = match rule.row.merge_request_id {
                Some(id) => (&mut own, id),
                None => (&mut of_projects, rule.row.project_id.unwrap_or_default()),
            };
            of.entry(id).or_default().push(rule);
        }
        let users =
            |all: &Vec<Approval>| -> Vec<i64> { all.iter().map(|one| one.user_id).collect() };
        Ok(Scenes {
            settings: store::settings_of(tx, &projects)?,
            branches: branches(tx, requests, &projects)?,
            approvers: given.iter().map(|(id, all)| (*id, users(all))).collect(),
            none: HashMap::new(),
            of_projects,
            own,
            committers,
            roles,
            developers,
            members,
            given,
        })
    }

    /// What decides about one of them.
    pub fn of<'s>(&'s self, request: &'s MergeRequest) -> Scene<'s> {
        let project = request.target_project_id;
        Scene {
            author_id: request.author_id,
            target_branch: &request.target_branch,
            is_merged: request.state == State::Merged,
            settings: self.settings.get(&project).copied().unwrap_or_default(),
            project_rules: all(&self.of_projects, project),
            own_rules: all(&self.own, request.id),
            branch: self.branches.get(&request.id).copied().unwrap_or_default(),
            committers: all(&self.committers, request.id),
            roles: self.roles.get(&project).unwrap_or(&self.none),
            developers: self.developers.get(&project).copied().unwrap_or_default(),
            members: &self.members,
            approvals: all(&self.approvers, request.id),
        }
    }

    /// Whether the approval of an active human with this role counts for one of them, and can
    /// be given.
    pub fn may_approve(&self, request: &MergeRequest, user: i64, role: i64) -> bool {
        let scene = self.of(request);
        let mut roles = scene.roles.clone();
        roles.insert(user, role);
        let is_open = matches!(request.state, State::Opened | State::Closed);
        is_open && Scene { roles: &roles, ..scene }.may_approve(user)
    }

    /// The approvals that were given to one of them, the first one first.
    pub fn given(&self, request: i64) -> &[Approval] {
        all(&self.given, request)
    }
}

fn all<T>(of: &HashMap<i64, Vec<T>>, id: i64) -> &[T] {
    of.get(&id).map(Vec::as_slice).unwrap_or_default()
}

fn distinct(all: impl Iterator<Item = i64>) -> Vec<i64> {
    all.collect::<BTreeSet<i64>>().into_iter().collect()
}

/// The members of groups that rules name, by group.
fn members_of_groups(tx: &mut Tx<'_>, rules: &[Rule]) -> Result<HashMap<i64, Vec<i64>>> {
    let groups = distinct(rules.iter().flat_map(|rule| rule.groups.iter().copied()));
    match groups.is_empty() {
        true => Ok(HashMap::new()),
        false => members::people_of_groups(tx, groups, MOST_MEMBERS),
    }
}

/// Everybody whose role matters.
fn people(
    requests: &[MergeRequest], rules: &[Rule], members: &HashMap<i64, Vec<i64>>,
    given: &HashMap<i64, Vec<Approval>>, committers: &HashMap<i64, Vec<i64>>,
) -> Vec<i64> {
    let authors = requests.iter().filter_map(|one| one.author_id);
    let named = rules.iter().flat_map(|rule| rule.users.iter().copied());
    let approvers = given.values().flatten().map(|one| one.user_id);
    let others = members.values().chain(committers.values()).flatten().copied();
    distinct(authors.chain(named).chain(approvers).chain(others))
}

/// The roles of people by project. Who is not active, and who is no human, has none: what
/// a program approves is what its owner approves.
fn roles(
    tx: &mut Tx<'_>, projects: &[i64], people: Vec<i64>,
) -> Result<HashMap<i64, HashMap<i64, i64>>> {
    let mut roles: HashMap<i64, HashMap<i64, i64>> = HashMap::new();
    if people.is_empty() {
        return Ok(roles);
    }
    let users = load_basic(tx, &people)?;
    let counts = |user: &User| user.state == UserState::Active && user.kind == UserKind::Human;
    let held = members::roles_in_projects(tx, projects.to_vec(), people)?;
    for ((project, user), role) in held {
        if users.get(&user).is_some_and(counts) {
            roles.entry(project).or_default().insert(user, role);
        }
    }
    let admins = users.values().filter(|user| user.is_admin && counts(user));
    for admin in admins {
        for project in projects {
            roles.entry(*project).or_default().insert(admin.id, ADMINISTRATOR);
        }
    }
    Ok(roles)
}

/// The roles of a project with that of one more user.
pub(super) fn with_role(
    tx: &mut Tx<'_>, project: i64, known: &HashMap<i64, i64>, user: i64,
) -> Result<HashMap<i64, i64>> {
    let mut all = known.clone();
    let own = roles(tx, &[project], vec![user])?.remove(&project).unwrap_or_default();
    all.extend(own);
    Ok(all)
}

/// How the target branches are protected, by merge request.
fn branches(
    tx: &mut Tx<'_>, requests: &[MergeRequest], projects: &[i64],
) -> Result<HashMap<i64, TargetBranch>> {
    let projects: HashMap<i64, Project> =
        find_projects(tx, projects)?.into_iter().map(|one| (one.id, one)).collect();
    let root = |project: &Project| project.ancestors().first().copied();
    let roots = distinct(projects.values().filter_map(root));
    let rules = protected::of_projects(tx, projects.keys().copied().collect(), roots)?;
    let of = |request: &MergeRequest| {
        let project = projects.get(&request.target_project_id);
        let root = project.and_then(root);
        let is_its = |rule: &&ProtectedRef| {
            let of_group = rule.group_id.is_some() && rule.group_id == root;
            (of_group || rule.project_id == Some(request.target_project_id))
                && rule.kind == RefKind::Branch
                && fits(&rule.name, &request.target_branch)
        };
        let mut covering = rules.iter().filter(is_its).peekable();
        TargetBranch {
            is_protected: covering.peek().is_some(),
            demands_owners: covering.any(|rule| rule.code_owner_approval_required),
        }
    };
    Ok(requests.iter().map(|request| (request.id, of(request))).collect())
}
