//! Who has to approve merge requests, rule by rule, and how far that is.

use super::enums::RULE_TYPE;
use super::{ById, keys, of_each};
use crate::approvals::model::{Rule, RuleType};
use crate::approvals::scenes::Scenes;
use crate::approvals::seen_groups;
use crate::approvals::state::{RuleState, State};
use crate::model::MergeRequest;
use identity::graph::{People, Person};
use kernel::graph::context::Loader;
use kernel::graph::{
    Ask, BOOLEAN, Context, Fault, GlobalId, Graph, HasTypeRef, ID, INT, Key, Order, object,
};
use planning::graph::Pages;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

const RULE_ID: GlobalId = GlobalId::new("ApprovalRuleID", "ApprovalRule");

/// How far the approvals of a merge request are.
struct Progress {
    required: i64,
    left: i64,
    is_approved: bool,
    is_overwritten: bool,
    rules: Vec<Arc<RuleView>>,
}

/// A rule, and how far it is.
struct RuleView {
    id: i64,
    name: String,
    rule_type: RuleType,
    section: Option<String>,
    required: i64,
    left: i64,
    is_invalid: bool,
    is_overridden: bool,
    hides_groups: bool,
    users: Vec<i64>,
    eligible: Vec<i64>,
    approved_by: Vec<i64>,
}

impl RuleView {
    fn of(state: &RuleState<'_>, project_rules: &[Rule], seen: &HashSet<i64>) -> RuleView {
        let Rule { row, users, groups, .. } = state.rule;
        let source = project_rules.iter().find(|rule| Some(rule.row.id) == row.source_rule_id);
        let is_other = |source: &Rule| {
            let said = (&source.row.name, source.row.approvals_required);
            said != (&row.name, row.approvals_required)
                || (&source.users, &source.groups) != (users, groups)
        };
        RuleView {
            id: row.id,
            name: row.name.clone(),
            rule_type: row.rule_type,
            section: row.section.clone(),
            required: state.required,
            left: state.left(),
            is_invalid: state.is_invalid,
            is_overridden: source.is_some_and(is_other),
            hides_groups: groups.iter().any(|id| !seen.contains(id)),
            users: users.clone(),
            eligible: state.eligible.clone(),
            approved_by: state.approved_by.clone(),
        }
    }
}

struct Approvals;

impl Loader for Approvals {
    type Key = ById;
    type Value = Arc<Progress>;

    async fn load(
        context: Context, keys: Vec<ById>,
    ) -> Result<HashMap<ById, Arc<Progress>>, Fault> {
        of_each(&context, keys, |tx, viewer, requests| {
            let scenes = Scenes::read(tx, requests)?;
            let states: Vec<State<'_>> =
                requests.iter().map(|request| scenes.of(request).state()).collect();
            let groups: BTreeSet<i64> = states
                .iter()
                .flat_map(|state| &state.rules)
                .flat_map(|one| one.rule.groups.iter().copied())
                .collect();
            let seen = seen_groups(tx, viewer, &groups.into_iter().collect::<Vec<_>>())?;
            let seen: HashSet<i64> = seen.into_iter().collect();
            let progress = requests.iter().zip(&states).map(|(request, state)| {
                let rules = scenes.of(request).project_rules;
                (request.id, Arc::new(progress(state, rules, &seen)))
            });
            Ok(progress.collect())
        })
        .await
    }
}

fn progress(state: &State<'_>, project_rules: &[Rule], seen: &HashSet<i64>) -> Progress {
    let view = |one: &RuleState<'_>| Arc::new(RuleView::of(one, project_rules, seen));
    Progress {
        required: state.required(),
        left: state.left(),
        is_approved: state.is_approved(),
        is_overwritten: state.is_overwritten,
        rules: state.rules.iter().map(view).collect(),
    }
}

async fn told<T>(
    requests: Vec<Arc<MergeRequest>>, context: Context, of: fn(&Arc<Progress>) -> T,
) -> Result<Vec<T>, Fault> {
    let found = context.load::<Approvals>(keys(&requests)).await?;
    let told = |key: ById| -> Result<T, Fault> {
        Ok(of(found.get(&key).ok_or_else(Fault::not_available)?))
    };
    keys(&requests).into_iter().map(told).collect()
}

