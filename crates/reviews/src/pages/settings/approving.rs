//! Who has to approve, as forms say it.

use crate::approvals::editing::{
    ApprovalRuleInput, Holder, More, seen, set_for_everybody, set_settings,
};
use crate::approvals::model::{Rule, RuleType, Settings};
use crate::approvals::store as stored;
use ::store::{Fragment, Tx};
use identity::entities::load_basic;
use identity::users::ids_by_usernames;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::html::Errors;
use kernel::http::Text;
use kernel::ids::fold;
use planning::pages::words;
use repositories::protection::model::RefKind;
use repositories::protection::store as protected;
use spaces::access::visible_groups;
use spaces::model::Project;
use spaces::store::namespaces;
use std::collections::HashMap;

/// What becomes of approvals with a push that changes something.
pub const RESETS: &[(&str, &str)] = &[
    ("all", "All approvals are taken back"),
    ("owners", "Those of the owners of files are taken back"),
    ("none", "All approvals stay"),
];
/// Groups that one rule is read with.
const MOST_GROUPS: i64 = 500;

kernel::choices! {
    #[derive(Default)]
    pub enum Reset {
        #[default]
        All = "all",
        Owners = "owners",
        Nobody = "none",
    }
}

kernel::params! {
    /// How merge requests are approved, as the form says it.
    #[derive(Default)]
    pub struct Approvals {
        /// How many have to approve, whoever they are.
        pub approvals_before_merge: Option<i64>,
        pub reset: Option<Reset>,
        pub author_approval: Option<bool>,
        pub committers_approval: Option<bool>,
        pub own_rules: Option<bool>,
        pub proof: Option<bool>,
    }
}

impl Approvals {
    pub fn stored(tx: &mut Tx<'_>, project: &Project) -> Result<Approvals> {
        let settings = stored::settings(tx, project.id)?;
        let rules = Holder::Project(project).rules(tx)?;
        let everybody = rules.iter().find(|rule| rule.row.rule_type == RuleType::AnyApprover);
        Ok(Approvals {
            approvals_before_merge: Some(everybody.map_or(0, |it| it.row.approvals_required)),
            reset: Some(match settings {
                Settings { reset_approvals_on_push: true, .. } => Reset::All,
                Settings { selective_code_owner_removals: true, .. } => Reset::Owners,
                _ => Reset::Nobody,
            }),
            author_approval: Some(settings.author_approval),
            committers_approval: Some(!settings.disable_committers_approval),
            own_rules: Some(!settings.disable_overriding),
            proof: Some(settings.require_reauthentication),
        })
    }

    /// Sets it for a project.
    pub fn save(&self, tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<()> {
        let reset = self.reset.unwrap_or_default();
        let settings = Settings {
            reset_approvals_on_push: reset == Reset::All,
            selective_code_owner_removals: reset == Reset::Owners,
            disable_overriding: !self.own_rules.unwrap_or(false),
            author_approval: self.author_approval.unwrap_or(false),
            disable_committers_approval: !self.committers_approval.unwrap_or(false),
            require_reauthentication: self.proof.unwrap_or(false),
        };
        set_settings(tx, viewer, project, &settings)?;
        let wanted = self.approvals_before_merge.unwrap_or(0);
        let stored = Approvals::stored(tx, project)?.approvals_before_merge;
        if stored == Some(wanted) {
            return Ok(());
        }
        let set = set_for_everybody(tx, viewer, Holder::Project(project), wanted);
        set.map(drop).map_err(|error| {
            kernel::html::form::rename(error, "approvals_required", "approvals_before_merge")
        })
    }

    pub fn number(&self) -> String {
        self.approvals_before_merge.unwrap_or(0).to_string()
    }

    pub fn reset_text(&self) -> &'static str {
        self.reset.unwrap_or_default().as_str()
    }
}

