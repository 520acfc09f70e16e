//! Pages of refs and trees: by number, or behind the last thing of the page before,
//! which the address names (`pagination=keyset`, `page_token`).

use http::{HeaderValue, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::paging::{DEFAULT_PER_PAGE, MAX_PER_PAGE, with_query};
use kernel::http::params::FromParams;
use kernel::http::{Answer, Call, FromCall, Paged, Paging, RequestContext, Response, Start, reply};
use schemars::JsonSchema;
use serde::Serialize;

kernel::choices! {
    /// How pages are found.
    pub enum Pagination {
        Legacy = "legacy",
        Offset = "offset",
        Keyset = "keyset",
        None = "none",
    }
}

kernel::params! {
    /// Which part of a list is asked for.
    pub struct Listing {
        /// Number of the page.
        pub page: Option<i64>,
        /// Rows of a page.
        pub per_page: Option<i64>,
        /// How pages are found: `none` gives all of a recursive tree.
        pub pagination: Option<Pagination>,
        /// Of keyset pages, what the last one ended with.
        pub page_token: Option<String>,
    }
}

impl FromCall for Listing {
    async fn from_call(call: &mut Call) -> Result<Listing> {
        let listing = Listing::from_params(call.merged().await?).map_err(Error::Parameters)?;
        for (name, number) in [("page", listing.page), ("per_page", listing.per_page)] {
            if number.is_some_and(|number| number < 1) {
                return Err(Error::Parameters(vec![format!("{name} does not have a valid value")]));
            }
        }
        Ok(listing)
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.query(Listing::fields());
    }
}

/// Some of a list, and how its page is told.
#[derive(Debug)]
pub struct Part<T> {
    pub items: Vec<T>,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Numbered(Paging, i64),
    Keyset(i64, Option<String>),
    All,
}

impl Listing {
    pub fn per_page(&self) -> i64 {
        self.per_page.unwrap_or(DEFAULT_PER_PAGE).min(MAX_PER_PAGE)
    }

    pub fn is_all(&self) -> bool {
        self.pagination == Some(Pagination::None)
    }

    /// The part of a whole list that is asked for. `token` names a thing of it, each by
    /// another one.
    pub fn of<T>(
        &self, mut items: Vec<T>, token: impl Fn(&[T], usize) -> String,
    ) -> Result<Part<T>> {
        let per_page = self.per_page() as usize;
        if self.is_all() {
            return Ok(Part { items, place: Place::All });
        }
        if self.pagination != Some(Pagination::Keyset) {
            let total = items.len();
            let start = Start::Page(self.page.unwrap_or(1));
            let paging = Paging { per_page: self.per_page(), start };
            let from = (paging.offset().max(0) as usize).min(total);
            let items = items.drain(from..(from + per_page).min(total)).collect();
            return Ok(Part { items, place: Place::Numbered(paging, total as i64) });
        }
        let from = match self.page_token.as_deref().filter(|token| !token.is_empty()) {
            None => 0,
            Some(asked) => {
                let at = (0..items.len()).find(|at| token(&items, *at) == asked);
                let bad = || Error::Unprocessable("Invalid page token".into());
                at.ok_or_else(bad)? + 1
            }
        };
        let to = (from + per_page).min(items.len());
        let next = (to < items.len()).then(|| token(&items, to - 1));
        let items = items.drain(from..to).collect();
        Ok(Part { items, place: Place::Keyset(self.per_page(), next) })
    }
}

impl<T> Part<T> {
    /// Nothing at all.
    pub fn none() -> Part<T> {
        let paging = Paging::first(DEFAULT_PER_PAGE);
        Part { items: Vec::new(), place: Place::Numbered(paging, 0) }
    }

    /// The same part of other things, made of all of them at once.
    pub fn replace<U>(self, items: Vec<U>) -> Part<U> {
        Part { items, place: self.place }
    }
}

impl<T: Serialize + JsonSchema> Answer for Part<T> {
    fn reply(self, app: &App, request: &RequestContext) -> Result<Response> {
        let (per_page, next) = match self.place {
            Place::All => return reply::json(http::StatusCode::OK, &self.items),
            Place::Numbered(paging, total) => {
                return Paged::part(self.items, paging, total).reply(app, request);
            }
            Place::Keyset(per_page, next) => (per_page, next),
        };
        let mut response = reply::json(http::StatusCode::OK, &self.items)?;
        if let Some(token) = next {
            let set = [("page_token", token.as_str()), ("per_page", &per_page.to_string())];
            let link = format!("<{}>; rel=\"next\"", with_query(request, &set, &["page"]));
            let link = HeaderValue::from_str(&link).map_err(Error::internal)?;
            response.headers_mut().insert(header::LINK, link);
        }
        Ok(response)
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.answers::<Vec<T>>(200);
    }
}
