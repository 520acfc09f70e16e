//! What is between two branches, tags or commits: `/-/compare/A...B`.

use super::parts::commit_rows::CommitRows;
use super::parts::diff::{DiffParams, DiffView, Sides};
use super::parts::merge_request_url;
use super::parts::older::Older;
use super::{CodeHead, CodeVisit};
use crate::comparing::Between;
use crate::entity::in_address;
use crate::hooks;
use askama::Template;
use http::Method;
use kernel::error::{Error, Result};
use kernel::html::{Html, Page, ui};
use kernel::http::reply::redirect;
use kernel::http::{Params, Response, Routes, Text};
use repositories::objects::{self, Objects, Revision};
use repositories::store::refs;
use spaces::pages::{PROJECT, Section};
use store::Tx;

/// Commits that are listed.
const MOST_COMMITS: usize = 100;
/// Names of refs that a field suggests.
const SUGGESTED: usize = 500;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &format!("{PROJECT}/-/compare"), begin);
    r.page(Method::GET, &format!("{PROJECT}/-/compare/{{*rest}}"), show);
}

kernel::params! {
    /// What a form asks to be compared.
    #[derive(Default)]
    struct Sought {
        pub from: Text,
        pub to: Text,
        /// With the very `from`, not with what both have in common.
        pub straight: Option<bool>,
    }
}

/// What is compared, by names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Names {
    from: String,
    to: String,
    straight: bool,
}

impl Names {
    /// Reads `main...side` or `main..side`; what is left out is the default branch.
    fn read(text: &str, default: &str) -> Names {
        let named = |name: &str| match name.trim_matches('/') {
            "" => default.to_owned(),
            name => name.to_owned(),
        };
        let (from, to, straight) = match (text.split_once("..."), text.split_once("..")) {
            (Some((from, to)), _) => (from, to, false),
            (None, Some((from, to))) => (from, to, true),
            (None, None) => ("", text, false),
        };
        Names { from: named(from), to: named(to), straight }
    }

    fn url(&self, project_url: &str) -> String {
        let dots = if self.straight { ".." } else { "..." };
        let (from, to) = (in_address(&self.from), in_address(&self.to));
        format!("{project_url}/-/compare/{from}{dots}{to}")
    }
}

#[derive(Template)]
#[template(path = "compare.html")]
struct ComparePage {
    page: Page,
    /// The form.
    url: String,
    names: Names,
    suggested: Vec<String>,
    swapped: String,
    shown: Option<Shown>,
    /// Why there is nothing to be seen.
    wrong: String,
}

/// What is between the two.
struct Shown {
    count: String,
    rows: CommitRows,
    diff: DiffView,
    /// Where a merge request of the two branches is made, for who may.
    merge_url: Option<String>,
}

async fn begin(visit: CodeVisit, sought: Params<Sought>) -> Result<Response> {
    let (head, suggested) = visit.find(suggested).await?;
    let default = default_branch(&head);
    let is_sent = !(sought.from.trim().is_empty() && sought.to.trim().is_empty());
    let named = |text: &str| match text.trim() {
        "" => default.clone(),
        text => text.to_owned(),
    };
    let names = Names {
        from: named(&sought.from),
        to: named(&sought.to),
        straight: sought.straight.unwrap_or(false),
    };
    // Two dots in a name would be taken for those between both: such a name is none.
    let is_named = ![&names.from, &names.to].iter().any(|name| name.contains(".."));
    if is_sent && is_named {
        return redirect(&names.url(head.url()));
    }
    let wrong = if is_sent {
        "There is no such branch, tag or commit."
    } else {
        ""
    };
    let view = view(&visit, &head, names, suggested, None, wrong.to_owned());
    Ok(Html::new(&view)?.refused(is_sent).response())
}

