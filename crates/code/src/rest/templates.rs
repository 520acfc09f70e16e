//! Files that projects begin with: `/templates`, and below projects.

use super::SCOPES;
use crate::access::CodeRequest;
use crate::boilerplate::{self, TemplateType};
use crate::licenses::{self, License};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Flat, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use kernel::time::date_of;
use repositories::model::RepositoryKind;
use repositories::objects::{self, Commit, Objects};
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::{self, Purpose};

pub(super) fn routes(r: &mut Routes) {
    r.get("/templates/licenses", list_licenses).summary("Lists licenses");
    r.get("/templates/licenses/{license}", show_license).summary("Shows a license");
    r.get("/templates/{type}", list_own).summary("Lists templates of the server");
    r.get("/templates/{type}/{name}", show_own)
        .summary("Shows a template of the server");
    r.get("/projects/{id}/templates/{type}", list)
        .scopes(SCOPES)
        .summary("Lists templates for a project");
    r.get("/projects/{id}/templates/{type}/{name}", show)
        .scopes(SCOPES)
        .summary("Shows a template for a project");
}

kernel::params! {
    struct OfType {
        /// What the template is for.
        pub kind as "type": TemplateType,
    }
}

kernel::params! {
    struct Named {
        pub kind: Flat<OfType>,
        /// Key or name of the template.
        pub name: String,
        pub filled: Flat<FillWith>,
        /// The project whose texts of issues and merge requests are meant, in place of this.
        pub source_template_project_id: Option<i64>,
    }
}

kernel::params! {
    struct FillWith {
        /// Name of the project, for licenses.
        pub project: Option<String>,
        /// Whose code it is, for licenses.
        pub fullname: Option<String>,
    }
}

kernel::params! {
    struct OneLicense {
        /// Key of the license.
        pub license: String,
        pub filled: Flat<FillWith>,
    }
}

kernel::params! {
    struct LicenseFilter {
        /// Those alone that most choose of.
        pub popular: Option<bool>,
    }
}

/// A template as lists show it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct TemplateRow {
    key: String,
    name: String,
}

/// A template.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct TemplateEntity {
    name: String,
    content: String,
}

/// A license with its text.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct LicenseTemplate {
    key: &'static str,
    name: &'static str,
    nickname: Option<&'static str>,
    html_url: String,
    source_url: &'static str,
    popular: bool,
    description: &'static str,
    conditions: &'static [&'static str],
    permissions: &'static [&'static str],
    limitations: &'static [&'static str],
    content: String,
}

/// Either of them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
enum AnyTemplate {
    License(Box<LicenseTemplate>),
    File(TemplateEntity),
}

impl LicenseTemplate {
    fn of(app: &App, license: &'static License, with: &FillWith) -> LicenseTemplate {
        let (project, name) = (with.project.as_deref(), with.fullname.as_deref());
        LicenseTemplate {
            key: license.key,
            name: license.name,
            nickname: license.nickname,
            html_url: license.html_url(),
            source_url: license.source_url,
            popular: license.popular,
            description: license.description,
            conditions: license.conditions,
            permissions: license.permissions,
            limitations: license.limitations,
            content: license.filled(date_of(app.now()).year(), project, name),
        }
    }
}

async fn list_licenses(
    app: App, filter: Params<LicenseFilter>, paging: Paging,
) -> Result<Paged<LicenseTemplate>> {
    let with = FillWith { project: None, fullname: None };
    let wanted = |license: &&License| filter.popular != Some(true) || license.popular;
    let found = licenses::all().iter().filter(wanted);
    let entities = found.map(|license| LicenseTemplate::of(&app, license, &with));
    Ok(Paged::of_whole(entities.collect(), paging))
}

async fn show_license(app: App, one: Params<OneLicense>) -> Result<Ok200<LicenseTemplate>> {
    let license = licenses::by_key(&one.license).found("License")?;
    Ok(Ok200(LicenseTemplate::of(&app, license, &one.filled)))
}

async fn list_own(of: Params<OfType>, paging: Paging) -> Result<Paged<TemplateRow>> {
    Ok(Paged::of_whole(rows_of_server(server_type(of.kind)?), paging))
}

async fn show_own(one: Params<Named>) -> Result<Ok200<TemplateEntity>> {
    of_server(server_type(one.kind.kind)?, &one.name).map(Ok200)
}

