//! Who wrote a history, drawn by weeks: `/-/graphs/REF`.

use super::CodeVisit;
use super::opened::Opening;
use super::parts::RefMenu;
use super::parts::commit_rows::name;
use crate::access;
use crate::contributions::{Contributions, Contributor, MOST_COMMITS};
use crate::visible::visible;
use askama::Template;
use http::Method;
use kernel::error::Result;
use kernel::html::{Html, Page, ui};
use kernel::http::{Response, Routes};
use repositories::objects::Objects;
use spaces::pages::{PROJECT, Section};
use std::sync::Arc;

pub fn routes(r: &mut Routes) {
    for rest in ["", "/", "/{*rest}"] {
        r.page(Method::GET, &format!("{PROJECT}/-/graphs{rest}"), show);
    }
}

#[derive(Template)]
#[template(path = "graphs.html")]
struct GraphsPage {
    page: Page,
    refs: RefMenu,
    all: Arc<Contributions>,
}

impl GraphsPage {
    fn most(&self) -> usize {
        MOST_COMMITS
    }

    fn name(&self, person: &Contributor) -> String {
        name(&person.name)
    }

    fn email(&self, person: &Contributor) -> String {
        visible(&person.email).into_owned()
    }

    fn chart(&self) -> ui::Bars {
        ui::bars("Commits by week", &self.all.weeks()).zone("UTC")
    }

    fn line(&self, person: &Contributor) -> ui::Sparkline {
        let title = format!("Commits of {} by week", self.name(person));
        ui::sparkline(title, &self.all.weeks_of(person))
    }
}

async fn show(visit: CodeVisit) -> Result<Response> {
    let at = match Opening::find(&visit, "graphs").await? {
        Opening::At(at) => at,
        Opening::Elsewhere(response) => return Ok(response),
    };
    let revision = at.spot.revision.clone();
    let tip = move |objects: &Objects| access::commit(objects, &revision, "Tree");
    let commit = visit.objects(&at.head, tip).await?;
    let view = GraphsPage {
        all: Contributions::of(&visit.app, at.repository()?, commit.id).await?,
        page: at.head.page(visit.page("Contributors"), Section::Commits),
        refs: at.refs,
    };
    Ok(Html::new(&view)?.response())
}