async fn show(visit: CodeVisit, params: Params<DiffParams>) -> Result<Response> {
    let (rest, viewer) = (visit.rest.clone(), visit.viewer.clone());
    let read = move |tx: &mut Tx<'_>, head: &CodeHead| {
        let repository = head.code.repository()?;
        let names = Names::read(&rest, &default_branch(head));
        let mut named = |text: &str| objects::named(tx, repository, text);
        let revisions = (named(&names.from)?, named(&names.to)?);
        let may_merge = hooks::requests_merges(tx, &viewer, &head.code.project)?;
        Ok((names, revisions, suggested(tx, head)?, may_merge))
    };
    let (head, (names, revisions, suggested, may_merge)) = visit.find(read).await?;
    let branches = (branch(revisions.0.as_ref()), branch(revisions.1.as_ref()));
    let missing = |name: &str| format!("There is no branch, tag or commit {name}.");
    let found = match revisions {
        (Some(from), Some(to)) => between(&visit, &head, (from, to), names.straight).await,
        (None, _) => Err(missing(&names.from).into()),
        (_, None) => Err(missing(&names.to).into()),
    };
    let between = match found {
        Ok(between) => between,
        Err(Missing::Ref(text)) => {
            let view = view(&visit, &head, names, suggested, None, text);
            let page = Html::new(&view)?.status(http::StatusCode::NOT_FOUND);
            return Ok(page.response());
        }
        Err(Missing::Other(error)) => return Err(error),
    };
    let url = names.url(head.url());
    let Between { from, to, base, mut commits } = between;
    let has_more = Older::cut(&mut commits, MOST_COMMITS);
    let diff = match from == to {
        true => DiffView::none(&url, &params),
        false => {
            let sides = Sides { old: Some(base), new: to };
            DiffView::read(&visit.app, &head, sides, &url, &params).await?
        }
    };
    let shown = Shown {
        count: format!("{}{}", commits.len(), if has_more { "+" } else { "" }),
        rows: CommitRows::of(&commits, head.url(), visit.app.now(), Older::default())
            .below_heading(),
        diff,
        merge_url: match branches {
            (Some(target), Some(source)) if may_merge && target != source => {
                Some(merge_request_url(head.url(), &source, Some(&target)))
            }
            _ => None,
        },
    };
    let view = view(&visit, &head, names, suggested, Some(shown), String::new());
    Ok(Html::new(&view)?.response())
}

/// The branch that a revision is.
fn branch(revision: Option<&Revision>) -> Option<String> {
    revision?.name()?.as_branch().map(str::to_owned)
}

/// Why two revisions are not compared.
enum Missing {
    Ref(String),
    Other(Error),
}

impl From<String> for Missing {
    fn from(text: String) -> Missing {
        Missing::Ref(text)
    }
}

async fn between(
    visit: &CodeVisit, head: &CodeHead, revisions: (Revision, Revision), straight: bool,
) -> std::result::Result<Between, Missing> {
    let work =
        move |objects: &Objects| Between::read(objects, &revisions, straight, MOST_COMMITS + 1);
    visit.objects(head, work).await.map_err(|error| match error {
        Error::NotFound(_) => Missing::Ref("There is no such commit.".into()),
        other => Missing::Other(other),
    })
}

fn view(
    visit: &CodeVisit, head: &CodeHead, names: Names, suggested: Vec<String>, shown: Option<Shown>,
    wrong: String,
) -> ComparePage {
    let back = Names {
        from: names.to.clone(),
        to: names.from.clone(),
        straight: names.straight,
    };
    let title = match shown.is_some() {
        true => format!("{} and {}", names.from, names.to),
        false => "Compare".to_owned(),
    };
    ComparePage {
        page: head.page(visit.page(&title), Section::Commits),
        url: format!("{}/-/compare", head.url()),
        swapped: back.url(head.url()),
        names,
        suggested,
        shown,
        wrong,
    }
}

fn default_branch(head: &CodeHead) -> String {
    let repository = head.code.repository.as_ref();
    let name = repository.and_then(|repository| repository.head.as_branch());
    name.unwrap_or("main").to_owned()
}

/// The first branches and tags by name.
fn suggested(tx: &mut Tx<'_>, head: &CodeHead) -> Result<Vec<String>> {
    let below = ["refs/heads/".to_owned(), "refs/tags/".to_owned()];
    let found = refs::beginning(tx, head.code.repository()?.id, &below)?;
    let names = found.iter().filter_map(|one| one.name.as_branch().or(one.name.as_tag()));
    Ok(names.take(SUGGESTED).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_names_are_read_from_an_address() {
        for (text, from, to, straight) in [
            ("a...b/c", "a", "b/c", false),
            ("a..b", "a", "b", true),
            ("...b", "main", "b", false),
            ("a...", "a", "main", false),
            ("a", "main", "a", false),
            ("v1.0...v1.1", "v1.0", "v1.1", false),
            ("a....b", "a", ".b", false),
        ] {
            let names = Names::read(text, "main");
            assert_eq!((&*names.from, &*names.to, names.straight), (from, to, straight), "{text}");
        }
        let names = Names { from: "a b".into(), to: "c#".into(), straight: true };
        assert_eq!(names.url("/p"), "/p/-/compare/a%20b..c%23");
    }
}