kernel::params! {
    /// A rule as its form says it.
    #[derive(Default)]
    pub struct RuleFields {
        pub rule_id: Option<i64>,
        pub name: Text,
        pub approvals_required: Option<i64>,
        /// User names, told apart by commas.
        pub users: Text,
        /// Paths of groups, told apart by commas.
        pub groups: Text,
        /// Names of protected branches, told apart by commas; all branches if there are none.
        pub branches: Text,
        pub all_protected: Option<bool>,
    }
}

/// What stands in the form of a rule.
#[derive(Debug, Default)]
pub struct RuleForm {
    pub fields: RuleFields,
    /// The rule is for everybody: it names nobody.
    pub is_everybody: bool,
    /// What is wrong with what was typed.
    pub errors: Errors,
    /// It was refused, and is open.
    pub is_refused: bool,
}

/// A rule as the page shows it.
#[derive(Debug)]
pub struct RuleRow {
    pub id: i64,
    pub name: String,
    pub approvals: u64,
    /// Whose approvals count, and for what, in words.
    pub people: String,
    pub place: String,
    pub form: RuleForm,
    /// It names groups that the viewer does not see.
    pub has_hidden: bool,
}

/// A rule whose form was refused, as it was typed.
pub struct Refused<'r> {
    pub fields: &'r RuleFields,
    pub errors: &'r Errors,
}

impl RuleForm {
    pub fn number(&self) -> String {
        self.fields.approvals_required.unwrap_or(1).to_string()
    }
}

impl RuleFields {
    /// What it asks for; whom and what it names has to be there.
    ///
    /// # Errors
    ///
    /// `Invalid` of a name that nobody has, or that the viewer does not see.
    pub fn wanted(
        &self, tx: &mut Tx<'_>, viewer: &Viewer, project: &Project,
    ) -> Result<(ApprovalRuleInput, More)> {
        let input = ApprovalRuleInput {
            name: Some(self.name.trim().to_owned()),
            approvals_required: Some(self.approvals_required.unwrap_or(1)),
            user_ids: Some(self.user_ids(tx)?),
            group_ids: Some(self.group_ids(tx, viewer)?),
            ..ApprovalRuleInput::default()
        };
        let more = More {
            rule_type: self.rule_id.is_none().then_some(RuleType::Regular),
            protected_branch_ids: Some(self.branch_ids(tx, project)?),
            applies_to_all_protected_branches: Some(self.all_protected.unwrap_or(false)),
            source_id: None,
        };
        Ok((input, more))
    }

    fn user_ids(&self, tx: &mut Tx<'_>) -> Result<Vec<i64>> {
        let names = once(&self.users, |name| fold(name.trim_start_matches('@')));
        let ids = ids_by_usernames(tx, &names)?;
        match ids.len() < names.len() {
            true => Err(Error::invalid("users", "name somebody who is not here")),
            false => Ok(ids),
        }
    }

