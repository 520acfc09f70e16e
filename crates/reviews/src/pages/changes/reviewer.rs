//! Somebody signed in who sends a form of the page.

use super::look::Look;
use super::show::render;
use super::subject::url_of;
use super::typed::Typed;
use crate::pages::frame::{self, Found};
use crate::place::Place;
use ::store::Tx;
use http::header;
use identity::spam::captcha::Solution;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Call, FromCall, Params, RequestContext, Response};
use planning::guarded::Writer;
use spaces::access::Purpose;
use spaces::pages::Visit;
use std::sync::Arc;

kernel::params! {
    /// Which merge request.
    pub struct OnePath {
        pub merge_request_iid: i64,
    }
}

/// Somebody signed in at the changes of a merge request.
#[derive(Clone)]
pub struct Reviewer {
    pub app: App,
    pub visit: Visit,
    pub iid: i64,
    /// How the page looks that the form was sent from.
    pub look: Look,
    pub request: Arc<RequestContext>,
}

impl FromCall for Reviewer {
    async fn from_call(call: &mut Call) -> Result<Reviewer> {
        let Params(path) = Params::<OnePath>::from_call(call).await?;
        Ok(Reviewer {
            app: call.app.clone(),
            visit: Visit::from_call(call).await?,
            iid: path.merge_request_iid,
            look: Look::of_referrer(&call.request),
            request: call.request.clone(),
        })
    }
}

impl Reviewer {
    /// The merge request, for who sees it.
    pub fn find(&self, tx: &mut Tx<'_>) -> Result<Found> {
        let Visit { viewer, address } = &self.visit;
        frame::find(tx, viewer, address, self.iid, Purpose::DownloadCode)
    }

    /// Where it is, and the address of its changes.
    pub async fn place(&self) -> Result<(Place, String)> {
        let by = self.clone();
        let read = self.app.read(move |tx| {
            let found = by.find(tx)?;
            let place = Place { project: found.space.reference(), iid: by.iid };
            Ok((place, url_of(&found.request)))
        });
        read.await
    }

    pub fn writer(&self, solution: Option<Solution>) -> Writer {
        Writer::by_form(self.visit.viewer.clone(), self.request.clone(), solution)
    }

    /// Whether a script asks, not a form.
    pub fn wants_json(&self) -> bool {
        let accepted = self.request.header(header::ACCEPT);
        accepted.is_some_and(|accepted| accepted.contains("application/json"))
    }

    /// The page with what was typed and refused.
    pub async fn again(self, look: Look, typed: Typed) -> Result<Response> {
        let Visit { viewer, address } = self.visit;
        // Also where the form stood in a part that a script had fetched.
        let look = Look { part: None, ..look };
        render(&self.app, (viewer, address), self.iid, look, typed).await
    }
}
