//! `…/-/epics/<number>`: one epic.

use super::forms::{Asked, EpicForms};
use super::linked;
use super::reader::Reader;
use super::tree::{self, TreePage};
use super::views::EpicView;
use super::{desk, find};
use crate::access::Desk;
use crate::model::epics::Epic;
use crate::pages::boxes::Tickable;
use crate::pages::notes::{NotePage, Person};
use crate::pages::talk::{ENTRIES, StoryReader, TalkForms, TalkView, Writing};
use crate::rules::comments::Talk;
use crate::rules::epics::places::is_subscribed;
use crate::rules::epics::requests::may_destroy;
use crate::rules::references::Links;
use crate::store::awards::{self, Awardable};
use crate::store::epics::{self as rows, tree as lines};
use crate::store::threads::Resolves;
use identity::entities::load_basic;
use identity::pages::challenge::Challenge;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Moment, Page, Pages};
use kernel::http::{Flat, Paging, Params, Response};
use spaces::access::Purpose;
use spaces::pages::{Address, Section};
use store::Tx;

kernel::params! {
    pub struct OneEpic {
        pub epic_iid: i64,
        pub asked: Flat<Asked>,
    }
}

pub async fn show(
    app: App, viewer: Viewer, address: Address, Params(path): Params<OneEpic>, paging: Paging,
) -> Result<Response> {
    let asked = path.asked.0;
    let talk = TalkForms::untyped(&asked.story);
    let typed = EpicForms { talk, ..EpicForms::default() };
    render(&app, viewer, address, (path.epic_iid, asked), paging, typed).await
}

pub async fn render(
    app: &App, viewer: Viewer, address: Address, (iid, asked): (i64, Asked), paging: Paging,
    typed: EpicForms,
) -> Result<Response> {
    let refusal = &typed.talk.refusal;
    let status = refusal.status();
    let shown = refusal.page(app, &viewer, "Epic");
    let challenge = refusal.challenge.clone();
    let paging = Paging { per_page: ENTRIES, ..paging };
    let view = kernel::markup::read(app, move |tx| {
        let (space, desk) = desk(tx, &viewer, &address, Purpose::Read)?;
        let epic = find(tx, &desk, iid)?;
        let head = space.head(tx, &viewer)?;
        let page = head.page_below(shown.clone(), Section::Epics);
        let reader = Reader { viewer: &viewer, desk: &desk, epic: &epic };
        let page = reader.titled(tx, page)?;
        reader.read(tx, page, &asked, &paging, &typed)
    })
    .await?;
    let html = Challenge::allow(challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}

impl Reader<'_> {
    /// The page with its name, below those of the epics above it. Above a hidden one
    /// none is named: only that one leads there.
    fn titled(&self, tx: &mut Tx<'_>, mut page: Page) -> Result<Page> {
        let mut line = lines::line(tx, self.epic.id)?;
        line.retain(|id| *id != self.epic.id);
        let seen = rows::visible_by_ids(tx, self.viewer, &line)?;
        let find = |id: &i64| seen.iter().find(|one| one.id == *id);
        let above: Vec<&Epic> = line.iter().map_while(find).collect();
        for one in above.into_iter().rev() {
            page = page.crumb(&one.title, one.path());
        }
        page.title = format!("{} ({})", self.epic.title, self.epic.reference());
        Ok(page)
    }

    fn read(
        &self, tx: &mut Tx<'_>, page: Page, asked: &Asked, paging: &Paging, typed: &EpicForms,
    ) -> Result<EpicView> {
        let (epic, now) = (self.epic, tx.now());
        let url = epic.path();
        let all = asked.all.unwrap_or(false);
        let around = TreePage { url: &url, csrf: &page.csrf, all };
        let (below, progress) = tree::read(tx, self, around)?;
        let side = self.fields(tx, &below, typed.field.as_ref())?;
        let linked = linked::read(tx, self)?;
        let is_blocked = epic.is_open() && linked.is_blocked();
        let writing = self.writing(is_blocked);
        let talk = self.talk(tx, (&url, &page.csrf), asked, paging, (typed, writing))?;
        let people: Vec<i64> = epic.author_id.into_iter().collect();
        let people = load_basic(tx, &people)?;
        Ok(EpicView {
            description: self.description(tx, &url, &page.csrf)?,
            author: Person::of(epic.author_id.and_then(|id| people.get(&id))),
            created_at: Moment::new(epic.created_at, now),
            closed_at: Moment::maybe(epic.closed_at, now),
            upvoted: match self.viewer.user_id() {
                Some(user) => {
                    awards::of_user(tx, Awardable::Epic(epic.id), user, "thumbsup")?.is_some()
                }
                None => false,
            },
            subscribed: match self.viewer.user_id() {
                Some(user) => is_subscribed(tx, user, epic)?,
                None => false,
            },
            is_signed_in: self.viewer.user_id().is_some(),
            may_edit: self.may_edit(),
            may_link: self.viewer.user_id().is_some() && self.desk.is_member(),
            may_hide: self.may_edit() && self.desk.is_reporter(),
            may_destroy: may_destroy(self.desk),
            is_part: asked.story.is_part(),
            is_blocked,
            adding: typed.below.clone().unwrap_or_default(),
            linking: typed.link.clone().unwrap_or_default(),
            errors: typed.talk.refusal.errors.clone(),
            list: format!("/groups/{}/-/epics", epic.group_path),
            epic: epic.clone(),
            below,
            progress,
            side,
            linked,
            talk,
            page,
            url,
        })
    }

    fn description(&self, tx: &mut Tx<'_>, url: &str, csrf: &str) -> Result<String> {
        let links = Links::find(tx, self.viewer, "", Desk::from(self.desk), [self.epic.text()])?;
        let text = Tickable {
            text: self.epic.text(),
            id: "d-",
            action: self.may_edit().then(|| format!("{url}/tasks")),
            csrf,
            page: 1,
        };
        Ok(text.html(&links))
    }

    fn writing(&self, is_blocked: bool) -> Writing {
        let state = match self.epic.is_open() {
            true => ("close", "Comment and close"),
            false => ("reopen", "Comment and reopen"),
        };
        let is_signed_in = self.viewer.user_id().is_some();
        Writing {
            is_signed_in,
            may_write: is_signed_in,
            may_write_inside: self.desk.is_reporter(),
            is_locked: false,
            // Closing it asks first then.
            state: (self.may_edit() && !is_blocked).then_some(state),
            hint: "Markdown. Lines such as /close are carried out.",
        }
    }

    /// What was said and what became of it.
    fn talk(
        &self, tx: &mut Tx<'_>, (url, csrf): (&str, &str), asked: &Asked, paging: &Paging,
        (typed, writing): (&EpicForms, Writing),
    ) -> Result<TalkView> {
        let around = NotePage {
            viewer: self.viewer,
            desk: self.desk.into(),
            url,
            here: &asked.story.here(url),
            csrf,
            page: Pages::of(paging, 0, String::new()).page,
            writes: writing.is_signed_in,
            may_answer: writing.may_write,
            resolves: Resolves::None,
            open: &typed.talk.open,
        };
        let timeline = Talk::new(self.viewer, self.desk, self.epic).timeline(tx);
        let story = StoryReader { timeline, around: &around, noun: "epic" };
        let (story, total) = story.story(tx, &asked.story, paging)?;
        let said = (story, Pages::of(paging, total, asked.story.list(url)));
        let talk = TalkView::new((url, csrf), writing, said, &typed.talk);
        Ok(talk.part(asked.story.is_part()))
    }
}
