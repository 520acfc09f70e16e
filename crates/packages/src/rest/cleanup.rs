//! Cleanup rules of a project or group, their runs, and dry runs.

use crate::cleanup::model::Owner;
use crate::cleanup::rule::{self, Change};
use crate::cleanup::run;
use crate::entity::cleanup::{self as entity, CleanupRuleEntity, CleanupRunEntity, GoingEntity};
use crate::model::PackageType;
use crate::scope::Prefix;
use crate::store::cleanup_rules as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Patch, Routes};

/// With each prefix stand the words that summaries name it by and what tells
/// its operations from the other's.
const PREFIXES: [(&str, &str, &str); 2] = [
    ("/projects/{id}/packages/cleanup", "a project", "project"),
    ("/groups/{id}/packages/cleanup", "a group", "group"),
];

pub(super) fn routes(r: &mut Routes) {
    for (prefix, whose, place) in PREFIXES {
        let (all, one) = (
            format!("{prefix}/rules"),
            format!("{prefix}/rules/{{cleanup_rule_id}}"),
        );
        r.get(&all, list)
            .under(place)
            .summary(format!("Lists the package cleanup rules of {whose}"));
        r.post(&all, create)
            .under(place)
            .summary(format!("Adds a package cleanup rule to {whose}"));
        r.get(&one, show)
            .under(place)
            .summary(format!("Shows a package cleanup rule of {whose}"));
        r.patch(&one, update)
            .under(place)
            .summary(format!("Changes a package cleanup rule of {whose}"));
        r.delete(&one, destroy)
            .under(place)
            .summary(format!("Removes a package cleanup rule of {whose}"));
        r.get(&format!("{one}/runs"), runs)
            .under(place)
            .summary(format!(
                "Lists the last runs of a package cleanup rule of {whose}"
            ));
        r.post(&format!("{one}/runs"), apply)
            .under(place)
            .summary(format!("Applies a package cleanup rule of {whose} now"));
        r.get(&format!("{one}/preview"), preview)
            .under(place)
            .summary(format!(
                "Lists what a package cleanup rule of {whose} would take away"
            ));
        r.post(&format!("{prefix}/preview"), preview_draft)
            .under(place)
            .summary(format!(
                "Lists what a package cleanup rule would take away from {whose}, if it were there"
            ));
    }
}

kernel::params! {
    /// What a rule says.
    pub struct RuleTerms {
        /// The format it is about.
        pub package_type: Option<PackageType>,
        /// Whether it is applied, every twelve hours; false unless it is said.
        pub enabled: Option<bool>,
        /// So many of the newest versions of each name stay.
        pub keep_last: Patch<i64>,
        /// Names that stay: a regular expression for the whole name.
        pub keep_name_regex: Patch<String>,
        /// Versions that stay.
        pub keep_version_regex: Patch<String>,
        /// Only names like this go.
        pub remove_name_regex: Patch<String>,
        /// Only versions like this go.
        pub remove_version_regex: Patch<String>,
        /// Only what was published more days ago goes.
        pub older_than_days: Patch<i64>,
        /// Only what was not downloaded for so many days goes.
        pub not_downloaded_days: Patch<i64>,
        /// Only what was never downloaded goes; needs `older_than_days`.
        pub never_downloaded: Option<bool>,
    }
}

kernel::params! {
    /// A rule.
    pub struct OneRule {
        /// The rule.
        pub cleanup_rule_id: i64,
    }
}

fn change(terms: RuleTerms) -> Change {
    Change {
        package_type: terms.package_type,
        enabled: terms.enabled,
        keep_last: terms.keep_last,
        keep_name_regex: terms.keep_name_regex,
        keep_version_regex: terms.keep_version_regex,
        remove_name_regex: terms.remove_name_regex,
        remove_version_regex: terms.remove_version_regex,
        older_than_days: terms.older_than_days,
        not_downloaded_days: terms.not_downloaded_days,
        never_downloaded: terms.never_downloaded,
    }
}

async fn list(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    paging: Paging,
) -> Result<Paged<CleanupRuleEntity>> {
    app.read(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        let rules = rule::list(tx, owner)?;
        let total = rules.len() as i64;
        let page = rules.into_iter().skip(paging.offset() as usize);
        let page = page.take(paging.fetch() as usize).collect();
        Ok(Paged::numbered(page, paging, Some(total)).map(entity::rule))
    })
    .await
}

async fn create(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    terms: Params<RuleTerms>,
) -> Result<Created<CleanupRuleEntity>> {
    let Params(terms) = terms;
    let change = change(terms);
    app.write(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        let made = rule::create(tx, &viewer, owner, change.clone())?;
        Ok(Created(entity::rule(made)))
    })
    .await
}

async fn show(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    one: Params<OneRule>,
) -> Result<Ok200<CleanupRuleEntity>> {
    app.read(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        let found = rule::find(tx, owner, one.cleanup_rule_id)?;
        Ok(Ok200(entity::rule(found)))
    })
    .await
}

async fn update(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    one: Params<OneRule>,
    terms: Params<RuleTerms>,
) -> Result<Ok200<CleanupRuleEntity>> {
    let Params(terms) = terms;
    let (id, change) = (one.cleanup_rule_id, change(terms));
    app.write(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        let changed = rule::update(tx, &viewer, owner, id, change.clone())?;
        Ok(Ok200(entity::rule(changed)))
    })
    .await
}

async fn destroy(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    one: Params<OneRule>,
) -> Result<NoContent> {
    app.write(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        rule::destroy(tx, &viewer, owner, one.cleanup_rule_id)?;
        Ok(NoContent)
    })
    .await
}

async fn runs(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    one: Params<OneRule>,
) -> Result<Ok200<Vec<CleanupRunEntity>>> {
    app.read(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        let found = rule::find(tx, owner, one.cleanup_rule_id)?;
        let runs = rows::runs(tx, found.id)?;
        Ok(Ok200(runs.into_iter().map(entity::run).collect()))
    })
    .await
}

/// Begins a run, or shows the one that is under way.
async fn apply(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    one: Params<OneRule>,
) -> Result<Created<CleanupRunEntity>> {
    let registry = app.jobs().clone();
    app.write(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        let found = rule::find(tx, owner, one.cleanup_rule_id)?;
        if !found.enabled {
            return Err(Error::Unprocessable("The rule is not enabled".into()));
        }
        run::begin(tx, &registry, &[found.id])?;
        let begun = rows::last_runs(tx, &[found.id])?.pop();
        let begun = begun.ok_or(Error::NotFound("Cleanup Run"))?;
        Ok(Created(entity::run(begun)))
    })
    .await
}

async fn preview(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    one: Params<OneRule>,
    paging: Paging,
) -> Result<Paged<GoingEntity>> {
    let rule = app.read(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        rule::find(tx, owner, one.cleanup_rule_id)
    });
    let rule = rule.await?;
    going(&app, rule, paging).await
}

async fn preview_draft(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    terms: Params<RuleTerms>,
    paging: Paging,
) -> Result<Paged<GoingEntity>> {
    let Params(terms) = terms;
    let rule = app.read(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        change(terms).drafted(tx, owner)
    });
    let rule = rule.await?;
    going(&app, rule, paging).await
}

async fn going(app: &App, rule: rule::Rule, paging: Paging) -> Result<Paged<GoingEntity>> {
    let kind = rule.package_type;
    let told = run::preview(app, rule, paging.offset(), paging.fetch()).await?;
    let page = Paged::numbered(told.shown, paging, Some(told.packages));
    Ok(page.map(|one| entity::going(one, kind)))
}
