//! `…/-/dependencies`: what a project, or those of a group, are made of.

use super::advisories::{self, Vulnerability};
use super::entity::LicenseEntity;
use super::model::{Dependency, List, Needed};
use super::store as rows;
use super::store::lists::{self, Facets, Filter, Sort};
use super::switches;
use ::store::Tx;
use askama::Template;
use askama::filters::HtmlSafe;
use http::Method;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Chip, Choice, Row as FacetRow, Rows as FacetRows, icon};
use kernel::html::{Html, Page, Pages};
use kernel::http::params::one_of;
use kernel::http::{Paging, Params, RequestContext, Response, Routes, Text};
use spaces::access::{Purpose, find_projects};
use spaces::model::Project;
use spaces::pages::{Address, Section, Space, SpaceHead, section};
use std::collections::HashMap;
use std::sync::Arc;

/// Values of one facet that are shown.
const MOST_OF_FACET: i64 = 12;
const SORTS: &[(&str, &str)] = &[
    ("name", "Name"),
    ("severity", "Worst first"),
    ("packager", "Package manager"),
    ("license", "Licence"),
];

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "dependencies", show);
}

kernel::params! {
    pub struct Asked {
        /// A part of their names.
        pub search: Text,
        /// Only under this licence.
        pub license: Text,
        /// Only those that this installs.
        pub packager: Text,
        /// Only those that are needed for this.
        pub category: Text,
        pub sort: Option<String>,
    }
}

/// What the list is narrowed to.
#[derive(Debug, Clone, Default)]
struct Narrowed {
    search: String,
    license: String,
    packager: String,
    category: String,
    sort: String,
}

impl Narrowed {
    fn of(asked: &Asked) -> Result<Narrowed> {
        let text = |text: &Text| text.trim().to_owned();
        Ok(Narrowed {
            search: text(&asked.search),
            license: text(&asked.license),
            packager: text(&asked.packager),
            category: text(&asked.category),
            sort: one_of("sort", asked.sort.as_deref(), SORTS)?.to_owned(),
        })
    }

    fn filter(&self) -> Filter {
        let one = |text: &String| match text.is_empty() {
            true => Vec::new(),
            false => vec![text.clone()],
        };
        Filter {
            search: Some(self.search.clone()).filter(|text| !text.is_empty()),
            licenses: one(&self.license),
            packagers: one(&self.packager),
            categories: Needed::from_text(&self.category).into_iter().collect(),
            ..Filter::default()
        }
    }

    fn order(&self) -> (Sort, bool) {
        let sort = Sort::from_text(&self.sort).unwrap_or_default();
        (sort, sort == Sort::Severity)
    }

    /// The address of the list with these fields in place of its own.
    fn address(&self, url: &str, changed: &[(&str, &str)]) -> String {
        let own = [
            ("search", &self.search),
            ("license", &self.license),
            ("packager", &self.packager),
            ("category", &self.category),
            ("sort", &self.sort),
        ];
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in own {
            let new = changed.iter().find(|(field, _)| *field == name).map(|(_, new)| *new);
            let value = new.unwrap_or(value);
            if !value.is_empty() && (name, value) != ("sort", "name") {
                query.append_pair(name, value);
            }
        }
        match query.finish() {
            query if query.is_empty() => url.to_owned(),
            query => format!("{url}?{query}"),
        }
    }

    fn chips(&self, url: &str) -> Vec<Chip> {
        let of = [
            ("search", &self.search),
            ("license", &self.license),
            ("packager", &self.packager),
            ("category", &self.category),
        ];
        let narrow = of.iter().filter(|(_, value)| !value.is_empty());
        narrow
            .map(|(name, value)| Chip::new(*value, self.address(url, &[(name, "")])))
            .collect()
    }
}

async fn show(
    app: App, viewer: Viewer, request: Arc<RequestContext>, asked: Params<Asked>, paging: Paging,
) -> Result<Response> {
    let address = Address::of(&request)?;
    let narrowed = Narrowed::of(&asked)?;
    let page = identity::pages::page(&app, &viewer, "Dependencies");
    let base_url = app.base_url().to_owned();
    let view = app.read(move |tx| {
        let space = address.authorize(tx, &viewer, Purpose::ReadDependencies)?;
        let head = space.head(tx, &viewer)?;
        let url = format!("{}/-/dependencies", head.url);
        let is_on = match &space {
            Space::Project(project, _) => switches::is_on_for(tx, project)?,
            Space::Group(group, _) => switches::is_on_in(tx, group)?,
        };
        let lists = match &space {
            _ if !is_on => Vec::new(),
            Space::Project(project, _) => rows::current(tx, project.id)?.into_iter().collect(),
            Space::Group(group, _) => lists::below(tx, &viewer, group)?,
        };
        let ids: Vec<i64> = lists.iter().map(|list| list.id).collect();
        let (mut found, total) =
            lists::page(tx, &ids, &narrowed.filter(), narrowed.order(), &paging)?;
        found.truncate(usize::try_from(paging.per_page).unwrap_or(usize::MAX));
        let facets = lists::facets(tx, &ids, MOST_OF_FACET)?;
        Ok(View {
            is_on,
            is_empty: lists.is_empty(),
            rows: shown(tx, &lists, found, head.kind == "Group")?,
            facets: facet_cards(&facets, &narrowed, &url),
            chips: narrowed.chips(&url),
            pages: Pages::of(&paging, total, narrowed.address(&url, &[])),
            curl: curl(&base_url, head.id),
            sorts: Choice::list(SORTS),
            page: head.page(page, Section::Dependencies),
            narrowed,
            head,
            url,
        })
    });
    Ok(Html::new(&view.await?)?.response())
}

