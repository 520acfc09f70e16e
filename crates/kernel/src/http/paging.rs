//! Pages of lists: by number with totals, or by key (docs/interface/identity.md 8.4).

use super::call::{Call, FromCall, RequestContext};
use super::operation::Operation;
use super::params::Field;
use crate::app::App;
use crate::error::{Error, Result};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde_json::{Value, json};
use store::Tx;

/// Rows past which totals are no longer counted or sent.
pub const COUNT_LIMIT: i64 = 10_000;
/// Rows of a page unless asked otherwise.
pub const DEFAULT_PER_PAGE: i64 = 20;
/// Most rows of a page; more asked for means this many.
pub const MAX_PER_PAGE: i64 = 100;

/// Which part of a list is asked for.
#[derive(Debug, Clone)]
pub struct Paging {
    /// Rows of a page, 1 to 100.
    pub per_page: i64,
    /// Where it starts.
    pub start: Start,
}

/// Where a page starts.
#[derive(Debug, Clone)]
pub enum Start {
    /// The page of this number, from 1.
    Page(i64),
    /// After the row whose sort keys these are; `None` is the first page.
    After(Option<Vec<Value>>),
}

impl Paging {
    /// The first page, of so many rows.
    pub fn first(per_page: i64) -> Paging {
        Paging { per_page, start: Start::Page(1) }
    }

    /// Rows to skip; 0 for keyset paging.
    pub fn offset(&self) -> i64 {
        match self.start {
            Start::Page(page) => (page - 1).saturating_mul(self.per_page),
            Start::After(_) => 0,
        }
    }

    /// Rows to read: one more than shown, which tells whether more follow.
    pub fn fetch(&self) -> i64 {
        self.per_page + 1
    }

    /// Whether pages are found by key.
    pub fn is_keyset(&self) -> bool {
        matches!(self.start, Start::After(_))
    }
}

impl FromCall for Paging {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let secrets = call.app.secrets().clone();
        let source = call.merged().await?;
        let text = |name: &str| {
            source.get(name).map(|value| match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            })
        };
        let positive = |name: &str, default: i64| match text(name) {
            None => Ok(default),
            Some(value) => value
                .parse::<i64>()
                .ok()
                .filter(|number| *number > 0)
                .ok_or_else(|| not_valid(name)),
        };
        let per_page = positive("per_page", DEFAULT_PER_PAGE)?.min(MAX_PER_PAGE);
        let page = positive("page", 1)?;
        let start = match text("pagination").as_deref() {
            Some("keyset") => Start::After(match text("cursor") {
                Some(cursor) => Some(open_cursor(&secrets, &cursor)?),
                None => None,
            }),
            None | Some("offset" | "") => Start::Page(page),
            Some(_) => return Err(not_valid("pagination")),
        };
        Ok(Paging { per_page, start })
    }

    fn describe(operation: &mut Operation<'_>) {
        let field =
            |name, description, schema| Field { name, description, schema, required: false };
        operation.query(vec![
            field(
                "page",
                "Number of the page",
                json!({"type": "integer", "minimum": 1, "default": 1}),
            ),
            field(
                "per_page",
                "Rows of a page",
                json!({"type": "integer", "minimum": 1, "default": 20}),
            ),
            field(
                "pagination",
                "How pages are found",
                json!({"type": "string", "enum": ["offset", "keyset"]}),
            ),
            field("cursor", "Opaque start of a keyset page", json!({"type": "string"})),
        ]);
    }
}

fn not_valid(name: &str) -> Error {
    Error::Parameters(vec![format!("{name} does not have a valid value")])
}

fn open_cursor(secrets: &crate::secrets::Secrets, text: &str) -> Result<Vec<Value>> {
    secrets
        .verify("cursor", text)
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .ok_or_else(|| not_valid("cursor"))
}

/// One page, ready to be sent.
pub struct Paged<T> {
    /// The rows.
    pub items: Vec<T>,
    paging: Paging,
    more: bool,
    total: Option<i64>,
    next: Option<Vec<Value>>,
}

impl<T> Paged<T> {
    /// A numbered page from rows read with [`Paging::fetch`]. `total` is
    /// `None`, or anything above [`COUNT_LIMIT`], when there are too many.
    pub fn numbered(mut items: Vec<T>, paging: Paging, total: Option<i64>) -> Paged<T> {
        let more = items.len() as i64 > paging.per_page;
        items.truncate(paging.per_page as usize);
        let total = total.filter(|total| *total <= COUNT_LIMIT);
        Paged { items, paging, more, total, next: None }
    }

    /// A numbered page: its rows, and how many the whole list has.
    pub fn part(items: Vec<T>, paging: Paging, total: i64) -> Paged<T> {
        let more = paging.offset().saturating_add(items.len() as i64) < total;
        let mut page = Paged::numbered(items, paging, Some(total));
        page.more = more;
        page
    }

    /// A numbered page of a list that was read whole.
    pub fn of_whole(items: Vec<T>, paging: Paging) -> Paged<T> {
        let total = items.len() as i64;
        let from = paging.offset().clamp(0, total) as usize;
        let rest = items.into_iter().skip(from);
        let page = rest.take(paging.fetch() as usize).collect();
        Paged::numbered(page, paging, Some(total))
    }

    /// A keyset page from rows read with [`Paging::fetch`]; `key` gives the
    /// sort keys of a row.
    pub fn keyed(mut items: Vec<T>, paging: Paging, key: impl Fn(&T) -> Vec<Value>) -> Paged<T> {
        let more = items.len() as i64 > paging.per_page;
        items.truncate(paging.per_page as usize);
        let next = items.last().filter(|_| more).map(key);
        Paged { items, paging, more, total: None, next }
    }