pub fn graph(g: &mut Graph) {
    rules(g);
    let rule = object::<RuleView>("ApprovalRule");
    g.object::<Progress>("MergeRequestApprovalState", "How far approvals are.")
        .field("approvalRulesOverwritten", BOOLEAN, |it| Some(it.is_overwritten))
        .describe("Whether the merge request has rules in place of those of its project.")
        .field("rules", rule.clone().required().list(), |it| Some(it.rules.clone()))
        .describe("The rules that count for it.")
        .field("invalidApproversRules", rule.required().list(), |it| {
            Some(it.rules.iter().filter(|rule| rule.is_invalid).cloned().collect())
        })
        .describe("Those of them that nobody can fulfil, which count as met.");
    g.on::<MergeRequest>("MergeRequest")
        .level("approved", BOOLEAN.required(), |requests, _, context| {
            told(requests, context, |it| it.is_approved)
        })
        .describe("Whether all approvals are there that it needs.")
        .level("approvalsRequired", INT, |requests, _, context| {
            told(requests, context, |it| Some(it.required))
        })
        .describe("How many approvals its rules ask for together.")
        .level("approvalsLeft", INT, |requests, _, context| {
            told(requests, context, |it| Some(it.left))
        })
        .describe("How many of them are missing.")
        .level(
            "approvalState",
            object::<Progress>("MergeRequestApprovalState"),
            |requests, _, context| told(requests, context, |it| Some(it.clone())),
        )
        .describe("How far its approvals are, rule by rule.");
}

fn rules(g: &mut Graph) {
    let people = || object::<Person>("UserCore");
    g.object::<RuleView>("ApprovalRule", "Who has to approve, and how many of them.")
        .field("id", ID.required(), |it| RULE_ID.of(it.id))
        .describe("Global ID.")
        .value("name", "What it is called.", |it| Some(it.name.clone()))
        .field("type", RULE_TYPE, |it| Some(it.rule_type))
        .describe("Whose approvals it counts.")
        .value("section", "Of owners: the part of their file.", |it| it.section.clone())
        .value("approvalsRequired", "How many it asks for.", |it| Some(it.required))
        .value("approved", "Whether they are there.", |it| Some(it.left == 0))
        .value("invalid", "Whether nobody can fulfil it.", |it| Some(it.is_invalid))
        .value(
            "overridden",
            "Whether it differs from the rule of the project it is a copy of.",
            |it| Some(it.is_overridden),
        )
        .value(
            "containsHiddenGroups",
            "Whether it names groups that the caller does not see.",
            |it| Some(it.hides_groups),
        )
        .level(
            "eligibleApprovers",
            people().required().list(),
            |rules: Vec<Arc<RuleView>>, _, context| async move {
                let named: Vec<i64> = rules.iter().flat_map(|it| it.eligible.clone()).collect();
                let found = context.load::<People>(named).await?;
                let of = |it: &Arc<RuleView>| {
                    Some(it.eligible.iter().filter_map(|id| found.get(id).cloned()).collect())
                };
                Ok(rules.iter().map(of).collect())
            },
        )
        .describe("Those whose approvals it counts; of a rule for everyone nobody is told.")
        .connections("users", people(), |rules, ask, _, context| {
            named(rules, ask, context, |it| &it.users)
        })
        .describe("The users that it names.")
        .connections("approvedBy", people(), |rules, ask, _, context| {
            named(rules, ask, context, |it| &it.approved_by)
        })
        .describe("Those whose approvals it counted.");
}

async fn named(
    rules: Vec<Arc<RuleView>>, ask: Ask, context: Context, of: fn(&RuleView) -> &Vec<i64>,
) -> Pages<Person> {
    let key = Key::int("users.id", Order::Asc);
    let window = ask.window(&context, "people of a rule", &[key])?;
    let named: Vec<i64> = rules.iter().flat_map(|it| of(it).clone()).collect();
    let found = context.load::<People>(named).await?;
    let page = |it: &Arc<RuleView>| {
        let mut ids = of(it).clone();
        ids.sort_unstable();
        let people: Vec<Arc<Person>> = ids.iter().filter_map(|id| found.get(id).cloned()).collect();
        Some(window.page_of_whole(&people, |it| it.user.id))
    };
    Ok(rules.iter().map(page).collect())
}
