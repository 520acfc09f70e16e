//! Pages of snippets: those of people stand at `/-/snippets`, those of projects below
//! their project.

mod edit;
mod lists;
pub mod panels;
mod raw;
mod show;
mod slots;

use crate::access::{self, Home, SnippetAccess};
use crate::rules::Which;
use ::store::Tx;
use http::Method;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::http::call::{Call, FromCall};
use kernel::http::{Response, Routes, reply};
use kernel::ids::Reference;
use spaces::access::Purpose;
use spaces::pages::{Address, PROJECT, Section};

/// Where the snippets of people are.
pub const OWN: &str = "/-/snippets";
/// Where they were once.
const OLD: &str = "/snippets";
/// Largest form, in bytes: some files.
const MAX_FORM: usize = 16 * 1024 * 1024;

pub fn routes(r: &mut Routes) {
    lists::routes(r);
    r.page(Method::GET, OLD, to_list);
    r.page(Method::GET, &format!("{OLD}/{{old_id}}"), to_one);
    for base in [OWN.to_owned(), format!("{PROJECT}/-/snippets")] {
        let one = format!("{base}/{{snippet_id}}");
        edit::routes(r, &base, &one);
        show::routes(r, &one);
        raw::routes(r, &one);
    }
}

async fn to_list() -> Result<Response> {
    reply::redirect(OWN)
}

kernel::params! {
    struct OldPath {
        /// Id of the snippet.
        pub old_id: i64,
    }
}

async fn to_one(path: kernel::http::Params<OldPath>) -> Result<Response> {
    reply::redirect(&format!("{OWN}/{}", path.old_id))
}

/// Who looks at which snippet, or at those of which project.
#[derive(Clone)]
struct SnippetVisit {
    app: App,
    viewer: Viewer,
    /// The project of the address; of people's snippets none.
    address: Option<Address>,
    /// The snippet; 0, which none has, on pages of none.
    id: i64,
}

impl FromCall for SnippetVisit {
    async fn from_call(call: &mut Call) -> Result<SnippetVisit> {
        let is_own = call.route.path.starts_with(OWN);
        let id = match call.path("snippet_id") {
            Some(text) => text.parse().map_err(|_| Error::NotFound(access::THING))?,
            None => 0,
        };
        Ok(SnippetVisit {
            app: call.app.clone(),
            viewer: Viewer::from_call(call).await?,
            address: if is_own {
                None
            } else {
                Some(Address::of(&call.request)?)
            },
            id,
        })
    }
}

impl SnippetVisit {
    /// The project of the address.
    fn project(&self) -> Option<&Reference> {
        self.address.as_ref().map(|address| &address.reference)
    }

    /// Which snippet that is. A page says itself where a snippet stands that is elsewhere.
    fn which(&self) -> Which {
        Which::any(self.id)
    }

    /// The snippet, for who sees it.
    async fn find(&self) -> Result<SnippetAccess> {
        let visit = self.clone();
        let find = move |tx: &mut Tx<'_>| visit.which().find(tx, &visit.viewer);
        self.app.read(find).await
    }

    /// Whether the address is another than that of the snippet.
    fn is_elsewhere(&self, found: &SnippetAccess) -> bool {
        match (&self.address, &found.home) {
            (None, Home::Person { .. }) => false,
            (Some(address), Home::Project(project, _)) => !address.names(&project.full_path),
            _ => true,
        }
    }

    fn layout(&self, title: &str) -> Page {
        identity::pages::page(&self.app, &self.viewer, title)
    }
}

/// A page below the snippets of a project or of people.
fn below(tx: &mut Tx<'_>, viewer: &Viewer, home: &Home, page: Page) -> Result<Page> {
    match home {
        Home::Project(project, level) => {
            let space = spaces::pages::Space::Project((**project).clone(), *level);
            Ok(space.head(tx, viewer)?.page_below(page, Section::Snippets))
        }
        Home::Person { .. } => Ok(page.crumb("Snippets", OWN)),
    }
}

/// Where a project of an address has its snippets, for who makes one there.
fn maker_home(tx: &mut Tx<'_>, visit: &SnippetVisit) -> Result<Home> {
    match &visit.address {
        Some(address) => {
            let space = address.authorize(tx, &visit.viewer, Purpose::CreateSnippet)?;
            Ok(Home::Project(Box::new(space.project()?.clone()), space.level()))
        }
        None => {
            access::to_create(tx, &visit.viewer, None)?;
            Ok(Home::Person { is_own: true })
        }
    }
}
