//! What comes by git: the code of a project and its wiki, each a repository with all its
//! refs, and the large files that code leads to. What proves who asks is given to git in its
//! environment, and to nobody but the host of the address.

use crate::model::Kind;
use crate::run::{Credentials, Import, Lost, Page, Trouble};
use crate::store as imports;
use jiff::SignedDuration;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use kernel::secrets::Secret;
use repositories::access::{self, Pushing};
use repositories::lfs;
use repositories::mirrors::pull::whole::{self, Brought, Numbered, Origin};
use repositories::model::RepositoryKind;
use repositories::place::Place;
use repositories::protection::Way;
use repositories::store as rows;
use spaces::access::find_project;
use spaces::model::Project;
use std::time::Duration;
use store::Tx;

/// How long an import waits for the turn of others.
const TURN: SignedDuration = SignedDuration::from_secs(10);
/// How often it is looked whether it was given up meanwhile.
const LOOK: Duration = Duration::from_secs(2);
/// As whom tokens are used that come without a name.
const TOKEN_USER: &str = "x-access-token";
const GONE: &str = "Who asked for the import cannot act any more.";
const NO_REPOSITORY: &str = "There is no git repository at this address.";

/// Where a repository comes from.
#[derive(Debug, Clone)]
pub struct Clone {
    /// By http or https. That it is at the host that the credentials are for was looked at.
    pub url: String,
    /// With an empty secret they are none.
    pub credentials: Credentials,
    /// The branch that stands first there, if it is known.
    pub default_branch: Option<String>,
    /// Refs beside branches and tags, a `*` in the place of the number: what they are called
    /// there and here.
    pub refs: Numbered,
}

impl Clone {
    fn origin(&self) -> Origin {
        let Credentials { username, secret } = &self.credentials;
        let named = || {
            let name = username.clone().unwrap_or_else(|| TOKEN_USER.to_owned());
            (name, Secret::new(secret.clone()))
        };
        Origin {
            url: self.url.clone(),
            credentials: (!secret.is_empty()).then(named),
            head: self.default_branch.clone(),
            numbered: self.refs,
        }
    }
}

/// Which repository of a project comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Code,
    Wiki,
}

impl What {
    fn place(self, project: &Project) -> Place {
        match self {
            What::Code => Place::code(project),
            What::Wiki => Place::Content(wikis::access::of_project(project)),
        }
    }

    /// As people read that it failed.
    fn failed(self, text: &str) -> String {
        let what = match self {
            What::Code => "repository",
            What::Wiki => "wiki",
        };
        format!("Failed to import the {what}: {text}")
    }
}

/// Brings the code of a project, or what is new of it. One without any branch is fine.
pub async fn repository(app: &App, import: &Import, from: &Clone) -> Result<(), Trouble> {
    bring(app, import, from, What::Code).await
}

/// Brings the wiki of a project, if there is one.
pub async fn wiki(app: &App, import: &Import, from: &Clone) -> Result<(), Trouble> {
    bring(app, import, from, What::Wiki).await
}

async fn bring(app: &App, import: &Import, from: &Clone, what: What) -> Result<(), Trouble> {
    let (project, user) = (import.project_id, import.user_id);
    let to = match app.write(move |tx| destination(tx, (project, user), what)).await {
        Err(Error::Forbidden(text)) => return Err(Trouble::Away(what.failed(&text))),
        to => to?,
    };
    let to = to.ok_or_else(|| Trouble::Refused(GONE.into()))?;
    let origin = from.origin();
    let came = tokio::select! {
        came = whole::bring(app, &to, &origin) => came?,
        // Nobody waits for what git still does.
        () = given_up(app, import.id) => return Ok(()),
    };
    match came {
        Brought::Whole(None) => Ok(()),
        Brought::Whole(Some(left)) => {
            tracing::info!(import = import.id, left, "an import left some refs");
            Ok(())
        }
        Brought::Busy => Err(Trouble::Wait(app.now() + TURN)),
        Brought::Absent if what == What::Wiki => Ok(()),
        Brought::Absent => Err(Trouble::Refused(what.failed(NO_REPOSITORY))),
        Brought::Away(text) => Err(Trouble::Away(what.failed(&text))),
        Brought::Refused(text) => Err(Trouble::Refused(what.failed(&text))),
    }
}

