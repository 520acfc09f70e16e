//! Finding a project and its repository for who reads code.
//!
//! A handler takes a [`CodeRequest`] and asks it:
//!
//! ```ignore
//! async fn list(at: CodeRequest) -> Result<Ok200<Vec<String>>> {
//!     let found = at.find(|tx, found| more(tx, found)).await?;  // one transaction
//!     …
//! }
//! ```
//!
//! What cannot be seen is `404 Project Not Found`, code that may not be read is 403, and
//! who needs a repository where there is none yet says [`Code::repository`].

use identity::Caller;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::call::{Call, FromCall};
use kernel::http::openapi::Operation;
use kernel::http::params::FromParams;
use kernel::ids::Reference;
use repositories::formats::ref_name::RefName;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects::{self, Commit, Objects, Revision};
use spaces::access::{self, Purpose};
use spaces::model::Project;
use std::ops::Deref;
use store::Tx;

/// Scopes of tokens that code is read with.
pub const SCOPES: &[&str] = &["api", "read_api", "read_repository"];

/// A project whose code the viewer may read. One that nothing was written into has no
/// repository.
#[derive(Debug, Clone)]
pub struct Code {
    pub project: Project,
    pub repository: Option<Repository>,
}

/// The project, for who may read its code.
///
/// # Errors
///
/// `NotFound`, `Forbidden` or `Moved`, as [`access::project`] has them.
pub fn find(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Code> {
    let project = access::project(tx, viewer, reference, Purpose::DownloadCode)?;
    let repository = repositories::store::of_project(tx, project.id, RepositoryKind::Project)?;
    Ok(Code { project, repository })
}

impl Code {
    /// The repository, or `404 Repository Not Found`.
    pub fn repository(&self) -> Result<&Repository> {
        self.repository.as_ref().found("Repository")
    }

    /// The ref that HEAD stands for.
    pub fn head(&self) -> Result<&RefName> {
        Ok(&self.repository()?.head)
    }

    /// What a text of the viewer's stands for; without one, HEAD. Not found is a thing of
    /// this kind.
    pub fn revision(
        &self, tx: &mut Tx<'_>, text: Option<&str>, thing: &'static str,
    ) -> Result<Revision> {
        let repository = self.repository.as_ref().found(thing)?;
        let text = text.filter(|text| !text.is_empty()).unwrap_or("HEAD");
        objects::named(tx, repository, text)?.found(thing)
    }

    /// Where the project is seen.
    pub fn web_url(&self, base_url: &str) -> String {
        self.project.web_url(base_url)
    }
}

/// The commit that a revision stands for, or that there is no such thing.
pub fn commit(objects: &Objects, at: &Revision, thing: &'static str) -> Result<Commit> {
    objects.commit_at(at)?.found(thing)
}

/// A request about the code of a project, and who asks.
#[derive(Clone)]
pub struct CodeRequest {
    pub caller: Caller,
    pub reference: Reference,
}

impl Deref for CodeRequest {
    type Target = Caller;
    fn deref(&self) -> &Caller {
        &self.caller
    }
}

kernel::params! {
    /// Which project.
    struct OfProject {
        /// Id or path of the project.
        pub id: Reference,
    }
}

impl FromCall for CodeRequest {
    async fn from_call(call: &mut Call) -> Result<CodeRequest> {
        let caller = Caller::from_call(call).await?;
        let id = call.path("id").unwrap_or_default();
        let source = [("id".to_owned(), id.into())].into_iter().collect();
        let reference = OfProject::from_params(&source).map_err(Error::Parameters)?.id;
        Ok(CodeRequest { caller, reference })
    }

    fn describe(operation: &mut Operation<'_>) {
        Caller::describe(operation);
        operation.in_path(OfProject::fields());
    }
}

impl CodeRequest {
    /// Finds the project for reading code and reads more of it, in one transaction.
    pub async fn find<T, F>(&self, work: F) -> Result<(Code, T)>
    where
        F: FnOnce(&mut Tx<'_>, &Code) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let (viewer, reference) = (self.viewer.clone(), self.reference.clone());
        self.app
            .read(move |tx| {
                let code = find(tx, &viewer, &reference)?;
                let more = work(tx, &code)?;
                Ok((code, more))
            })
            .await
    }

    /// The same, with a revision; without a text, HEAD.
    pub async fn at(&self, text: Option<&str>, thing: &'static str) -> Result<(Code, Revision)> {
        let text = text.map(str::to_owned);
        self.find(move |tx, code| code.revision(tx, text.as_deref(), thing)).await
    }

    /// Reads objects of the repository, if there is one.
    pub async fn objects<T: Send + 'static>(
        &self, code: &Code, work: impl Fn(&Objects) -> Result<T> + Send + Sync + 'static,
    ) -> Result<T> {
        objects::read(&self.app, code.repository()?, work).await
    }
}
