//! `rules:` of jobs, of the workflow and of includes (contract 6.1).

use super::needs::{self, Need};
use super::variables::{self, FileVariable, Site};
use super::{AutoCancel, When, root};
use crate::check::{At, Fields, Report, child, seconds, strings_or_one};
use crate::expression::Expression;
use crate::yaml::{Node, Value};

/// What has to hold, all of it; nothing holds always.
#[derive(Clone, Debug, Default)]
pub struct Clauses {
    pub condition: Option<Expression>,
    pub changes: Option<Changes>,
    pub exists: Option<Exists>,
}

/// Files that the commits changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    pub paths: Vec<String>,
    pub compare_to: Option<String>,
}

/// Files that are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exists {
    pub paths: Vec<String>,
    pub project: Option<String>,
    pub reference: Option<String>,
}

/// What a rule says about starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleWhen {
    Never,
    When(When),
}

/// One rule, and what it changes where it decides.
#[derive(Clone, Debug, Default)]
pub struct Rule {
    pub clauses: Clauses,
    pub when: Option<RuleWhen>,
    pub allow_failure: Option<bool>,
    pub variables: Vec<FileVariable>,
    pub needs: Option<Vec<Need>>,
    pub interruptible: Option<bool>,
    pub auto_cancel: AutoCancel,
}

/// Where rules stand, which says what they may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleSite {
    Job,
    Workflow,
}

/// A week.
const LONGEST_DELAY: u64 = 7 * 86_400;
const MOST_PATHS: usize = 50;

pub(super) fn read(at: At<'_>, report: &mut Report, site: RuleSite) -> Option<Vec<Rule>> {
    let Some(items) = at.node.list() else {
        at.wrong(report, "should be an array of hashes");
        return None;
    };
    let mut flat = Vec::new();
    flatten(items, 0, &mut flat);
    if flat.is_empty() {
        at.wrong(report, "can't be blank");
        return None;
    }
    let path = at.path.below("rule");
    let read = |node| rule(At::new(node, &path), report, site);
    Some(flat.into_iter().filter_map(read).collect())
}

fn flatten<'a>(items: &'a [Node], depth: usize, flat: &mut Vec<&'a Node>) {
    for item in items {
        match &item.value {
            Value::List(inner) if depth < crate::limits::NESTED_LISTS => {
                flatten(inner, depth + 1, flat);
            }
            _ => flat.push(item),
        }
    }
}

const CLAUSES: [&str; 3] = ["if", "changes", "exists"];

fn rule(at: At<'_>, report: &mut Report, site: RuleSite) -> Option<Rule> {
    let own = ["when", "start_in", "allow_failure", "variables", "needs", "interruptible"];
    let mut known = [&CLAUSES[..], &own].concat();
    if site == RuleSite::Workflow {
        known.push("auto_cancel");
    }
    let fields = at.map(report, &known)?;
    let variables = child!(fields, "variables", |at| variables::read(at, report, Site::Rule));
    let needs = child!(fields, "needs", |at| needs::read(at, report));
    let auto_cancel = child!(fields, "auto_cancel", |at| root::auto_cancel(at, report));
    Some(Rule {
        clauses: clauses(&fields, report),
        when: when(&fields, report, site),
        allow_failure: fields.boolean(report, "allow_failure"),
        variables: variables.unwrap_or_default(),
        needs: needs.map(|needs| needs.list),
        interruptible: fields.boolean(report, "interruptible"),
        auto_cancel: auto_cancel.unwrap_or_default(),
    })
}

fn when(fields: &Fields<'_>, report: &mut Report, site: RuleSite) -> Option<RuleWhen> {
    const WORDS: [(&str, RuleWhen); 6] = [
        ("on_success", RuleWhen::When(When::OnSuccess)),
        ("on_failure", RuleWhen::When(When::OnFailure)),
        ("always", RuleWhen::When(When::Always)),
        ("never", RuleWhen::Never),
        ("manual", RuleWhen::When(When::Manual)),
        ("delayed", RuleWhen::When(When::Delayed(0))),
    ];
    const OF_WORKFLOWS: [(&str, RuleWhen); 2] =
        [("always", RuleWhen::When(When::Always)), ("never", RuleWhen::Never)];
    if site == RuleSite::Workflow {
        return fields.one_of(report, "when", &OF_WORKFLOWS);
    }
    match fields.one_of(report, "when", &WORDS) {
        Some(RuleWhen::When(When::Delayed(_))) => {
            let seconds = start_in(fields, report)?;
            Some(RuleWhen::When(When::Delayed(seconds)))
        }
        when => {
            if fields.has("start_in") {
                fields.wrong(report, "start_in", "must be blank");
            }
            when
        }
    }
}