/// A kind that the server has templates of.
fn server_type(kind: TemplateType) -> Result<TemplateType> {
    match kind.is_of_project() {
        true => Err(Error::NotFound("Template")),
        false => Ok(kind),
    }
}

fn rows_of_server(kind: TemplateType) -> Vec<TemplateRow> {
    let row = |(key, name): (&str, &str)| TemplateRow { key: key.into(), name: name.into() };
    kind.names().into_iter().map(row).collect()
}

fn of_server(kind: TemplateType, name: &str) -> Result<TemplateEntity> {
    let (name, content) = kind.content(name).found("Template")?;
    Ok(TemplateEntity { name: name.into(), content: content.into() })
}

/// Texts of issues are for who sees a project, all else for who reads its code.
fn purpose(kind: TemplateType) -> Purpose {
    match kind {
        TemplateType::Issues => Purpose::Read,
        _ => Purpose::DownloadCode,
    }
}

/// Refuses who may not see templates of this kind.
async fn check(at: &CodeRequest, kind: TemplateType) -> Result<()> {
    let (viewer, reference, purpose) = (at.viewer.clone(), at.reference.clone(), purpose(kind));
    at.app
        .read(move |tx| access::project(tx, &viewer, &reference, purpose).map(drop))
        .await
}

async fn list(at: CodeRequest, of: Params<OfType>, paging: Paging) -> Result<Paged<TemplateRow>> {
    check(&at, of.kind).await?;
    if !of.kind.is_of_project() {
        return Ok(Paged::of_whole(rows_of_server(of.kind), paging));
    }
    let kind = of.kind;
    let read =
        move |objects: &Objects, commit: &Commit| boilerplate::names_in(objects, commit, kind);
    let names = in_repository(&at, kind, None, read).await?.unwrap_or_default();
    let rows = names.into_iter().map(|name| TemplateRow { key: name.clone(), name });
    Ok(Paged::of_whole(rows.collect(), paging))
}

async fn show(at: CodeRequest, one: Params<Named>) -> Result<Ok200<AnyTemplate>> {
    let kind = one.kind.kind;
    check(&at, kind).await?;
    if kind == TemplateType::Licenses {
        let license = licenses::by_key(&one.name).found("Template")?;
        let entity = LicenseTemplate::of(&at.app, license, &one.filled);
        return Ok(Ok200(AnyTemplate::License(Box::new(entity))));
    }
    if !kind.is_of_project() {
        return of_server(kind, &one.name).map(|found| Ok200(AnyTemplate::File(found)));
    }
    let name = one.name.clone();
    let read = move |objects: &Objects, commit: &Commit| {
        boilerplate::text_in(objects, commit, kind, &name)
    };
    let text = in_repository(&at, kind, one.source_template_project_id, read).await?;
    let content = text.flatten().found("Template")?;
    let name = one.0.name;
    Ok(Ok200(AnyTemplate::File(TemplateEntity { name, content })))
}

/// Reads in the last commit of the default branch of a project, this one or another that
/// the caller sees; nothing where nothing was pushed yet.
async fn in_repository<T: Send + 'static>(
    at: &CodeRequest, kind: TemplateType, other: Option<i64>,
    read: impl Fn(&Objects, &Commit) -> Result<T> + Send + Sync + 'static,
) -> Result<Option<T>> {
    let other = other.map(Reference::Id);
    let (viewer, reference) = (at.viewer.clone(), other.unwrap_or_else(|| at.reference.clone()));
    let purpose = purpose(kind);
    let found = at.app.read(move |tx| {
        let project = access::project(tx, &viewer, &reference, purpose)?;
        let kind = RepositoryKind::Project;
        let Some(repository) = repositories::store::of_project(tx, project.id, kind)? else {
            return Ok(None);
        };
        let head = objects::named(tx, &repository, "HEAD")?;
        Ok(head.map(|head| (repository, head)))
    });
    let Some((repository, head)) = found.await? else {
        return Ok(None);
    };
    let work = move |objects: &Objects| match objects.commit_at(&head)? {
        Some(commit) => read(objects, &commit).map(Some),
        None => Ok(None),
    };
    objects::read(&at.app, &repository, work).await
}
