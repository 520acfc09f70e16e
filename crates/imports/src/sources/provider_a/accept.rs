//! What is looked at before an import begins: who asks there, what there is, and where it
//! comes to stand. Nothing is made until all of it is well.

use super::answers::{Organization, Repository, User};
use super::{Noted, client, is_full_name, is_same_server};
use crate::people;
use crate::rest::record::RelationType;
use crate::rest::target::{self, Naming, sentences};
use crate::run::dry::{DryRun, dry_run};
use crate::run::{self, Credentials, NewImport, Options, SourceName};
use crate::settings::{self, Addresses, Providers};
use crate::upstream::{Client, Failed, Items};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use spaces::access::find_project;
use spaces::model::{Project, Visibility};
use std::collections::BTreeMap;
use url::Url;

/// Where the interface of a server is whose address names none.
const USUAL_PATH: &str = "/api/v3";
/// Letters of an address that are told.
const MOST_TOLD: usize = 300;

const NO_NAMESPACE: &str = "Namespace or group to import repository into does not exist.";
const NO_RIGHT: &str = "You are not allowed to import projects in this namespace.";
const NO_ACCOUNT: &str = "Access denied to your Provider A account.";
const NO_REPOSITORY: &str = "Your Provider A personal access token does not have read access to \
     the repository. Use one that reads its code, issues and pull requests.";
const NO_COLLABORATORS: &str = "Your Provider A personal access token does not have read access \
     to collaborators. Use one that reads them, or switch collaborators_import off.";

/// Where a server of Provider A is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its interface, without a slash at the end.
    pub api: String,
    /// Where git finds its repositories, likewise.
    pub git: String,
}

impl Place {
    /// The public one, or that of a name or address.
    ///
    /// # Errors
    ///
    /// 400 where that is no address of a server.
    pub fn of(hostname: Option<&str>, public: &Addresses) -> Result<Place> {
        let usual = || Place {
            api: public.provider_a_api.clone(),
            git: public.provider_a_git.clone(),
        };
        match hostname.map(str::trim).filter(|text| !text.is_empty()) {
            None => Ok(usual()),
            Some(text) => match Place::named(text).ok_or_else(|| invalid(text))? {
                named if named.is_usual() && is_same_server(&named.git, &public.provider_a_git) => {
                    Ok(usual())
                }
                named => Ok(named),
            },
        }
    }

    fn named(text: &str) -> Option<Place> {
        let text = match text.contains("://") {
            true => text.to_owned(),
            false => format!("https://{text}"),
        };
        let url = Url::parse(&text).ok()?;
        let has_user = !url.username().is_empty() || url.password().is_some();
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() || has_user {
            return None;
        }
        let git = url.origin().ascii_serialization();
        let path = match url.path().starts_with("/api/") {
            true => url.path().trim_end_matches('/'),
            false => USUAL_PATH,
        };
        Some(Place { api: format!("{git}{path}"), git })
    }

    fn is_usual(&self) -> bool {
        self.api.ends_with(USUAL_PATH)
    }

    /// The name of its server, by which people there are told apart from those elsewhere.
    pub fn host(&self) -> String {
        let url = Url::parse(&self.git).ok();
        let host = url.as_ref().and_then(|url| Some((url.host_str()?, url.port())));
        match host {
            Some((host, Some(port))) => format!("{host}:{port}"),
            Some((host, None)) => host.to_owned(),
            None => String::new(),
        }
    }
}

/// What somebody wants imported, and how.
#[derive(Clone)]
pub struct Wish {
    /// A name or address; the public server without one.
    pub hostname: Option<String>,
    pub token: String,
    /// The number of the repository there.
    pub repo_id: i64,
    /// A group, or a person's own; that of who asks without one.
    pub target_namespace: Option<String>,
    pub new_name: Option<String>,
    pub options: Options,
    /// Logins there, and who they are here.
    pub user_map: Map<String, Value>,
    pub is_live: bool,
    /// The request that asks for it.
    pub correlation_id: Option<String>,
}

/// An import that may begin.
#[derive(Clone)]
pub struct Accepted {
    pub new: NewImport,
    pub relation: Option<RelationType>,
    target_namespace: Option<String>,
    naming: Naming,
    visibility: Visibility,
    description: Option<String>,
    checks: Vec<&'static str>,
}