    fn group_ids(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<Vec<i64>> {
        let paths = once(&self.groups, fold);
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let mut condition = visible_groups(tx, viewer);
        condition
            .raw(" and namespaces.kind = 'group' and")
            .in_list("namespaces.full_path_folded", paths.clone());
        let found = namespaces(tx, &condition, "namespaces.id", MOST_GROUPS, 0)?;
        match found.len() < paths.len() {
            true => Err(Error::invalid("groups", "name one that is not there")),
            false => Ok(found.into_iter().map(|group| group.id).collect()),
        }
    }

    fn branch_ids(&self, tx: &mut Tx<'_>, project: &Project) -> Result<Vec<i64>> {
        let names = words(&self.branches);
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let root = project.ancestors().first().copied();
        let mut all = protected::of_project(tx, project.id, root)?;
        all.retain(|one| one.kind == RefKind::Branch);
        let id = |name: &String| all.iter().find(|one| one.name == *name).map(|one| one.id);
        let ids: Option<Vec<i64>> = names.iter().map(id).collect();
        ids.ok_or_else(|| Error::invalid("branches", "name one that is not protected"))
    }
}

/// Names out of one line, told apart by commas, each once.
fn once(text: &str, read: impl Fn(&str) -> String) -> Vec<String> {
    let mut names: Vec<String> = words(text).iter().map(|name| read(name)).collect();
    names.sort();
    names.dedup();
    names
}

/// The rules of a project that people make; one whose form was refused with what was typed.
pub fn rule_rows(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, refused: Option<Refused<'_>>,
) -> Result<Vec<RuleRow>> {
    let rules = Holder::Project(project).rules(tx)?;
    let users: Vec<i64> = rules.iter().flat_map(|rule| rule.users.iter().copied()).collect();
    let users = load_basic(tx, &users)?;
    let named: Vec<i64> = rules.iter().flat_map(|rule| rule.groups.iter().copied()).collect();
    let groups = paths(tx, viewer, &named)?;
    let row = |rule: &Rule| {
        let people: Vec<String> = rule
            .users
            .iter()
            .filter_map(|id| users.get(id))
            .map(|user| user.username.clone())
            .collect();
        let paths: Vec<String> =
            rule.groups.iter().filter_map(|id| groups.get(id)).cloned().collect();
        let has_hidden = paths.len() < rule.groups.len();
        let branches: Vec<String> = rule.branches.iter().map(|one| one.name.clone()).collect();
        let stored = fields(rule, [people.join(", "), paths.join(", "), branches.join(", ")]);
        let is_everybody = rule.row.rule_type == RuleType::AnyApprover;
        let refused = refused.as_ref().filter(|it| it.fields.rule_id == Some(rule.row.id));
        RuleRow {
            id: rule.row.id,
            name: rule.row.name.clone(),
            approvals: rule.row.approvals_required.unsigned_abs(),
            people: match is_everybody {
                true => "Everyone who may approve".to_owned(),
                false => people_text(people, paths, has_hidden),
            },
            place: place_text(rule, &branches),
            form: RuleForm {
                fields: refused.map_or(stored, |it| it.fields.clone()),
                errors: refused.map(|it| it.errors.clone()).unwrap_or_default(),
                is_refused: refused.is_some(),
                is_everybody,
            },
            has_hidden,
        }
    };
    let by_hand = rules.iter().filter(|rule| rule.row.rule_type.is_by_hand());
    Ok(by_hand.map(row).collect())
}

/// Paths of those groups that the viewer sees.
fn paths(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<HashMap<i64, String>> {
    let ids = seen(tx, viewer, ids)?;
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut condition = Fragment::default();
    let most = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    condition.in_list("namespaces.id", ids);
    let found = namespaces(tx, &condition, "namespaces.id", most, 0)?;
    Ok(found.into_iter().map(|group| (group.id, group.full_path)).collect())
}

fn fields(rule: &Rule, [users, groups, branches]: [String; 3]) -> RuleFields {
    RuleFields {
        rule_id: Some(rule.row.id),
        name: rule.row.name.clone().into(),
        approvals_required: Some(rule.row.approvals_required),
        users: users.into(),
        groups: groups.into(),
        branches: branches.into(),
        all_protected: Some(rule.row.applies_to_all_protected_branches),
    }
}

fn people_text(people: Vec<String>, paths: Vec<String>, has_hidden: bool) -> String {
    let users = people.into_iter().map(|name| format!("@{name}"));
    let mut all: Vec<String> = users.chain(paths).collect();
    if has_hidden {
        all.push("groups that you cannot see".to_owned());
    }
    match all.is_empty() {
        true => "Nobody".to_owned(),
        false => all.join(", "),
    }
}

fn place_text(rule: &Rule, branches: &[String]) -> String {
    match (rule.row.applies_to_all_protected_branches, branches) {
        (true, _) => "All protected branches".to_owned(),
        (false, []) => "All branches".to_owned(),
        (false, names) => names.join(", "),
    }
}
