//! Cleanup rules of a project within its policy, each with a dry run.

use super::caller;
use super::enums::TYPE;
use super::policy::REGEXP;
use crate::cleanup::model::{Going, Policy, Rule};
use crate::cleanup::run::{self, Preview};
use crate::store::cleanup_rules as rows;
use kernel::graph::{
    Args, BOOLEAN, Context, Fault, Graph, HasTypeRef, INT, STRING, argument, object,
};
use std::sync::Arc;
use store::grouped;

/// Most versions that a dry run shows.
const MAX_SHOWN: i64 = 100;
const RULE: &str = "PackagesCleanupRule";
const PREVIEW: &str = "PackagesCleanupPreview";
const VERSION: &str = "PackagesCleanupVersion";
/// What the mutation takes of each rule.
pub const TERMS: &str = "PackagesCleanupRuleInput";

/// What a rule says: the name of the field, and what it means.
const NUMBERS: [(&str, &str, fn(&Rule) -> Option<i64>); 3] = [
    ("keepLast", "So many of the newest versions of each name stay.", |it| {
        it.keep_last
    }),
    ("olderThanDays", "Only what was published more days ago goes.", |it| {
        it.older_than_days
    }),
    (
        "notDownloadedDays",
        "Only what was not downloaded for so many days goes.",
        |it| it.not_downloaded_days,
    ),
];

const PATTERNS: [(&str, &str, fn(&Rule) -> &Option<String>); 4] = [
    ("keepNameRegex", "Names that stay.", |it| &it.keep_name_regex),
    ("keepVersionRegex", "Versions that stay.", |it| &it.keep_version_regex),
    ("removeNameRegex", "Only names like this go.", |it| &it.remove_name_regex),
    ("removeVersionRegex", "Only versions like this go.", |it| {
        &it.remove_version_regex
    }),
];

const ENABLED: &str = "Whether it is applied, every twelve hours.";
const UNUSED: &str = "Only what was never downloaded goes; needs `olderThanDays`.";
const FORMAT: &str = "The format it is about.";

pub fn graph(g: &mut Graph) {
    rule(g);
    preview(g);
    terms(g);
    g.on::<Policy>("PackagesCleanupPolicy")
        .level(
            "rules",
            object::<Rule>(RULE).required().list().required(),
            |parents: Vec<Arc<Policy>>, _, context| rules(parents, context),
        )
        .describe("Which versions go, oldest rule first.");
}

fn rule(g: &mut Graph) {
    let mut of = g
        .object::<Rule>(RULE, "Which versions of one format go by themselves.")
        .field("packageType", TYPE.required(), |it| it.package_type)
        .describe(FORMAT)
        .value("enabled", ENABLED, |it| it.enabled)
        .value("neverDownloaded", UNUSED, |it| it.never_downloaded)
        .value("nextRunAt", "When it is applied next.", |it| it.next_run_at);
    for (name, text, read) in NUMBERS {
        of = of.value(name, text, read);
    }
    for (name, text, read) in PATTERNS {
        of = of.field(name, REGEXP, move |it| read(it).clone()).describe(text);
    }
    of.level("preview", object::<Preview>(PREVIEW), dry_runs)
        .describe("What it would take away now; once in a query.")
        .at_most(1)
        .arg(argument("first", INT).describe("How many versions are shown; at most 100."));
}

fn preview(g: &mut Graph) {
    g.object::<Preview>(PREVIEW, "What a cleanup rule would take away.")
        .value("packagesCount", "How many versions.", |it| it.packages)
        .value("packagesSize", "Bytes of their files.", |it| it.size.to_string())
        .field("packages", object::<Going>(VERSION).required().list().required(), |it| {
            it.shown.iter().cloned().map(Arc::new).collect()
        })
        .describe("The first of them.");
    g.object::<Going>(VERSION, "A version that a cleanup rule would take away.")
        .value("name", "Its name.", |it| it.standing.name.clone())
        .value("version", "Its version.", |it| it.standing.version.clone())
        .value("size", "Bytes of its files.", |it| it.standing.size.to_string())
        .value("createdAt", "When it was published.", |it| it.standing.created_at)
        .value("lastDownloadedAt", "When a file was last downloaded.", |it| {
            it.standing.last_downloaded_at
        })
        .field("reasons", STRING.required().list().required(), |it| it.reasons.clone())
        .describe("Why it goes.");
}

fn terms(g: &mut Graph) {
    let mut fields = vec![
        argument("packageType", TYPE.required()).describe(FORMAT),
        argument("enabled", BOOLEAN).describe(ENABLED),
        argument("neverDownloaded", BOOLEAN).describe(UNUSED),
    ];
    fields.extend(NUMBERS.map(|(name, text, _)| argument(name, INT).describe(text)));
    fields.extend(PATTERNS.map(|(name, text, _)| argument(name, REGEXP).describe(text)));
    g.input(TERMS, "Which versions of one format go by themselves.", fields);
}

/// Policies are shown to who manages them only, and so are their rules.
async fn rules(parents: Vec<Arc<Policy>>, context: Context) -> Result<Vec<Vec<Arc<Rule>>>, Fault> {
    let ids: Vec<i64> = parents.iter().map(|it| it.project_id).collect();
    let (app, _) = caller(&context)?;
    let found = app.read(move |tx| rows::of_projects(tx, &ids)).await?;
    let of = grouped(
        found
            .into_iter()
            .map(|rule| (rule.project_id.unwrap_or_default(), Arc::new(rule))),
    );
    let taken = parents.iter().map(|it| of.get(&it.project_id).cloned());
    Ok(taken.map(Option::unwrap_or_default).collect())
}

/// One after another: each may go through many packages.
async fn dry_runs(
    rules: Vec<Arc<Rule>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<Preview>>>, Fault> {
    let first: Option<i64> = args.get("first")?;
    let limit = first.unwrap_or(MAX_SHOWN).clamp(0, MAX_SHOWN);
    let (app, _) = caller(&context)?;
    let mut told = Vec::with_capacity(rules.len());
    for rule in rules {
        let preview = run::preview(&app, Rule::clone(&rule), 0, limit).await?;
        told.push(Some(Arc::new(preview)));
    }
    Ok(told)
}
