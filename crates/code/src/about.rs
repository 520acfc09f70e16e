//! What the code of a project says of it: its README, its license, its commits.

use crate::licenses::{self, License};
use crate::pages::spot::encoded;
use crate::{counts, folder, text};
use futures_util::future::BoxFuture;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use moka::sync::Cache;
use repositories::formats::object_id::ObjectId;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects::{self, Commit, Entry, Objects};
use spaces::access::{self, Purpose};
use spaces::hooks::{AboutCode, AboutWanted};
use spaces::license::LicenseEntity;
use spaces::model::Project;

/// Bytes of a file that is compared with licenses.
const LARGEST: u64 = 256 * 1024;

/// Licenses of files that were told apart lately; none of those that nobody knows.
struct Recent(Cache<ObjectId, Option<&'static str>>);

impl Default for Recent {
    fn default() -> Recent {
        Recent(Cache::new(10_000))
    }
}

/// Reads it, as far as the viewer may read the code.
pub fn read(
    app: App, viewer: Viewer, project: Project, wanted: AboutWanted,
) -> BoxFuture<'static, Result<AboutCode>> {
    Box::pin(async move {
        match repository(&app, viewer, project.clone()).await? {
            Some(repository) => about(&app, &project, repository, wanted).await,
            None => Ok(AboutCode::default()),
        }
    })
}

async fn repository(app: &App, viewer: Viewer, project: Project) -> Result<Option<Repository>> {
    app.read(move |tx| match access::may(tx, &viewer, &project, Purpose::DownloadCode)? {
        true => repositories::store::of_project(tx, project.id, RepositoryKind::Project),
        false => Ok(None),
    })
    .await
}

async fn about(
    app: &App, project: &Project, repository: Repository, wanted: AboutWanted,
) -> Result<AboutCode> {
    let Some(head) = objects::revision(app, &repository, "HEAD").await? else {
        return Ok(AboutCode::default());
    };
    let recent = app.kept::<Recent>();
    let work = move |objects: &Objects| {
        let Some(commit) = objects.commit_at(&head)? else {
            return Ok(None);
        };
        let files = files(objects, &commit, wanted.license, &recent)?;
        Ok(Some((commit.id, files)))
    };
    let Some((commit, files)) = objects::read(app, &repository, work).await? else {
        return Ok(AboutCode::default());
    };
    let branch = repository.head.as_branch().unwrap_or("HEAD");
    let place = format!("/{}/-/blob/{}", project.full_path, encoded(branch));
    let path = |name: String| format!("{place}/{}", encoded(&name));
    let commit_count = match wanted.commit_count {
        true => i64::try_from(counts::commits(app, &repository, commit).await?.0).ok(),
        false => None,
    };
    let license = files.license.as_ref().map(|(_, license)| entity(*license));
    Ok(AboutCode {
        readme: files.readme.map(path),
        license_file: files.license.map(|(name, _)| path(name)),
        license,
        commit_count,
    })
}

/// What stands in the uppermost folder.
struct Files {
    readme: Option<String>,
    /// The file, and which license it is.
    license: Option<(String, Option<&'static License>)>,
}

fn files(objects: &Objects, commit: &Commit, with_license: bool, recent: &Recent) -> Result<Files> {
    let entries = objects.tree(commit.tree)?.unwrap_or_default();
    let license = entries.iter().filter(|entry| with_license && is_license(entry)).min_by_key(
        // `LICENSE` before `LICENSE-2.0` before `COPYING`.
        |entry| (entry.name.to_ascii_lowercase().starts_with("copying"), entry.name.len()),
    );
    let license = match license {
        Some(entry) => Some((entry.name.clone(), known(objects, entry, recent)?)),
        None => None,
    };
    let readme = folder::readme(&entries).map(|entry| entry.name.clone());
    Ok(Files { readme, license })
}

/// Whether a file is called as those that hold a license.
fn is_license(entry: &Entry) -> bool {
    let name = entry.name.to_ascii_lowercase();
    let stems = ["license", "licence", "unlicense", "unlicence", "copying"];
    let rest = stems.iter().find_map(|stem| name.strip_prefix(stem));
    entry.kind.object() == "blob"
        && rest.is_some_and(|rest| matches!(rest.chars().next(), None | Some('.' | '-')))
}

fn known(objects: &Objects, entry: &Entry, recent: &Recent) -> Result<Option<&'static License>> {
    if let Some(key) = recent.0.get(&entry.id) {
        return Ok(key.and_then(licenses::by_key));
    }
    let blob = objects.blob(entry.id, LARGEST)?;
    let content = blob.and_then(|blob| blob.content).unwrap_or_default();
    let found = text::letters(&content).and_then(|text| licenses::detected(&text));
    recent.0.insert(entry.id, found.map(|license| license.key));
    Ok(found)
}

fn entity(license: Option<&'static License>) -> LicenseEntity {
    let of = |read: fn(&License) -> Option<String>| license.and_then(read);
    LicenseEntity {
        key: license.map_or("other", |it| it.key).to_owned(),
        name: license.map_or("Other", |it| it.name).to_owned(),
        nickname: of(|it| it.nickname.map(str::to_owned)),
        html_url: of(|it| Some(it.html_url())),
        source_url: of(|it| Some(it.source_url.to_owned())),
    }
}
