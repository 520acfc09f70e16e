//! `/import/provider_b_server` and `/import/provider_b_cloud`: repositories of Provider B become
//! projects.

use super::begun::Begun;
use super::record::ImportRecord;
use crate::run::{Credentials, OptionalStages, Options, TimeoutStrategy};
use crate::sources::provider_b::{At, Wish, accept};
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Flat, Params, RequestContext, Routes};
use serde_json::{Map, Value};
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    r.post("/import/provider_b_server", from_server)
        .summary("Imports a repository of a server of provider B into a new project");
    r.post("/import/provider_b_cloud", from_cloud)
        .summary("Imports a repository of the cloud of provider B into a new project");
}

kernel::params! {
    /// What may be wished of both.
    struct Wished {
        /// The name and path of the project; as the repository is called without it.
        pub new_name: Option<String>,
        /// What becomes of an import that makes no progress for a day.
        pub timeout_strategy: Option<TimeoutStrategy>,
        /// Logins there, each with the name or id of a user here.
        pub user_map: Option<Map<String, Value>>,
        /// Whether the project keeps following until it is cut over.
        pub live: Option<bool>,
        /// Whether it is only told what an import would bring.
        pub dry_run: Option<bool>,
    }
}

kernel::params! {
    /// Parts of an import that come only where they are wished.
    struct Stages {
        /// Who may do what in the project there may do it here; not unless said.
        pub collaborators_import: Option<bool>,
    }
}

kernel::params! {
    /// A repository of a server, and how it is imported.
    struct FromServer {
        /// The address of the server.
        pub provider_b_server_url: String,
        /// The user name there.
        pub provider_b_server_username: String,
        /// The token, or the password, that proves there who asks.
        pub personal_access_token: String,
        /// The key of the project there.
        pub provider_b_server_project: String,
        /// The repository, as its address there names it.
        pub provider_b_server_repo: String,
        /// The full path of the group that the project comes to, which is made where it is
        /// missing, or of the own namespace, which it is without this.
        pub target_namespace: Option<String>,
        pub optional_stages: Option<Stages>,
        pub wished: Flat<Wished>,
    }
}

kernel::params! {
    /// A repository of the cloud, and how it is imported.
    struct FromCloud {
        /// The user name there, or the address of the account that an API token is of.
        pub provider_b_cloud_username: String,
        /// The app password, or API token, that proves there who asks.
        pub provider_b_cloud_app_password: String,
        /// Workspace and repository there; `___` stands for the slash between them.
        pub repo_path: String,
        /// The full path of the group that the project comes to, which is made where it is
        /// missing, or of the own namespace.
        pub target_namespace: String,
        pub wished: Flat<Wished>,
    }
}

impl Wished {
    fn wish(
        &self, request: &RequestContext, at: At, origin: String, credentials: Credentials,
    ) -> Wish {
        let optional_stages = OptionalStages { collaborators: false, ..OptionalStages::default() };
        Wish {
            at,
            origin,
            credentials,
            target_namespace: None,
            new_name: self.new_name.clone().filter(|name| !name.is_empty()),
            options: Options {
                optional_stages,
                timeout_strategy: self.timeout_strategy.unwrap_or_default(),
                ..Options::default()
            },
            user_map: self.user_map.clone().unwrap_or_default(),
            is_live: self.live.unwrap_or(false),
            correlation_id: Some(request.request_id.clone()).filter(|id| !id.is_empty()),
        }
    }
}

impl FromServer {
    fn wish(&self, request: &RequestContext) -> Wish {
        let at = At::Server(self.provider_b_server_url.trim().to_owned());
        let (key, slug) = (&self.provider_b_server_project, &self.provider_b_server_repo);
        let origin = format!("{}/{}", key.trim(), slug.trim());
        let credentials = Credentials {
            username: Some(self.provider_b_server_username.trim().to_owned()),
            secret: self.personal_access_token.trim().to_owned(),
        };
        let mut wish = self.wished.wish(request, at, origin, credentials);
        let target = self.target_namespace.clone();
        wish.target_namespace = target.filter(|target| !target.trim().is_empty());
        let collaborators = self.optional_stages.as_ref().and_then(|it| it.collaborators_import);
        wish.options.optional_stages.collaborators = collaborators.unwrap_or(false);
        wish
    }
}

impl FromCloud {
    fn wish(&self, request: &RequestContext) -> Result<Wish> {
        if self.target_namespace.trim().trim_matches('/').is_empty() {
            return Err(Error::Parameters(vec!["target_namespace is empty".into()]));
        }
        let origin = self.repo_path.trim().replace("___", "/");
        let credentials = Credentials {
            username: Some(self.provider_b_cloud_username.trim().to_owned()),
            secret: self.provider_b_cloud_app_password.trim().to_owned(),
        };
        let origin = origin.trim_matches('/').to_owned();
        let mut wish = self.wished.wish(request, At::Cloud, origin, credentials);
        wish.target_namespace = Some(self.target_namespace.clone());
        Ok(wish)
    }
}

async fn from_server(
    app: App, by: SignedInViewer, wanted: Params<FromServer>, request: Arc<RequestContext>,
) -> Result<Begun> {
    let is_dry = wanted.wished.dry_run.unwrap_or(false);
    begin(&app, &by, wanted.wish(&request), is_dry).await
}

async fn from_cloud(
    app: App, by: SignedInViewer, wanted: Params<FromCloud>, request: Arc<RequestContext>,
) -> Result<Begun> {
    let is_dry = wanted.wished.dry_run.unwrap_or(false);
    begin(&app, &by, wanted.wish(&request)?, is_dry).await
}

async fn begin(app: &App, by: &SignedInViewer, wish: Wish, is_dry: bool) -> Result<Begun> {
    let viewer = by.viewer();
    let accepted = accept(app, &viewer, wish).await?;
    if is_dry {
        return Ok(Begun::Dry(accepted.dry_run(app, &viewer).await?));
    }
    let origin = accepted.new.origin.clone();
    let (project, warning) = accepted.begin(app, &viewer).await?;
    Ok(Begun::Import(ImportRecord::of(&project, &origin, None, warning)))
}
