//! What people say about something on its own page: comments, answers, changes,
//! threads and boxes, alike for issues, epics and things of rooms above.

mod forms;
mod story;
mod view;

use super::boxes::BoxForm;
use super::notes::{Open, StoryQuery};
use crate::guarded::{NoteablePath, Writer};
use crate::rules::issues::StateEvent;
use crate::store::issues::timeline::EventRows;
use crate::store::notes::Noteable;
use http::Method;
use identity::pages::refusal::Refusal;
use identity::spam::Guarded;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::params::Text;
use kernel::http::{Call, FromCall, Paging, Params, Response, Routes};
use spaces::pages::Visit;
use std::future::{Future, ready};
use store::Tx;

pub use story::StoryReader;
pub use view::{TalkView, Writing};

/// Entries of a page.
pub const ENTRIES: i64 = 50;
/// Where the description stands on the page.
pub const DESCRIPTION: &str = "description";

kernel::params! {
    struct NumberPath {
        pub issue_iid: Option<i64>,
        pub epic_iid: Option<i64>,
        pub merge_request_iid: Option<i64>,
    }
}

/// Somebody signed in at the page of something that has a number.
#[derive(Clone)]
pub struct Numbered {
    pub visit: Visit,
    pub iid: i64,
    pub paging: Paging,
}

impl FromCall for Numbered {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let Params(path) = Params::<NumberPath>::from_call(call).await?;
        Ok(Numbered {
            visit: Visit::from_call(call).await?,
            iid: path.issue_iid.or(path.epic_iid).or(path.merge_request_iid).found("")?,
            paging: Paging::from_call(call).await?,
        })
    }
}

/// The page of something, for somebody signed in.
pub trait TalkPage: FromCall + Clone + Send + Sync + 'static {
    type Spot: NoteablePath;
    /// What became of it, where it is a thing of a room above.
    const EVENTS: Option<EventRows> = None;

    fn viewer(&self) -> &Viewer;

    /// Which page of what was said.
    fn paging(&self) -> &Paging;

    /// Finds it, for who sees it.
    fn here(&self, tx: &mut Tx<'_>) -> Result<Here<Self::Spot>>;

    /// Ticks a box of its description; there is none to tick unless it says so.
    fn tick(&self, _: &mut Tx<'_>, _: &BoxForm) -> Result<()> {
        Err(Error::NotFound(""))
    }

    /// Closes it, or opens it again; it is never closed unless it says so.
    fn change_state(
        &self, _: &App, _: Writer, _: Self::Spot, _: StateEvent,
    ) -> impl Future<Output = Result<Guarded<()>>> + Send {
        ready(Err(Error::NotFound("")))
    }

    /// The page with a form that was refused.
    fn again(self, app: &App, typed: TalkForms) -> impl Future<Output = Result<Response>> + Send;
}

/// Where notes about something are written.
pub struct Here<S> {
    pub spot: S,
    /// Address of its page.
    pub url: String,
    pub noteable: Noteable,
    /// The viewer sees what is internal.
    pub is_reporter: bool,
}

/// What was typed on a page and refused, or is open there.
#[derive(Default)]
pub struct TalkForms {
    pub draft: Draft,
    pub open: Open,
    pub refusal: Refusal,
}

impl TalkForms {
    /// Nothing was typed yet.
    pub fn untyped(asked: &StoryQuery) -> TalkForms {
        TalkForms { open: Open::of(asked), ..TalkForms::default() }
    }
}

kernel::params! {
    /// A note as it is typed.
    #[derive(Default)]
    pub struct Draft {
        pub body: Text,
        pub internal: Option<bool>,
        /// The discussion it answers in.
        pub discussion_id: Text,
    }
}

/// The forms below the address of a page.
pub fn routes<P: TalkPage>(r: &mut Routes, one: &str) {
    let note = format!("{one}/notes/{{note_id}}");
    r.page(Method::POST, &format!("{one}/notes"), forms::write_note::<P>);
    r.page(Method::POST, &note, forms::change_note::<P>);
    r.page(
        Method::POST,
        &format!("{one}/discussions/{{discussion_id}}"),
        forms::resolve::<P>,
    );
    r.page(Method::POST, &format!("{one}/tasks"), forms::tick::<P>);
    r.page(Method::POST, &format!("{note}/tasks"), forms::tick::<P>);
}