/// Ends once an import was given up.
async fn given_up(app: &App, id: i64) {
    loop {
        tokio::time::sleep(LOOK).await;
        let is_open = app.read(move |tx| Ok(imports::find(tx, id)?.is_some_and(|it| it.is_open())));
        // What cannot be read now can be later.
        if matches!(is_open.await, Ok(false)) {
            return;
        }
    }
}

/// Where it goes, in the name of who asked for the import; nowhere if they are gone.
///
/// # Errors
///
/// `Forbidden` while the repository is about to lie elsewhere.
fn destination(
    tx: &mut Tx<'_>, (project, user): (i64, i64), what: What,
) -> Result<Option<Pushing>> {
    let project = find_project(tx, &Reference::Id(project))?.found("Project")?;
    let Some(user) = identity::access::active_user(tx, user)? else {
        return Ok(None);
    };
    let viewer = identity::viewer::Viewer::addressed(user);
    let to = access::writing(tx, &viewer, &what.place(&project))?;
    Ok(Some(Pushing { way: Way::Import, ..to }))
}

/// Brings some of the large files that the code leads to and the project lacks.
pub async fn lfs(
    app: &App, import: &Import, from: &Clone, cursor: Option<&str>,
) -> Result<Page, Trouble> {
    let id = import.project_id;
    let code = app
        .read(move |tx| {
            let project = find_project(tx, &Reference::Id(id))?.found("Project")?;
            let code = rows::of_project(tx, id, RepositoryKind::Project)?;
            Ok(code.filter(|_| project.lfs_enabled))
        })
        .await?;
    let Some(code) = code else {
        return Ok(Page::default());
    };
    let origin = from.origin();
    let (url, authorization) = match origin.address() {
        Ok(url) => (url, origin.authorization()),
        Err(text) => return Err(Trouble::Refused(text)),
    };
    let place = lfs::Origin { url: &url, authorization: authorization.as_deref() };
    match lfs::bring_part(app, id, code.id, place, cursor).await? {
        Ok(part) => Ok(page(part)),
        Err(text) => Err(Trouble::Away(text)),
    }
}

fn page(part: lfs::Part) -> Page {
    let lost =
        part.lost
            .into_iter()
            .map(|(key, reason)| Lost { kind: Kind::LfsObject, key, reason });
    Page {
        lost: lost.collect(),
        brought: vec![(Kind::LfsObject, part.brought)],
        next: part.next,
        ..Page::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clone(username: Option<&str>, secret: &str) -> Clone {
        Clone {
            url: "https://git.example/acme/anvil.git".into(),
            credentials: Credentials {
                username: username.map(str::to_owned),
                secret: secret.into(),
            },
            default_branch: Some("main".into()),
            refs: &[("refs/pull/*/head", "refs/merge-requests/*/head")],
        }
    }

    #[test]
    fn a_token_alone_has_a_name_of_its_own_and_nothing_proves_nothing() {
        let named = |from: &Clone| from.origin().credentials.map(|(name, _)| name);
        assert_eq!(named(&clone(None, "t")).as_deref(), Some(TOKEN_USER));
        assert_eq!(named(&clone(Some("ada"), "t")).as_deref(), Some("ada"));
        assert_eq!(named(&clone(Some("ada"), "")), None);
    }

    #[test]
    fn what_is_lost_of_a_part_is_told() {
        let part = lfs::Part {
            brought: 2,
            lost: vec![("ab".into(), "gone".into())],
            next: Some("12".into()),
        };
        let page = page(part);
        assert_eq!(page.brought, [(Kind::LfsObject, 2)]);
        assert_eq!((page.lost[0].key.as_str(), page.lost[0].reason.as_str()), ("ab", "gone"));
        assert_eq!(page.next.as_deref(), Some("12"));
    }
}
