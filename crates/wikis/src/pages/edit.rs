//! `…/-/wikis/new` and `…/-/wikis/SLUG/edit`: a page is written, changed or deleted.

use super::{EDIT, Head, WikiVisit};
use crate::model::{Format, title_of};
use crate::rules::{self, PageInput};
use crate::tree::{self, Page};
use askama::Template;
use code::line_ends::restored;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{FormPage, Outcome, Typed, answer, show};
use kernel::html::ui::Choice;
use kernel::html::{Errors, Page as Layout, ui};
use kernel::http::{Params, Response, Text};
use repositories::formats::object_id::ObjectId;
use repositories::objects::Objects;
use spaces::access::Purpose;
use store::Tx;

/// Templates that are offered.
const OFFERED: usize = 50;

kernel::choices! {
    #[derive(Default)]
    pub enum Deed {
        #[default]
        Save = "save",
        Remove = "remove",
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct Form {
        pub action: Option<Deed>,
        pub title: Text,
        pub format: Option<Format>,
        pub content: Text,
        pub message: Text,
        /// The file as its writer saw it.
        pub seen: Text,
    }
}

kernel::params! {
    pub struct NewQuery {
        /// What it shall be called.
        pub title: Text,
        /// The slug of a page that it begins with.
        pub template: Text,
    }
}

/// A form about a page, or about one to be.
#[derive(Clone)]
struct EditPage {
    visit: WikiVisit,
    head: Head,
    page: Option<Page>,
    /// What a new page begins with.
    begun: Form,
    templates: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "wiki_edit.html")]
struct EditView {
    page: Layout,
    space_url: String,
    /// Where the form goes, and where one goes who writes nothing.
    url: String,
    back: String,
    is_new: bool,
    can_delete: bool,
    form: Form,
    seen: String,
    /// Somebody else changed it meanwhile: where their changes are.
    changes: Option<String>,
    templates: Vec<(String, String)>,
    errors: Errors,
}

impl EditView {
    fn formats(&self) -> Vec<Choice> {
        let choice = |format: &Format| Choice {
            value: format.to_string(),
            label: format.label().to_owned(),
        };
        Format::ALL.iter().map(choice).collect()
    }

    fn format(&self) -> Format {
        self.form.format.unwrap_or_default()
    }
}

pub async fn ask_new(visit: WikiVisit, query: Params<NewQuery>) -> Result<Response> {
    let app = visit.app.clone();
    let page = EditPage::new(visit, &query.title, &query.template).await?;
    show(&app, page).await
}

pub async fn create(visit: WikiVisit, Params(form): Params<Form>) -> Result<Response> {
    let app = visit.app.clone();
    let page = EditPage::new(visit, "", "").await?;
    let done = page.create(&form).await;
    answer(&app, page, form, done).await
}

pub(super) async fn ask(visit: WikiVisit) -> Result<Response> {
    let app = visit.app.clone();
    show(&app, EditPage::of(visit, Purpose::WriteWiki).await?).await
}

pub async fn change(visit: WikiVisit, Params(form): Params<Form>) -> Result<Response> {
    let slug = visit.slug.strip_suffix(EDIT).ok_or(Error::NotFound(""))?.to_owned();
    let (app, visit) = (visit.app.clone(), WikiVisit { slug, ..visit });
    let purpose = match form.action {
        Some(Deed::Remove) => Purpose::DestroyWikiPage,
        _ => Purpose::WriteWiki,
    };
    let page = EditPage::of(visit, purpose).await?;
    let done = match form.action {
        Some(Deed::Remove) => page.remove().await,
        _ => page.save(&form).await,
    };
    let is_refused = done.is_err();
    let page = match is_refused {
        // It is shown again beside what is there by now.
        true => page.again().await,
        false => page,
    };
    answer(&app, page, form, done).await
}

impl EditPage {
    async fn new(visit: WikiVisit, title: &str, template: &str) -> Result<EditPage> {
        let head = visit.find(Purpose::WriteWiki).await?;
        let mut begun = Form { title: title.to_owned().into(), ..Form::default() };
        let Some(commit) = tree::commit(&visit.app, &head.wiki, None).await? else {
            return Ok(EditPage { visit, head, page: None, begun, templates: Vec::new() });
        };
        let template = template.to_owned();
        let read = move |objects: &Objects| {
            let pages = tree::pages(objects, commit.tree)?;
            let chosen = pages.iter().find(|page| page.is_template() && page.slug == template);
            let chosen = chosen.cloned().map(|page| tree::open(objects, page)).transpose()?;
            Ok((pages, chosen))
        };
        let (pages, chosen) = tree::read(&visit.app, &head.wiki, read).await?;
        if let Some(page) = chosen {
            begun.format = Some(page.file.format);
            begun.content = page.text.into();
        }
        let url = |slug: &str| {
            let slug = code::entity::in_address(slug);
            let title = code::entity::in_address(title);
            format!("{}/new?title={title}&template={slug}", head.wiki.url())
        };
        let templates = pages.iter().filter(|page| page.is_template()).take(OFFERED);
        let templates = templates.map(|page| (page.title(), url(&page.slug))).collect();
        Ok(EditPage { visit, head, page: None, begun, templates })
    }