/// Looks at all that an import needs.
///
/// # Errors
///
/// As the endpoint answers it.
pub async fn accept(app: &App, viewer: &Viewer, wish: Wish) -> Result<Accepted> {
    viewer.signed_in()?;
    let (who, asked) = (viewer.clone(), wish.clone());
    let here = app.read(move |tx| {
        settings::need(tx, SourceName::ProviderA)?;
        let target = target::find(tx, &who, asked.target_namespace.as_deref(), false);
        target.map_err(of_namespace)?;
        people::user_map(tx, &who, &asked.user_map)
    });
    let user_map = here.await?;
    let public = app.plugged::<Providers>()?.get();
    let place = Place::of(wish.hostname.as_deref(), &public)?;
    if let Some(hostname) = &wish.hostname {
        let checked = app.outbound().await?.check(&place.api).await;
        checked.map_err(|_| invalid(hostname))?;
    }
    let client = client(app, &place.api, &wish.token, None).map_err(|it| upstream(it, &place))?;
    let (repository, relation) = look(&client, &place, &wish).await?;
    let naming = Naming::of(wish.new_name.as_deref(), &repository.name, &repository.name);
    Ok(Accepted {
        relation,
        naming: naming.map_err(of_project)?,
        visibility: visibility(&repository),
        new: new(&place, &repository, &wish, user_map),
        description: repository.description,
        target_namespace: wish.target_namespace,
        checks: vec!["namespace", "token", "repository", "collaborators"],
    })
}

impl Accepted {
    /// Makes the project, and has it be brought; the project as it is then.
    ///
    /// # Errors
    ///
    /// As the endpoint answers it.
    pub async fn begin(self, app: &App, viewer: &Viewer) -> Result<Project> {
        let (own, viewer) = (app.clone(), viewer.clone());
        app.write(move |tx| {
            let namespace = target::resolve(tx, &viewer, self.target_namespace.as_deref(), false);
            let namespace = namespace.map_err(of_namespace)?;
            let (name, path) = (&self.naming.name, &self.naming.path);
            let about = (self.visibility, self.description.as_deref());
            let made = target::project(tx, &viewer, &namespace, name, path, about.0, about.1);
            let project = made.map_err(of_project)?;
            run::begin(tx, &own, &viewer, &project, &self.new)?;
            find_project(tx, &Reference::Id(project.id))?.found("Project")
        })
        .await
    }

    /// What it would bring.
    ///
    /// # Errors
    ///
    /// As the endpoint answers it.
    pub async fn dry_run(self, app: &App, viewer: &Viewer) -> Result<DryRun> {
        dry_run(app, viewer.signed_in()?.user.id, &self.new, self.checks).await
    }
}

fn new(
    place: &Place, repository: &Repository, wish: &Wish, user_map: BTreeMap<String, i64>,
) -> NewImport {
    let noted = Noted::of(repository, &place.git);
    NewImport {
        source: SourceName::ProviderA,
        host: place.host(),
        origin: repository.full_name.clone(),
        origin_id: Some(repository.id),
        base_url: place.api.clone(),
        upstream: serde_json::to_value(noted).unwrap_or_default(),
        options: wish.options.clone(),
        user_map,
        is_live: wish.is_live,
        credentials: Some(Credentials { username: None, secret: wish.token.clone() }),
        correlation_id: wish.correlation_id.clone(),
    }
}

/// The repository, and how who asks stands to it.
async fn look(
    client: &Client, place: &Place, wish: &Wish,
) -> Result<(Repository, Option<RelationType>)> {
    let user = match client.ask::<User>("/user", &[]).await {
        Ok(answer) => Some(answer.value),
        Err(failed) if failed.status() == Some(401) => return Err(refused(401, NO_ACCOUNT)),
        // Some tokens are nobody's.
        Err(failed) if failed.is_of_one() => None,
        Err(failed) => return Err(upstream(failed, place)),
    };
    let path = format!("/repositories/{}", wish.repo_id);
    let repository = match client.ask::<Repository>(&path, &[]).await {
        Ok(answer) => answer.value,
        Err(failed) => return Err(of_access(failed, place, NO_REPOSITORY)),
    };
    if !is_full_name(&repository.full_name) {
        return Err(upstream(Failed::Shape("the name of the repository".into()), place));
    }
    let may_push = repository.permissions.as_ref().is_none_or(|may| may.push);
    if wish.options.optional_stages.collaborators && may_push {
        check_collaborators(client, place, &repository).await?;
    }
    let relation = match user {
        Some(user) => relation(client, &user, &repository).await,
        None => None,
    };
    Ok((repository, relation))
}

async fn check_collaborators(
    client: &Client, place: &Place, repository: &Repository,
) -> Result<()> {
    let path = format!("/repos/{}/collaborators", repository.full_name);
    match client.ask::<Items<IgnoredAny>>(&path, &[("per_page", "1")]).await {
        Ok(_) => Ok(()),
        Err(failed) if matches!(failed.status(), Some(401 | 403)) => {
            Err(of_access(failed, place, NO_COLLABORATORS))
        }
        Err(failed) if failed.is_of_one() => Ok(()),
        Err(failed) => Err(upstream(failed, place)),
    }
}