/// The lines that send a list, for a shell.
fn curl(base_url: &str, project: i64) -> String {
    format!(
        "curl --header \"PRIVATE-TOKEN: $TOKEN\" --data-binary @bom.json \\\n  \
         {base_url}/api/v4/projects/{project}/sboms"
    )
}

fn facet_cards(facets: &Facets, narrowed: &Narrowed, url: &str) -> Vec<FacetCard> {
    let card = |id, title, field, values: &[(String, i64)]| FacetCard {
        id,
        title,
        rows: values
            .iter()
            .map(|(value, count)| Value {
                name: value.clone(),
                url: narrowed.address(url, &[(field, value)]),
                count: *count,
            })
            .collect(),
    };
    let all = [
        card("licences", "Licences", "license", &facets.licenses),
        card("managers", "Package managers", "packager", &facets.packagers),
        card("categories", "Needed for", "category", &facets.categories),
    ];
    all.into_iter().filter(|card| !card.rows.is_empty()).collect()
}

/// What a list is narrowed to by one click.
struct FacetCard {
    id: &'static str,
    title: &'static str,
    rows: Vec<Value>,
}

struct Value {
    name: String,
    url: String,
    count: i64,
}

impl FacetCard {
    fn shown(&self) -> FacetRows {
        let row = |value: &Value| {
            let count = ui::count(value.count.unsigned_abs(), "dependency");
            FacetRow::new(icon("tag"), &value.name)
                .url(Some(value.url.clone()))
                .about(count)
        };
        ui::rows(self.rows.iter().map(row).collect())
    }
}

/// How a dependency is needed, from the project to itself.
#[derive(Template)]
#[template(path = "ui/dependency_path.html")]
struct NeededPath {
    /// Names and versions.
    steps: Vec<(String, String)>,
}

impl HtmlSafe for NeededPath {}

/// A dependency as the page shows it.
pub struct Row {
    dependency: Dependency,
    project: Project,
    /// The page of its file.
    blob_path: Option<String>,
    licenses: Vec<LicenseEntity>,
    wrong: Vec<Vulnerability>,
    is_of_group: bool,
}

impl Row {
    fn name(&self) -> String {
        self.dependency.full_name()
    }

    /// What leads to it, if that is known.
    fn needed(&self) -> Option<NeededPath> {
        let own = &self.dependency;
        if own.ancestors.0.is_empty() {
            return None;
        }
        let version = |version: &Option<String>| version.clone().unwrap_or_default();
        let above = own.ancestors.0.iter().map(|one| (one.name.clone(), version(&one.version)));
        let root = (self.project.name.clone(), String::new());
        let itself = (self.name(), version(&own.version));
        let steps = std::iter::once(root).chain(above).chain([itself]);
        Some(NeededPath { steps: steps.collect() })
    }

    fn licenses(&self) -> String {
        let text = |one: &LicenseEntity| one.spdx_identifier.clone().unwrap_or(one.name.clone());
        self.licenses.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    fn is_for_production(&self) -> bool {
        self.dependency.category == Needed::Production
    }
}

/// Rows with what the page shows beside them.
fn shown(
    tx: &mut Tx<'_>, lists: &[List], found: Vec<Dependency>, is_of_group: bool,
) -> Result<Vec<Row>> {
    let ids: Vec<i64> = found.iter().map(|one| one.id).collect();
    let of: Vec<i64> = found.iter().map(|one| one.project_id).collect();
    let projects: HashMap<i64, Project> =
        find_projects(tx, &of)?.into_iter().map(|one| (one.id, one)).collect();
    let shas: HashMap<i64, &str> =
        lists.iter().filter_map(|list| Some((list.id, list.sha.as_deref()?))).collect();
    let mut wrong = advisories::of(tx, &ids)?;
    let row = |dependency: Dependency| {
        let project = projects.get(&dependency.project_id)?.clone();
        let sha = shas.get(&dependency.list_id).copied();
        Some(Row {
            blob_path: dependency.blob_path(&project.full_path, sha),
            licenses: LicenseEntity::all(&dependency.licenses.0),
            wrong: wrong.remove(&dependency.id).unwrap_or_default(),
            dependency,
            project,
            is_of_group,
        })
    };
    Ok(found.into_iter().filter_map(row).collect())
}

#[derive(Template)]
#[template(path = "dependencies.html")]
pub struct View {
    page: Page,
    head: SpaceHead,
    url: String,
    narrowed: Narrowed,
    sorts: Vec<Choice>,
    rows: Vec<Row>,
    facets: Vec<FacetCard>,
    chips: Vec<Chip>,
    pages: Pages,
    /// It is switched off nowhere above.
    is_on: bool,
    /// There is no list at all.
    is_empty: bool,
    curl: String,
}

impl View {
    /// A job that brings a list.
    fn job(&self) -> &'static str {
        "sbom:\n  script: cyclonedx-npm --output-file bom.json\n  artifacts:\n    \
         reports:\n      cyclonedx: bom.json"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_keep_what_narrows_the_list() {
        let narrowed = Narrowed {
            search: "a b".into(),
            license: "MIT".into(),
            sort: "name".into(),
            ..Narrowed::default()
        };
        assert_eq!(narrowed.address("/x", &[]), "/x?search=a+b&license=MIT");
        assert_eq!(narrowed.address("/x", &[("license", "")]), "/x?search=a+b");
        let sorted = Narrowed { sort: "severity".into(), ..Narrowed::default() };
        let further = sorted.address("/x", &[("category", "test")]);
        assert_eq!(further, "/x?category=test&sort=severity");
        assert_eq!(narrowed.chips("/x").len(), 2);
    }
}