    async fn of(visit: WikiVisit, purpose: Purpose) -> Result<EditPage> {
        let head = visit.find(purpose).await?;
        let page = visit.page(&head).await?;
        let begun = Form {
            title: page.file.shown_path().into(),
            format: Some(page.file.format),
            content: page.text.clone().into(),
            ..Form::default()
        };
        Ok(EditPage { visit, head, page: Some(page), begun, templates: Vec::new() })
    }

    /// The same as it is by now, if it is there still.
    async fn again(self) -> EditPage {
        let again = EditPage::of(self.visit.clone(), Purpose::WriteWiki).await;
        again.unwrap_or(self)
    }

    async fn create(&self, form: &Form) -> Result<Outcome<EditPage>> {
        let (app, viewer) = (&self.visit.app, &self.visit.viewer);
        let made = rules::create(app, viewer, &self.head.wiki, input(form, "")).await?;
        Outcome::led(self.head.url_of(&made.file.slug), "Page created.")
    }

    async fn save(&self, form: &Form) -> Result<Outcome<EditPage>> {
        let (app, viewer) = (&self.visit.app, &self.visit.viewer);
        let page = self.page.as_ref().ok_or(Error::NotFound("Wiki Page"))?;
        let wished = PageInput {
            // A form without it was written by no page of ours: it changes nothing blindly.
            seen: Some(form.seen.parse().unwrap_or(ObjectId::ZERO)),
            ..input(form, &page.text)
        };
        let changed = rules::update(app, viewer, &self.head.wiki, page, wished).await?;
        Outcome::led(self.head.url_of(&changed.file.slug), "Page saved.")
    }

    async fn remove(&self) -> Result<Outcome<EditPage>> {
        let (app, viewer) = (&self.visit.app, &self.visit.viewer);
        let page = self.page.as_ref().ok_or(Error::NotFound("Wiki Page"))?;
        rules::destroy(app, viewer, &self.head.wiki, &page.file).await?;
        let text = format!("Page {} deleted.", page.title());
        Outcome::led(self.head.wiki.url(), text)
    }

    /// Where the changes are that somebody else made since the page was opened.
    fn changes(&self, form: &Form) -> Option<String> {
        let page = self.page.as_ref()?;
        let seen = form.seen.parse::<ObjectId>().ok()?;
        (seen != page.file.id).then(|| format!("{}/diff", self.head.url_of(&page.file.slug)))
    }
}

/// What a form asks for, where the text was this before.
fn input(form: &Form, before: &str) -> PageInput {
    let message = form.message.trim();
    PageInput {
        title: Some(form.title.trim().to_owned()),
        content: Some(restored(before, &form.content)),
        is_whole: true,
        format: Some(form.format.unwrap_or_default()),
        message: (!message.is_empty()).then(|| message.replace("\r\n", "\n")),
        ..PageInput::default()
    }
}

impl FormPage for EditPage {
    type Form = Form;
    type View = EditView;
    const FIELDS: &'static [&'static str] = &["title", "format", "content", "message"];

    fn page(&self, _: &App) -> Layout {
        let title = match &self.page {
            Some(page) => format!("Edit {}", title_of(&page.file.slug)),
            None => "New page".to_owned(),
        };
        self.visit.layout(&title)
    }

    fn view(&self, _: &mut Tx<'_>, layout: Layout, typed: &Typed<Form>) -> Result<EditView> {
        let wiki_url = self.head.wiki.url();
        let url = self.page.as_ref().map(|page| self.head.url_of(&page.file.slug));
        Ok(EditView {
            page: self.head.below(layout, self.page.as_ref()),
            space_url: self.head.head.url.clone(),
            url: match &url {
                Some(url) => format!("{url}{EDIT}"),
                None => format!("{wiki_url}/new"),
            },
            back: url.unwrap_or(wiki_url),
            is_new: self.page.is_none(),
            can_delete: self.head.can_delete,
            changes: typed.form.as_ref().and_then(|form| self.changes(form)),
            form: typed.form.clone().unwrap_or_else(|| self.begun.clone()),
            seen: self.page.as_ref().map(|page| page.file.id.to_string()).unwrap_or_default(),
            templates: self.templates.clone(),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, _: &mut Tx<'_>, _: &Form) -> Result<Outcome<EditPage>> {
        Err(Error::internal("a page is written outside of a transaction"))
    }

    fn refusal(error: Error) -> Error {
        match error {
            Error::Unprocessable(text) if text.starts_with(rules::CHANGED) => Error::Unprocessable(
                "Somebody else changed this page meanwhile. Your text is below: look at their \
                 changes, and save again to put yours in their place."
                    .into(),
            ),
            Error::Invalid(fields) => {
                let of_title = fields.into_iter().map(|(name, texts)| match name.as_str() {
                    "base" => ("title".to_owned(), texts),
                    _ => (name, texts),
                });
                Error::Invalid(of_title.collect())
            }
            other => other,
        }
    }
}