    /// A numbered page of a list, from what `work` reads in one snapshot: rows
    /// by [`Paging::fetch`] and [`Paging::offset`], and how many there are in all.
    pub async fn read<F>(app: &App, paging: Paging, work: F) -> Result<Paged<T>>
    where
        F: FnOnce(&mut Tx<'_>, &Paging) -> Result<(Vec<T>, i64)> + Send + 'static,
        T: Send + 'static,
    {
        let part = paging.clone();
        let (items, total) = app.read(move |tx| work(tx, &part)).await?;
        Ok(Paged::numbered(items, paging, Some(total)))
    }

    /// The same page of other rows, one for one.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Paged<U> {
        Paged {
            items: self.items.into_iter().map(f).collect(),
            paging: self.paging,
            more: self.more,
            total: self.total,
            next: self.next,
        }
    }

    /// The page with its rows replaced by ones made from all of them at once.
    pub fn replace<U>(self, f: impl FnOnce(Vec<T>) -> Vec<U>) -> Paged<U> {
        Paged {
            items: f(self.items),
            paging: self.paging,
            more: self.more,
            total: self.total,
            next: self.next,
        }
    }

    /// Its rows, and the page without them, which [`replace`](Paged::replace) fills again.
    pub fn apart(self) -> (Vec<T>, Paged<()>) {
        let page = Paged {
            items: Vec::new(),
            paging: self.paging,
            more: self.more,
            total: self.total,
            next: self.next,
        };
        (self.items, page)
    }

    /// Whether rows follow this page.
    pub fn has_more(&self) -> bool {
        self.more
    }

    /// Rows in all, unless there are too many to count.
    pub fn total(&self) -> Option<i64> {
        self.total
    }

    /// Rows of a numbered list in all, counted to [`COUNT_LIMIT`] and one more.
    pub fn counted(&self) -> u64 {
        self.total.unwrap_or(COUNT_LIMIT + 1).unsigned_abs()
    }

    pub(super) fn write_headers(
        &self, app: &App, request: &RequestContext, headers: &mut HeaderMap,
    ) -> Result<()> {
        let link = match self.paging.start {
            Start::Page(page) => self.number_headers(page, request, headers)?,
            Start::After(_) => self.next_link(app, request)?,
        };
        if !link.is_empty() {
            headers.insert(header::LINK, HeaderValue::from_str(&link).map_err(Error::internal)?);
        }
        Ok(())
    }

    fn number_headers(
        &self, page: i64, request: &RequestContext, headers: &mut HeaderMap,
    ) -> Result<String> {
        let pages = self
            .total
            .map(|total| (total + self.paging.per_page - 1) / self.paging.per_page);
        let last = pages.map(|pages| pages.max(1));
        let next = self.more.then(|| page.saturating_add(1));
        // Past the end, «previous» is the last page there is.
        let prev = (page > 1).then(|| last.map_or(page - 1, |last| (page - 1).min(last)));
        let mut set = |name: &'static str, value: String| -> Result<()> {
            let value = HeaderValue::from_str(&value).map_err(Error::internal)?;
            headers.insert(HeaderName::from_static(name), value);
            Ok(())
        };
        let or_empty = |number: Option<i64>| number.map(|n| n.to_string()).unwrap_or_default();
        set("x-page", page.to_string())?;
        set("x-per-page", self.paging.per_page.to_string())?;
        set("x-next-page", or_empty(next))?;
        set("x-prev-page", or_empty(prev))?;
        if let (Some(total), Some(last)) = (self.total, last) {
            set("x-total", total.to_string())?;
            set("x-total-pages", last.to_string())?;
        }
        let per_page = self.paging.per_page.to_string();
        let rels = [("prev", prev), ("next", next), ("first", Some(1)), ("last", last)];
        let links = rels.into_iter().filter_map(|(rel, number)| {
            let number = number?.to_string();
            let url = with_query(request, &[("page", &number), ("per_page", &per_page)], &[]);
            Some(format!("<{url}>; rel=\"{rel}\""))
        });
        Ok(links.collect::<Vec<_>>().join(", "))
    }

    fn next_link(&self, app: &App, request: &RequestContext) -> Result<String> {
        let Some(keys) = &self.next else {
            return Ok(String::new());
        };
        let keys = serde_json::to_vec(keys).map_err(Error::internal)?;
        let cursor = app.secrets().sign("cursor", &keys);
        // Filters such as `id_after` stay: the cursor narrows them further.
        let url = with_query(request, &[("cursor", &cursor)], &["page"]);
        Ok(format!("<{url}>; rel=\"next\""))
    }
}

/// Parameters that carry credentials and never leave in a link.
const SECRET: &[&str] = &[
    "private_token",
    "access_token",
    "bearer_token",
    "job_token",
    "feed_token",
    "token",
    "sudo",
];

/// The asked address with some parameters set and some left out.
pub fn with_query(request: &RequestContext, set: &[(&str, &str)], without: &[&str]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    let sent = request.uri.query().unwrap_or_default();
    for (key, value) in url::form_urlencoded::parse(sent.as_bytes()) {
        let dropped = SECRET.contains(&&*key)
            || without.contains(&&*key)
            || set.iter().any(|(name, _)| *name == key);
        if !dropped {
            query.append_pair(&key, &value);
        }
    }
    for (key, value) in set {
        query.append_pair(key, value);
    }
    format!("{}{}?{}", request.base_url, request.uri.path(), query.finish())
}
