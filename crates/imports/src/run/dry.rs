//! What can be told of an import before it begins.

use super::model::{NewImport, SourceName, Stage};
use crate::model::Kind;
use crate::sources::{Source, refusal};
use kernel::app::App;
use kernel::error::Result;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Objects that come in a second, by experience: a careful guess.
const OBJECTS_IN_A_SECOND: i64 = 200;
/// Answers of upstream in a second.
const ANSWERS_IN_A_SECOND: i64 = 4;

/// What an import would bring. Nothing is made for it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ImportDryRun")]
pub struct DryRun {
    /// What was looked at and found to be well.
    checks: Vec<&'static str>,
    /// How many of each kind there are, as far as upstream says so.
    pub counts: BTreeMap<&'static str, i64>,
    /// What it would do, in this order.
    stages: Vec<Stage>,
    estimated_requests: i64,
    estimated_seconds: i64,
}

/// Counts what an import would bring, of which `checks` were made before.
///
/// # Errors
///
/// What upstream refuses, as the endpoint that begins imports says it.
pub async fn dry_run(
    app: &App, user_id: i64, new: &NewImport, mut checks: Vec<&'static str>,
) -> Result<DryRun> {
    let draft = new.draft(user_id, app.now());
    let source = Source::open(app, &draft, new.credentials.clone()).await.map_err(refusal)?;
    let counts = source.count(app, &draft).await.map_err(refusal)?;
    checks.push("counts");
    let requests = requests(new.source, &counts, new.options.pagination_limit);
    Ok(DryRun {
        checks,
        stages: source.stages(&draft).to_vec(),
        estimated_requests: requests,
        estimated_seconds: seconds(&counts, requests),
        counts: counts.into_iter().map(|(kind, count)| (kind.as_str(), count)).collect(),
    })
}

/// How often upstream is asked: once for each page, and again for some things one by one.
fn requests(source: SourceName, counts: &[(Kind, i64)], limit: i64) -> i64 {
    let of = |kind: Kind| {
        let found = counts.iter().find(|(other, _)| *other == kind);
        found.map_or(0, |(_, count)| (*count).max(0))
    };
    let limit = limit.clamp(1, 100);
    let pages = counts
        .iter()
        .map(|(_, count)| (*count).max(1).div_euclid(limit).saturating_add(1));
    let pages = pages.fold(0, i64::saturating_add);
    let each = match source {
        // Who merged it, who reviews it, what they said, and what happened to it.
        SourceName::ProviderA => {
            of(Kind::PullRequest).saturating_mul(4).saturating_add(of(Kind::Issue))
        }
        SourceName::ProviderBServer => of(Kind::PullRequest),
        SourceName::ProviderBCloud => of(Kind::PullRequest).saturating_add(of(Kind::Issue)),
        SourceName::ProjectFile => return 0,
    };
    pages.saturating_add(each)
}

fn seconds(counts: &[(Kind, i64)], requests: i64) -> i64 {
    let objects = counts.iter().map(|(_, count)| (*count).max(0)).fold(0, i64::saturating_add);
    1 + objects / OBJECTS_IN_A_SECOND + requests / ANSWERS_IN_A_SECOND
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_page_and_by_thing() {
        let counts = [(Kind::Label, 3), (Kind::PullRequest, 250), (Kind::Issue, 100)];
        assert_eq!(requests(SourceName::ProviderA, &counts, 100), 1 + 3 + 2 + 250 * 4 + 100);
        assert_eq!(requests(SourceName::ProviderBServer, &counts, 100), 1 + 3 + 2 + 250);
        assert_eq!(requests(SourceName::ProjectFile, &counts, 100), 0);
        let endless = [(Kind::PullRequest, i64::MAX), (Kind::Issue, -5)];
        assert_eq!(requests(SourceName::ProviderA, &endless, 0), i64::MAX);
    }

    #[test]
    fn there_is_always_something_to_wait_for() {
        assert_eq!(seconds(&[], 0), 1);
        assert_eq!(seconds(&[(Kind::Issue, 1000)], 40), 1 + 5 + 10);
    }
}