/// How long a delayed job waits.
pub(super) fn start_in(fields: &Fields<'_>, report: &mut Report) -> Option<u64> {
    match fields.get("start_in").and_then(seconds).flatten() {
        None => fields.wrong(report, "start_in", "should be a duration"),
        Some(delay) if delay > LONGEST_DELAY => {
            fields.wrong(report, "start_in", "should not exceed the limit");
        }
        Some(delay) => return Some(delay),
    }
    None
}

fn clauses(fields: &Fields<'_>, report: &mut Report) -> Clauses {
    let condition = fields.string(report, "if").and_then(|text| {
        let parsed = report.expression(&text);
        if parsed.is_none() {
            fields.wrong(report, "if", "invalid expression syntax");
        }
        parsed
    });
    Clauses {
        condition,
        changes: child!(fields, "changes", |at| changes(at, report)),
        exists: child!(fields, "exists", |at| exists(at, report)),
    }
}

fn paths(at: At<'_>, report: &mut Report, texts: Option<Vec<String>>) -> Option<Vec<String>> {
    let Some(paths) = texts else {
        at.wrong(report, "should be an array of strings");
        return None;
    };
    if paths.len() > MOST_PATHS {
        at.wrong(report, &format!("has too many entries (maximum {MOST_PATHS})"));
    }
    Some(paths)
}

fn changes(at: At<'_>, report: &mut Report) -> Option<Changes> {
    if at.node.map().is_none() {
        let texts = crate::check::strings(at.node);
        let paths = paths(at, report, texts)?;
        return Some(Changes { paths, compare_to: None });
    }
    let fields = at.map(report, &["paths", "compare_to"])?;
    fields.required(report, &["paths"]);
    let paths = child!(fields, "paths", |at| paths(at, report, crate::check::strings(at.node)));
    Some(Changes {
        compare_to: fields.string(report, "compare_to"),
        paths: paths?,
    })
}

fn exists(at: At<'_>, report: &mut Report) -> Option<Exists> {
    if at.node.map().is_none() {
        let paths = paths(at, report, strings_or_one(at.node))?;
        return Some(Exists { paths, project: None, reference: None });
    }
    let fields = at.map(report, &["paths", "project", "ref"])?;
    fields.required(report, &["paths"]);
    if fields.has("ref") && !fields.has("project") {
        at.wrong(report, "missing required keys: project");
    }
    let paths = child!(fields, "paths", |at| paths(at, report, strings_or_one(at.node)));
    Some(Exists {
        project: fields.string(report, "project"),
        reference: fields.string(report, "ref"),
        paths: paths?,
    })
}

/// A rule of an include: what has to hold, and whether it is included then.
pub(crate) struct IncludeRule {
    pub clauses: Clauses,
    pub included: bool,
}

/// Reads `include:rules`.
pub(crate) fn include_rules(at: At<'_>, report: &mut Report) -> Option<Vec<IncludeRule>> {
    let Some(items) = at.node.list() else {
        at.wrong(report, "should be an array of hashes");
        return None;
    };
    let mut flat = Vec::new();
    flatten(items, 0, &mut flat);
    let path = at.path.below("rule");
    let read = |node| {
        let at = At::new(node, &path);
        let fields = at.map(report, &[&CLAUSES[..], &["when"]].concat())?;
        let words = [("always", true), ("never", false)];
        let included = fields.one_of(report, "when", &words).unwrap_or(true);
        Some(IncludeRule { clauses: clauses(&fields, report), included })
    };
    Some(flat.into_iter().filter_map(read).collect())
}
