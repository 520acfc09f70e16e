//! `/search`, everywhere, in a group, in a project.

use crate::comments::Around;
use crate::limits;
use code::entity::CommitDetail;
use code::search::entity::{BlobEntity, details};
use code::search::places::{self, Wanted};
use code::search::{self, CodeQuery, Part};
use identity::caller::Caller;
use identity::entities::{UserBasic, basic};
use identity::model::User;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::{FromParams, Source};
use kernel::http::{Call, FromCall, Paged, Paging, Params, RequestContext, Routes};
use kernel::ids::Reference;
use kernel::search::{Found, Query};
use planning::access::switches::instance_has_epics;
use planning::entity::epics::{EpicEntity, RelatedToEpics, epic};
use planning::entity::issues::{IssueEntity, RelatedToIssues, issue};
use planning::entity::milestones::{MilestoneEntity, milestone};
use planning::entity::notes::NoteEntity;
use planning::model::epics::Epic;
use planning::model::{Issue, IssueState, Milestone};
use planning::store::notes::Note;
use reviews::entity::{BasicEntity, Related, basic as request_entity};
use reviews::model::{MergeRequest, State};
use schemars::JsonSchema;
use serde::Serialize;
use snippets::entity::SnippetEntity;
use snippets::model::Snippet;
use spaces::entities::ProjectEntity;
use spaces::model::Project;
use spaces::search::Place;
use std::sync::Arc;
use store::Tx;

pub fn routes(r: &mut Routes) {
    for (path, name, summary) in [
        ("/search", "everywhere", "Searches everything that the caller may see"),
        ("/groups/{id}/search", "of_group", "Searches a group"),
        ("/groups/{id}/-/search", "below_group", "Searches a group"),
        ("/projects/{id}/search", "of_project", "Searches a project"),
        ("/projects/{id}/-/search", "below_project", "Searches a project"),
    ] {
        r.get(path, answer).named(name).summary(summary);
    }
}

kernel::choices! {
    /// What is searched. Some things are not here, and are never found.
    pub enum SearchScope {
        Issues = "issues",
        Epics = "epics",
        Projects = "projects",
        MergeRequests = "merge_requests",
        Milestones = "milestones",
        Notes = "notes",
        Users = "users",
        SnippetTitles = "snippet_titles",
        WikiBlobs = "wiki_blobs",
        Commits = "commits",
        Blobs = "blobs",
    }
}

kernel::choices! {
    pub enum SearchState { All = "all", Opened = "opened", Closed = "closed", Merged = "merged" }
}

kernel::choices! {
    pub enum SearchOrder { CreatedAt = "created_at" }
}

kernel::choices! {
    pub enum SearchSort { Asc = "asc", Desc = "desc" }
}

kernel::params! {
    /// What is searched for.
    pub struct Search {
        /// What is searched.
        pub scope: SearchScope,
        /// Words; all must be there, the last may go on.
        pub search: String,
        /// Only issues, merge requests, epics or milestones in this state.
        pub state: Option<SearchState>,
        /// Only confidential issues or epics, or only others.
        pub confidential: Option<bool>,
        /// What to sort by: when things were made.
        pub order_by: Option<SearchOrder>,
        /// Direction; the newest first unless told otherwise.
        pub sort: Option<SearchSort>,
        /// Also of archived projects.
        pub include_archived: Option<bool>,
        /// Branch, tag or commit that code of a project is searched at; its default branch
        /// unless said.
        pub on_ref as "ref": Option<String>,
    }
}

kernel::params! {
    struct PlacePath {
        /// Id or path of the group or project.
        pub id: Reference,
    }
}

/// Where a request searches, as its path names it.
enum PlaceRef {
    Everywhere,
    Group(Reference),
    Project(Reference),
}