async fn relation(client: &Client, user: &User, of: &Repository) -> Option<RelationType> {
    let owner = &of.owner.as_ref()?.login;
    if owner.eq_ignore_ascii_case(&user.login) {
        return Some(RelationType::Owned);
    }
    let asked = client.ask::<Items<Organization>>("/user/orgs", &[("per_page", "100")]).await;
    let organizations = asked.ok()?.value.0.into_iter().filter_map(std::result::Result::ok);
    let mut names = organizations.map(|organization| organization.login);
    Some(match names.any(|name| name.eq_ignore_ascii_case(owner)) {
        true => RelationType::Organization,
        false => RelationType::Collaborated,
    })
}

fn visibility(repository: &Repository) -> Visibility {
    match (repository.private, repository.visibility.as_deref()) {
        (false, None | Some("public")) => Visibility::Public,
        // What all of an organization see there, only members see here.
        _ => Visibility::Private,
    }
}

fn invalid(url: &str) -> Error {
    let told: String = url.chars().filter(|c| !c.is_control()).take(MOST_TOLD).collect();
    refused(400, &format!("Invalid URL: {told}"))
}

/// A refusal as clients of this endpoint read it.
fn refused(status: u16, text: &str) -> Error {
    match status {
        401 => Error::Exact(status, json!({"message": text, "error": text})),
        _ => Error::Exact(status, json!({"message": text, "errors": text})),
    }
}

fn upstream(failed: Failed, place: &Place) -> Error {
    match failed {
        Failed::Internal(error) => error,
        Failed::Blocked(_) => invalid(&place.api),
        Failed::Limited(_) => refused(429, "Too Many Requests"),
        failed if failed.status() == Some(401) => refused(401, NO_ACCOUNT),
        failed => refused(422, &format!("Import failed because of a Provider A error: {failed}")),
    }
}

fn of_access(failed: Failed, place: &Place, text: &str) -> Error {
    match failed.status() {
        Some(401 | 403) => refused(422, text),
        _ => upstream(failed, place),
    }
}

fn of_namespace(error: Error) -> Error {
    match error {
        Error::NotFound(_) => refused(422, NO_NAMESPACE),
        Error::Forbidden(_) => refused(422, NO_RIGHT),
        Error::Unprocessable(text) => refused(422, &text),
        other => other,
    }
}

fn of_project(error: Error) -> Error {
    match error {
        Error::Invalid(fields) => refused(422, &sentences(&fields)),
        Error::Forbidden(_) | Error::NotFound(_) => refused(422, NO_RIGHT),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_interfaces() {
        let public = Addresses::default();
        let api = |text: &str| Place::of(Some(text), &public).ok().map(|place| place.api);
        for (text, expected) in [
            ("https://code.example", "https://code.example/api/v3"),
            ("code.example", "https://code.example/api/v3"),
            ("http://code.example:8080/x?y", "http://code.example:8080/api/v3"),
            ("https://code.example/api/v4/", "https://code.example/api/v4"),
            (" https://code.example/ ", "https://code.example/api/v3"),
        ] {
            assert_eq!(api(text).as_deref(), Some(expected), "{text}");
        }
        for bad in ["file:///etc", "gopher://x", "https://a:b@c.example", "http://", "a b"] {
            assert_eq!(api(bad), None, "{bad}");
        }
        assert_eq!(api(&public.provider_a_git), Some(public.provider_a_api.clone()));
        let usual = Place::of(None, &public).expect("the public one");
        assert_eq!(usual.git, public.provider_a_git);
        assert_eq!(Place::of(Some(" "), &public).expect("the public one"), usual);
    }

    #[test]
    fn a_server_has_a_name() {
        let host =
            |text: &str| Place::of(Some(text), &Addresses::default()).expect("a place").host();
        assert_eq!(host("https://Code.example/api/v3"), "code.example");
        assert_eq!(host("http://127.0.0.1:8080"), "127.0.0.1:8080");
    }

    #[test]
    fn nothing_is_more_visible_than_there() {
        let read = |private: bool, word: Option<&str>| {
            let value = json!({"id": 1, "name": "a", "full_name": "a/b", "private": private,
                "visibility": word});
            visibility(&serde_json::from_value(value).expect("a repository"))
        };
        assert_eq!(read(false, None), Visibility::Public);
        assert_eq!(read(false, Some("public")), Visibility::Public);
        assert_eq!(read(true, Some("internal")), Visibility::Private);
        assert_eq!(read(false, Some("internal")), Visibility::Private);
        assert_eq!(read(true, None), Visibility::Private);
    }
}
