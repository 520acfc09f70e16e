//! `/import/provider_a`: repositories of provider A become projects, and gists of their owner
//! snippets.

use super::begun::Begun;
use super::record::ImportRecord;
use crate::gists;
use crate::run::{OptionalStages, Options, TimeoutStrategy};
use crate::sources::provider_a::accept::{Wish, accept};
use http::StatusCode;
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::{Answer, Params, RequestContext, Response, Routes, reply};
use serde_json::{Map, Value};
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    r.post("/import/provider_a", import)
        .summary("Imports a repository of provider A into a new project");
    r.post("/import/provider_a/gists", import_gists)
        .summary("Imports the gists of the owner of a token as personal snippets");
}

kernel::params! {
    /// Parts of an import that come only where they are wished.
    #[derive(Default)]
    struct Stages {
        /// Files that texts name; not unless said.
        pub attachments_import: Option<bool>,
        /// Who may do what there may do it here; unless said otherwise.
        pub collaborators_import: Option<bool>,
        /// Notes are asked for issue by issue, for repositories with very many; not unless
        /// said.
        pub single_endpoint_notes_import: Option<bool>,
        /// Without effect.
        pub single_endpoint_issue_events_import: Option<bool>,
    }
}

kernel::params! {
    /// A repository of provider A, and how it is imported.
    struct ImportRepository {
        /// The token that proves there who asks.
        pub personal_access_token: String,
        /// The number of the repository there.
        pub repo_id: i64,
        /// The full path of the group, or the own namespace, that the project comes to.
        pub target_namespace: String,
        /// The name and path of the project; as the repository is called without it.
        pub new_name: Option<String>,
        /// The address of an own server of provider A; the public one without it.
        pub provider_a_hostname: Option<String>,
        /// Parts that come only where they are wished.
        pub optional_stages: Option<Stages>,
        /// What becomes of an import that makes no progress for a day.
        pub timeout_strategy: Option<TimeoutStrategy>,
        /// Things of a page of an upstream list, 1 to 100; 100 without it.
        pub pagination_limit: Option<i64>,
        /// Logins there, each with the name or id of a user here.
        pub user_map: Option<Map<String, Value>>,
        /// Whether the project keeps following until it is cut over.
        pub live: Option<bool>,
        /// Whether it is only told what an import would bring.
        pub dry_run: Option<bool>,
    }
}

kernel::params! {
    /// Whose gists are imported.
    struct ImportGists {
        /// The token that proves there who asks.
        pub personal_access_token: String,
    }
}

impl ImportRepository {
    fn options(&self) -> Result<Options> {
        let usual = Options::default();
        let stages = self.optional_stages.clone().unwrap_or_default();
        let pagination_limit = self.pagination_limit.unwrap_or(usual.pagination_limit);
        if !(1..=100).contains(&pagination_limit) {
            let text = "pagination_limit does not have a valid value".to_owned();
            return Err(Error::Parameters(vec![text]));
        }
        Ok(Options {
            optional_stages: OptionalStages {
                attachments: stages.attachments_import.unwrap_or(false),
                collaborators: stages.collaborators_import.unwrap_or(true),
                single_endpoint_notes: stages.single_endpoint_notes_import.unwrap_or(false),
            },
            timeout_strategy: self.timeout_strategy.unwrap_or_default(),
            pagination_limit,
        })
    }

    fn wish(&self, request: &RequestContext) -> Result<Wish> {
        if self.target_namespace.trim().trim_matches('/').is_empty() {
            return Err(Error::Parameters(vec!["target_namespace is empty".into()]));
        }
        Ok(Wish {
            hostname: self.provider_a_hostname.clone(),
            token: self.personal_access_token.trim().to_owned(),
            repo_id: self.repo_id,
            target_namespace: Some(self.target_namespace.clone()),
            new_name: self.new_name.clone().filter(|name| !name.is_empty()),
            options: self.options()?,
            user_map: self.user_map.clone().unwrap_or_default(),
            is_live: self.live.unwrap_or(false),
            correlation_id: Some(request.request_id.clone()).filter(|id| !id.is_empty()),
        })
    }
}

async fn import(
    app: App, by: SignedInViewer, wanted: Params<ImportRepository>, request: Arc<RequestContext>,
) -> Result<Begun> {
    let viewer = by.viewer();
    let accepted = accept(&app, &viewer, wanted.wish(&request)?).await?;
    if wanted.dry_run.unwrap_or(false) {
        return Ok(Begun::Dry(accepted.dry_run(&app, &viewer).await?));
    }
    let (origin, relation) = (accepted.new.origin.clone(), accepted.relation);
    let project = accepted.begin(&app, &viewer).await?;
    Ok(Begun::Import(ImportRecord::of(&project, &origin, relation, None)))
}

/// 202 without a body: gists come by and by.
struct Begins;

impl Answer for Begins {
    fn reply(self, _: &App, _: &RequestContext) -> Result<Response> {
        Ok(reply::empty(StatusCode::ACCEPTED))
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.status(202, "Accepted for processing");
    }
}

async fn import_gists(app: App, by: SignedInViewer, wanted: Params<ImportGists>) -> Result<Begins> {
    gists::begin(&app, &by.viewer(), wanted.personal_access_token.trim()).await?;
    Ok(Begins)
}