impl FromCall for PlaceRef {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let Some(id) = call.path("id") else {
            return Ok(PlaceRef::Everywhere);
        };
        let named = Source::from_iter([("id".to_owned(), id.into())]);
        let id = PlacePath::from_params(&named).map_err(Error::Parameters)?.id;
        Ok(match call.route.path.starts_with("/api/v4/groups/") {
            true => PlaceRef::Group(id),
            false => PlaceRef::Project(id),
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.in_path(PlacePath::fields());
    }
}

impl PlaceRef {
    fn find(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<Place> {
        match self {
            PlaceRef::Everywhere => Ok(Place::Everywhere),
            PlaceRef::Group(id) => Place::of_group(tx, viewer, id),
            PlaceRef::Project(id) => Place::of_project(tx, viewer, id),
        }
    }
}

/// A thing that was found, as lists of its kind show it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SearchEntity {
    Project(Box<ProjectEntity>),
    Issue(Box<IssueEntity>),
    MergeRequest(Box<BasicEntity>),
    Epic(Box<EpicEntity>),
    Milestone(Box<MilestoneEntity>),
    Note(Box<NoteEntity>),
    User(UserBasic),
    Snippet(Box<SnippetEntity>),
    Blob(BlobEntity),
    Commit(Box<CommitDetail>),
}

type Answer = Result<Paged<SearchEntity>>;

async fn answer(
    app: App, viewer: SignedInViewer, place: PlaceRef, Params(asked): Params<Search>,
    paging: Paging, request: Arc<RequestContext>,
) -> Answer {
    let viewer = viewer.viewer();
    limits::count(&app, &viewer, request.peer).await?;
    let by = Caller { app, viewer };
    if matches!(asked.scope, SearchScope::Blobs | SearchScope::Commits) {
        return asked.code(&by, place, paging).await;
    }
    let query = Query::parse(&asked.search)?;
    by.read(move |tx, by| {
        let place = place.find(tx, &by.viewer)?;
        asked.page(tx, by, &place, &query, paging)
    })
    .await
}

impl Search {
    /// A page of what the scopes of code find.
    async fn code(self, by: &Caller, place: PlaceRef, paging: Paging) -> Answer {
        let wanted = Wanted {
            ref_name: self.on_ref.clone(),
            with_archived: self.include_archived == Some(true),
        };
        let searched = by.clone().read(move |tx, by| {
            let place = place.find(tx, &by.viewer)?;
            places::read(tx, &by.viewer, &place, &wanted)
        });
        let (searched, part) = (searched.await?, Part::of(&paging));
        let items = match self.scope {
            SearchScope::Blobs => {
                let query = CodeQuery::parse(&self.search)?;
                let found = search::files(&by.app, &searched, &query, part).await?;
                found.iter().map(|one| SearchEntity::Blob(BlobEntity::of(one))).collect()
            }
            _ => {
                let text = search::message(&self.search)?;
                let found = search::commits(&by.app, &searched, &text, part).await?;
                let details = details(by, &found).await?.into_iter();
                details.map(|one| SearchEntity::Commit(Box::new(one))).collect()
            }
        };
        Ok(Paged::numbered(items, paging, None))
    }

    fn page(
        &self, tx: &mut Tx<'_>, by: &Caller, place: &Place, query: &Query, paging: Paging,
    ) -> Answer {
        self.fits(place)?;
        let ascending = self.sort == Some(SearchSort::Asc);
        let (app, viewer) = (&by.app, &by.viewer);
        Ok(match self.scope {
            SearchScope::Projects => {
                let found = self.kept(spaces::search::projects(tx, viewer, place), place);
                let found = found.of_projects(place.few(tx, viewer)?);
                let columns = Project::COLUMNS;
                let page =
                    found.page(tx, columns, query, ascending, &paging, |it: &Project| it.id)?;
                let shown = spaces::entities::projects(tx, by, &page.items, false, false)?;
                let shown = shown.into_iter().map(|one| SearchEntity::Project(Box::new(one)));
                page.replace(|_| shown.collect())
            }
            SearchScope::Issues => {
                let Some(found) = self.issues(tx, by, place)? else {
                    return Ok(Paged::numbered(Vec::new(), paging, Some(0)));
                };
                let columns = Issue::COLUMNS;
                let page =
                    found.page(tx, columns, query, ascending, &paging, |it: &Issue| it.id)?;
                let scope = planning::search::scope(place);
                let around = RelatedToIssues::read(tx, viewer, &scope, &page.items)?;
                page.map(|row| SearchEntity::Issue(Box::new(issue(app, &row, &around, false))))
            }
            SearchScope::MergeRequests => {
                let found = self.requests(tx, by, place)?;
                let columns = MergeRequest::COLUMNS;
                let id = |it: &MergeRequest| it.id;
                let page = found.page(tx, columns, query, ascending, &paging, id)?;
                let base = reviews::search::base(place);
                let around = Related::read(tx, viewer, base, &page.items)?;
                page.map(|row| {
                    let shown = request_entity(app, &row, &around, false);
                    SearchEntity::MergeRequest(Box::new(shown))
                })
            }
            SearchScope::Epics => {
                let Some(found) = self.epics(tx, by, place)? else {
                    return Ok(Paged::numbered(Vec::new(), paging, Some(0)));
                };
                let columns = Epic::COLUMNS;
                let page = found.page(tx, columns, query, ascending, &paging, |it: &Epic| it.id)?;
                let group = match place {
                    Place::Group(group) => Some(group.id),
                    Place::Everywhere | Place::Project(..) => None,
                };
                let around = RelatedToEpics::read(tx, viewer, group, &page.items)?;
                page.map(|row| SearchEntity::Epic(Box::new(epic(app, &row, &around, false))))
            }
            SearchScope::Milestones => {
                let state = match self.state {
                    Some(SearchState::Opened) => Some("active"),
                    Some(SearchState::Closed) => Some("closed"),
                    _ => None,
                };
                let found = planning::search::milestones(tx, viewer, place, state);
                let columns = Milestone::COLUMNS;
                let found = self.kept(found, place);
                let id = |it: &Milestone| it.id;
                let page = found.page(tx, columns, query, ascending, &paging, id)?;
                page.map(|row| SearchEntity::Milestone(Box::new(milestone(app, &row))))
            }
            SearchScope::Notes => {
                let few = place.few(tx, viewer)?;
                let found = self.kept(planning::search::notes(tx, viewer, place, few)?, place);
                let id = |it: &Note| it.id;
                let page = found.page(tx, "notes.*", query, ascending, &paging, id)?;
                let around = Around::read(tx, &page.items)?;
                page.map(|row| SearchEntity::Note(Box::new(around.entity(app, &row))))
            }
            SearchScope::Users => {
                let found = spaces::search::people(tx, viewer, place);
                let id = |it: &User| it.id;
                let page = found.page(tx, "users.*", query, ascending, &paging, id)?;
                page.map(|user| SearchEntity::User(basic(app, &user)))
            }
            SearchScope::SnippetTitles => {
                let found = self.kept(snippets::search::snippets(tx, viewer, place), place);
                let columns = Snippet::COLUMNS;
                let id = |it: &Snippet| it.id;
                let page = found.page(tx, columns, query, ascending, &paging, id)?;
                let authors = snippets::entity::authors(tx, &page.items)?;
                page.map(|row| {
                    let shown = snippets::entity::snippet(app, &row, &authors);
                    SearchEntity::Snippet(Box::new(shown))
                })
            }
            _ => Paged::numbered(Vec::new(), paging, Some(0)),
        })
    }

