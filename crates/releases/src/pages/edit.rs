//! `…/-/releases/TAG/edit`: a release and its links are changed, or it is deleted.

use super::form::{self, FIELDS, LinkTexts, ReleaseTexts};
use super::views::Edit;
use super::{Here, OneRelease, below};
use crate::access::found;
use crate::model::Release;
use crate::related::Related;
use crate::rules::{self, evidence, links};
use crate::store as rows;
use http::Method;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{FormPage, Outcome, Typed, show, submit};
use kernel::http::{Flat, Params, Response, Routes};
use spaces::pages::{Section, Visit};
use store::Tx;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("/{tag_name}/edit"), ask);
    r.page(Method::POST, &below("/{tag_name}/edit"), change);
}

kernel::choices! {
    pub enum Action {
        Update = "update",
        Remove = "remove",
        AddLink = "add_link",
        RemoveLink = "remove_link",
        Collect = "collect",
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        pub texts: Flat<ReleaseTexts>,
        pub link: Flat<LinkTexts>,
        pub link_id: Option<i64>,
    }
}

#[derive(Clone)]
struct EditPage {
    visit: Visit,
    tag: String,
}

async fn ask(app: App, visit: Visit, asked: Params<OneRelease>) -> Result<Response> {
    show(&app, EditPage { visit, tag: asked.0.tag_name }).await
}

async fn change(
    app: App, visit: Visit, asked: Params<OneRelease>, Params(form): Params<Form>,
) -> Result<Response> {
    submit(&app, EditPage { visit, tag: asked.0.tag_name }, form).await
}

impl EditPage {
    fn find(&self, tx: &mut Tx<'_>) -> Result<(Here, Release)> {
        let here = Here::to_write(tx, &self.visit.viewer, &self.visit.address)?;
        let release = found(rows::find(tx, here.releases.project.id, &self.tag)?)?;
        Ok((here, release))
    }
}

impl FormPage for EditPage {
    type Form = Form;
    type View = Edit;
    const FIELDS: &'static [&'static str] = FIELDS;

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Edit release")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<Edit> {
        let (here, release) = self.find(tx)?;
        let all = [release];
        let related = Related::load(tx, &self.visit.viewer, &all)?;
        let release = &all[0];
        let typed_form =
            |action: &[Action]| typed.form.as_ref().filter(|form| action.contains(&form.action));
        let texts = typed_form(&[Action::Update]).map(|form| form.texts.0.clone());
        let link = typed_form(&[Action::AddLink]).map(|form| form.link.0.clone());
        let url = format!("{}{}", here.head.url, release.path());
        let page = here.head.page_below(page, Section::Releases);
        Ok(Edit {
            page: page.crumb(release.name(), &url),
            tag: release.tag.clone(),
            can_delete: here.releases.may_delete(),
            form: texts.unwrap_or_else(|| ReleaseTexts::stored(&here.releases, release, &related)),
            link: link.unwrap_or_default(),
            links: related.links(release).into_iter().cloned().collect(),
            errors: typed.errors.clone(),
            url,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<EditPage>> {
        let (here, release) = self.find(tx)?;
        let (viewer, reference) = (&self.visit.viewer, here.space.reference());
        let of = (&reference, self.tag.as_str());
        let url = format!("{}{}", here.head.url, release.path());
        let edit = format!("{url}/edit");
        match form.action {
            Action::Update => {
                let change = form.texts.change(release.released_at)?;
                rules::update(tx, viewer, &reference, &self.tag, &change)?;
                Outcome::led(url, "Release changed.")
            }
            Action::Remove => {
                rules::destroy(tx, viewer, &reference, &self.tag)?;
                Outcome::led(here.url(), "Release deleted. Its tag is still there.")
            }
            Action::AddLink => {
                let made = links::create(tx, viewer, of, &form.link.input());
                made.map_err(LinkTexts::refusal)?;
                Outcome::led(edit, "Link added.")
            }
            Action::RemoveLink => {
                links::destroy(tx, viewer, of, form.link_id.unwrap_or_default())?;
                Outcome::led(edit, "Link removed.")
            }
            Action::Collect => {
                evidence::ask_for(tx, viewer, &reference, &self.tag)?;
                Outcome::led(url, "Evidence collected.")
            }
        }
    }

    fn refusal(error: Error) -> Error {
        form::refusal(error)
    }
}
