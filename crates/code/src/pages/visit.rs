//! Who looks at which project's code, by the address of a page.

use super::parts::pipelines;
use super::spot::{RefKind, Spot};
use crate::access::Code;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::ui::StateDot;
use kernel::http::call::{Call, FromCall};
use repositories::formats::object_id::ObjectId;
use repositories::model::RepositoryKind;
use repositories::objects::{self, Commit, Objects};
use signatures::checking;
use signatures::pages::SignatureBadge;
use spaces::access::Purpose;
use spaces::pages::{Address, Section, Space, SpaceHead};
use spaces::references::{self, FindNamed, TextOf};
use store::Tx;

/// A look at the code of a project: somebody signed in, or a stranger where code is
/// public.
#[derive(Clone)]
pub struct CodeVisit {
    pub app: App,
    pub viewer: Viewer,
    pub address: Address,
    /// What follows the name of the page: a ref and a path.
    pub rest: String,
    /// What `ref_type` says.
    pub kind: Option<RefKind>,
    /// What a menu of refs is searched for.
    pub refs: Option<String>,
    /// What stands behind the question mark, as it was sent.
    pub query: String,
}

/// What each page of code says of its project.
#[derive(Debug, Clone)]
pub struct CodeHead {
    pub space: Space,
    pub head: SpaceHead,
    pub code: Code,
    /// The viewer may push to some branch.
    pub can_push: bool,
}

impl FromCall for CodeVisit {
    async fn from_call(call: &mut Call) -> Result<CodeVisit> {
        Ok(CodeVisit {
            app: call.app.clone(),
            viewer: Viewer::from_call(call).await?,
            address: Address::of(&call.request)?,
            rest: call.path("rest").unwrap_or_default().to_owned(),
            kind: call.query("ref_type").and_then(RefKind::of),
            refs: call.query("refs").map(str::to_owned),
            query: call.request.uri.query().unwrap_or_default().to_owned(),
        })
    }
}

impl CodeVisit {
    /// The page without its content, to be put below a section by
    /// [`CodeHead::page`].
    pub fn page(&self, title: &str) -> Page {
        page(&self.app, &self.viewer, title)
    }

    /// Finds the project for reading its code.
    ///
    /// # Errors
    ///
    /// As [`spaces::access::project`] has them; groups have no code.
    pub fn authorize(&self, tx: &mut Tx<'_>) -> Result<CodeHead> {
        let space = self.address.authorize(tx, &self.viewer, Purpose::DownloadCode)?;
        let project = space.project()?.clone();
        let repository = repositories::store::of_project(tx, project.id, RepositoryKind::Project)?;
        Ok(CodeHead {
            head: space.head(tx, &self.viewer)?,
            can_push: spaces::access::may(tx, &self.viewer, &project, Purpose::PushCode)?,
            code: Code { project, repository },
            space,
        })
    }

    /// Finds the project and reads more of it, in one transaction.
    pub async fn find<T, F>(&self, work: F) -> Result<(CodeHead, T)>
    where
        F: FnOnce(&mut Tx<'_>, &CodeHead) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let visit = self.clone();
        let read = move |tx: &mut Tx<'_>| {
            let head = visit.authorize(tx)?;
            let more = work(tx, &head)?;
            Ok((head, more))
        };
        self.app.read(read).await
    }

    /// The project, and the ref and path that the address names.
    ///
    /// # Errors
    ///
    /// `NotFound` without a repository or such a ref, besides those of
    /// [`CodeVisit::authorize`].
    pub async fn spot(&self) -> Result<(CodeHead, Spot)> {
        let (rest, kind) = (self.rest.clone(), self.kind);
        self.find(move |tx, head| {
            let spot = Spot::read(tx, head.code.repository()?, &rest, kind)?;
            spot.ok_or(Error::NotFound("Tree"))
        })
        .await
    }

    /// What pages say of the signatures of commits, one for one.
    pub async fn signatures(
        &self, head: &CodeHead, commits: &[Commit],
    ) -> Result<Vec<Option<SignatureBadge>>> {
        let checked = checking::of_commits(&self.app, head.code.repository()?, commits).await?;
        Ok(checked.iter().map(|one| one.as_ref().map(SignatureBadge::of)).collect())
    }

    /// What a text of the project names, as far as the viewer sees it.
    pub async fn named(&self, head: &CodeHead, text: String) -> Result<FindNamed> {
        let (viewer, project) = (self.viewer.clone(), head.code.project.clone());
        let read = move |tx: &mut Tx<'_>| {
            references::named(tx, &viewer, TextOf::Project(&project), &[text.as_str()])
        };
        self.app.read(read).await
    }

    /// How far the newest pipelines of commits are, one for one.
    pub async fn pipelines(
        &self, head: &CodeHead, commits: &[ObjectId],
    ) -> Result<Vec<Option<StateDot>>> {
        let place = (&head.code.project, head.url());
        pipelines::of_commits(&self.app, &self.viewer, place, commits).await
    }

    /// Reads objects of the repository.
    pub async fn objects<T: Send + 'static>(
        &self, head: &CodeHead, work: impl Fn(&Objects) -> Result<T> + Send + Sync + 'static,
    ) -> Result<T> {
        objects::read(&self.app, head.code.repository()?, work).await
    }
}

impl CodeHead {
    /// The address of the project without a trailing slash.
    pub fn url(&self) -> &str {
        &self.head.url
    }

    /// Puts a page below one of the navigation.
    pub fn page(&self, page: Page, section: Section) -> Page {
        self.head.page_below(page, section)
    }
}