    /// Refuses what is not searched in such a place.
    fn fits(&self, place: &Place) -> Result<()> {
        let fits = match place {
            Place::Everywhere => true,
            Place::Group(_) => self.scope != SearchScope::SnippetTitles,
            Place::Project(..) => {
                let elsewhere =
                    [SearchScope::SnippetTitles, SearchScope::Projects, SearchScope::Epics];
                !elsewhere.contains(&self.scope)
            }
        };
        match fits {
            true => Ok(()),
            false => Err(Error::Parameters(vec!["scope does not have a valid value".into()])),
        }
    }

    /// Without archived projects, unless they are asked for or one was named.
    fn kept(&self, mut found: Found, place: &Place) -> Found {
        if self.include_archived != Some(true) && !matches!(place, Place::Project(..)) {
            found.condition.raw(" and projects.archived is not true");
        }
        found
    }

    /// The issues to search; none where the state is one that issues never have.
    fn issues(&self, tx: &mut Tx<'_>, by: &Caller, place: &Place) -> Result<Option<Found>> {
        let Some(state) = self.state_of_issues() else {
            return Ok(None);
        };
        let found = planning::search::issues(tx, &by.viewer, place, state, self.confidential);
        let found = self.kept(found, place).of_projects(place.few(tx, &by.viewer)?);
        Ok(Some(found))
    }

    fn requests(&self, tx: &mut Tx<'_>, by: &Caller, place: &Place) -> Result<Found> {
        let state = match self.state {
            Some(SearchState::Opened) => Some(State::Opened),
            Some(SearchState::Closed) => Some(State::Closed),
            Some(SearchState::Merged) => Some(State::Merged),
            Some(SearchState::All) | None => None,
        };
        let found = reviews::search::merge_requests(tx, &by.viewer, place, state);
        Ok(self.kept(found, place).of_projects(place.few(tx, &by.viewer)?))
    }

    /// The epics to search; none where there are none, or none in such a state.
    fn epics(&self, tx: &mut Tx<'_>, by: &Caller, place: &Place) -> Result<Option<Found>> {
        let Some(state) = self.state_of_issues() else {
            return Ok(None);
        };
        if !instance_has_epics(tx)? {
            return Ok(None);
        }
        Ok(Some(planning::search::epics(tx, &by.viewer, place, state, self.confidential)))
    }

    /// In which state issues and epics are searched; none of one that they never have.
    fn state_of_issues(&self) -> Option<Option<IssueState>> {
        match self.state {
            Some(SearchState::Merged) => None,
            Some(SearchState::Opened) => Some(Some(IssueState::Opened)),
            Some(SearchState::Closed) => Some(Some(IssueState::Closed)),
            _ => Some(None),
        }
    }
}
