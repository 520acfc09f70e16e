//! The feed of version 2 of the protocol: OData 2.0, as much of it as clients
//! ask for.

mod eval;
mod feed;
pub mod filter;

use super::documents::Links;
use super::entries::{self, EntriesQuery, Entry};
use super::{PROJECT, read, reads};
use crate::client::Client;
use crate::keys::nuget::Level;
use crate::rules::names::invalid;
use crate::scope::{Above, scope};
use crate::store::list;
use feed::Page;
use filter::{Key, Node, quoted};
use http::{HeaderValue, StatusCode, header};
use kernel::error::{Error, Found, Result};
use kernel::http::{Params, RequestContext, Response, Routes, reply};
use kernel::ids::Reference;
use store::Tx;
use url::form_urlencoded;

/// Most versions of a page; clients follow its link to the next.
const PAGE: usize = 100;

pub fn routes(r: &mut Routes) {
    reads(r, &format!("{PROJECT}/v2"), service)
        .summary("Says what the NuGet feed for older clients holds");
    r.get(&format!("{PROJECT}/v2/$metadata"), metadata)
        .unchecked()
        .summary("Describes the NuGet feed for older clients");
    reads(r, &format!("{PROJECT}/v2/{{odata}}"), show)
        .summary("Finds NuGet packages for older clients");
    reads(r, &format!("{PROJECT}/v2/{{odata}}/$count"), count)
        .summary("Counts NuGet packages for older clients");
    let package = format!("{PROJECT}/v2/package/{{nuget_name}}/{{nuget_version}}");
    reads(r, &package, read::file_in_feed).summary("Downloads a NuGet package for older clients");
}

kernel::params! {
    /// A question to the feed. Which package `FindPackagesById()` is about
    /// stands in the query as `id`, in quotes.
    pub struct Question {
        /// The project.
        pub id: Reference,
        /// `Packages()`, `Packages(Id='…',Version='…')`, `FindPackagesById()`
        /// or `Search()`.
        pub odata: String,
        /// Which versions.
        pub filter as "$filter": Option<String>,
        /// In which order.
        pub orderby as "$orderby": Option<String>,
        /// Versions left out at the beginning.
        pub skip as "$skip": Option<i64>,
        /// Most versions.
        pub top as "$top": Option<i64>,
        /// `allpages` tells how many there are.
        pub inlinecount as "$inlinecount": Option<String>,
        /// Words that names have to hold, in quotes; of `Search()`.
        pub search_term as "searchTerm": Option<String>,
        /// Whether versions before a release count; of `Search()`.
        pub include_prerelease as "includePrerelease": Option<bool>,
        /// `2.0.0` shows versions of SemVer 2, too, which older clients fail at.
        pub sem_ver_level as "semVerLevel": Option<String>,
    }
}

/// Which collections there are. Anyone may know, as it tells nothing; but old
/// clients send credentials to the feed only if this asks for them, so they
/// are asked.
async fn service(params: Params<Above>, client: Client) -> Result<Response> {
    if is_old_client(&client.request) {
        client.admit().await?;
    }
    xml(feed::service(&Links::of_project(&client.app, &params.id)))
}

/// Whether NuGet's own code asks, which says so first of all.
fn is_old_client(request: &RequestContext) -> bool {
    let name = request.header(header::USER_AGENT).unwrap_or_default();
    ["NuGet", "Chocolatey"].iter().any(|known| name.starts_with(known))
}

async fn metadata(_: Params<Above>) -> Result<Response> {
    xml(feed::METADATA.to_owned())
}

async fn show(params: Params<Question>, client: Client) -> Result<Response> {
    let Params(question) = params;
    // Some clients escape the sign before it.
    if question.odata == "$metadata" {
        return xml(feed::METADATA.to_owned());
    }
    let of = client.clone();
    let sent = client.app.read(move |tx| match Resource::named_by(&question, &of.request)? {
        Resource::One { name, version } => {
            let scope = scope(tx, &of.viewer, &of.prefix)?;
            let found = entries::one(tx, &scope, &name, &version)?.found("Package")?;
            let links = Links::of_project(&of.app, &Reference::Id(found.row.project_id));
            Ok(feed::entry(&links, &found))
        }
        Resource::Many(many) => page(tx, &of, &question, &many),
    });
    sent.await.and_then(xml)
}

async fn count(params: Params<Question>, client: Client) -> Result<Response> {
    let Params(question) = params;
    let of = client.clone();
    let sent = client.app.read(move |tx| match Resource::named_by(&question, &of.request)? {
        Resource::One { .. } => Err(Error::NotFound("")),
        Resource::Many(many) => Ok(many.find(tx, &of)?.0.len()),
    });
    Ok(reply::text(StatusCode::OK, sent.await?.to_string()))
}

enum Resource {
    One { name: String, version: String },
    Many(Many),
}

struct Many {
    of: &'static str,
    wanted: EntriesQuery,
    /// Versions before a release count, too.
    prerelease: bool,
    level: Level,
    condition: Option<Node>,
    order: Vec<Key>,
    skip: usize,
    top: Option<usize>,
}

impl Resource {
    fn named_by(question: &Question, request: &RequestContext) -> Result<Resource> {
        let unknown = || Error::NotFound("Resource");
        let (of, inner) = match question.odata.split_once('(') {
            Some((of, rest)) => (of, rest.strip_suffix(')').ok_or_else(unknown)?),
            None => (question.odata.as_str(), ""),
        };
        let condition = filter::condition(question.filter.as_deref().unwrap_or_default())?;
        let named = condition.as_ref().and_then(Node::name).map(str::to_owned);
        let (of, wanted, prerelease) = match (of, inner.trim()) {
            ("Packages", "") => {
                let wanted = match named {
                    Some(name) => EntriesQuery::Named(name),
                    None => EntriesQuery::Matching(Vec::new()),
                };
                ("Packages", wanted, true)
            }
            ("Packages", key) => return one(key).ok_or_else(unknown),
            ("FindPackagesById", "") => {
                let name = parameter(request, "id").ok_or_else(|| Error::missing("id"))?;
                // PostgreSQL cannot hold it in text.
                if name.contains('\0') {
                    return Err(invalid("id"));
                }
                ("FindPackagesById", EntriesQuery::Named(quoted(&name)), true)
            }
            ("Search", "") => {
                let term = quoted(question.search_term.as_deref().unwrap_or_default());
                let wanted = EntriesQuery::Matching(list::words(&term));
                ("Search", wanted, question.include_prerelease.unwrap_or(true))
            }
            _ => return Err(unknown()),
        };
        Ok(Resource::Many(Many {
            of,
            wanted,
            prerelease,
            level: Level::of(question.sem_ver_level.as_deref()),
            condition,
            order: filter::order(question.orderby.as_deref().unwrap_or_default())?,
            skip: number("$skip", question.skip)?.unwrap_or(0),
            top: number("$top", question.top)?,
        }))
    }
}

/// A query parameter that a part of the path hides by its name.
fn parameter(request: &RequestContext, name: &str) -> Option<String> {
    let query = request.uri.query().unwrap_or_default();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let found = pairs.find(|(key, _)| key == name);
    found.map(|(_, value)| value.into_owned())
}

/// The version that `Id='…',Version='…'` names, in any order.
fn one(key: &str) -> Option<Resource> {
    let mut parts: Vec<(&str, String)> = key
        .split(',')
        .filter_map(|part| part.split_once('='))
        .map(|(name, value)| (name.trim(), quoted(value)))
        .collect();
    parts.sort();
    match parts.as_slice() {
        [("Id", name), ("Version", version)] => {
            Some(Resource::One { name: name.clone(), version: version.clone() })
        }
        _ => None,
    }
}

fn number(name: &str, sent: Option<i64>) -> Result<Option<usize>> {
    sent.map(|number| {
        usize::try_from(number)
            .map_err(|_| Error::Parameters(vec![format!("{name} does not have a valid value")]))
    })
    .transpose()
}

impl Many {
    /// The versions in order, without regard to pages, and where links lead.
    fn find(&self, tx: &mut Tx<'_>, client: &Client) -> Result<(Vec<Entry>, i64)> {
        let scope = scope(tx, &client.viewer, &client.prefix)?;
        let id = scope.project_id.found("Project")?;
        let mut found = entries::wanted(tx, &scope, &self.wanted, self.level)?;
        found.retain(|entry| {
            let fits = self.condition.as_ref().is_none_or(|node| node.holds(entry));
            fits && (self.prerelease || !entry.number.is_prerelease())
        });
        eval::sort(&mut found, &self.order);
        Ok((found, id))
    }
}

fn page(tx: &mut Tx<'_>, client: &Client, question: &Question, many: &Many) -> Result<String> {
    let (found, id) = many.find(tx, client)?;
    let request = &client.request;
    let links = Links::of_project(&client.app, &Reference::Id(id));
    let total = found.len();
    let from = many.skip.min(total);
    let size = many.top.unwrap_or(usize::MAX).min(total - from);
    let shown = size.min(PAGE);
    let next =
        (shown < size).then(|| next(&links, question, request, (from + shown, size - shown)));
    let of_all = question.inlinecount.as_deref() == Some("allpages");
    let page = Page {
        of: many.of,
        entries: &found[from..from + shown],
        total: of_all.then_some(total),
        next,
        now: tx.now(),
    };
    Ok(feed::page(&links, &page))
}

/// The same question about what comes next: so many are left out, and so many
/// wanted.
fn next(
    links: &Links, question: &Question, request: &RequestContext, (skip, top): (usize, usize),
) -> String {
    let query = request.uri.query().unwrap_or_default();
    let kept = form_urlencoded::parse(query.as_bytes())
        .filter(|(key, _)| !matches!(key.as_ref(), "$skip" | "$top") && !is_secret(key));
    let mut wanted = form_urlencoded::Serializer::new(String::new());
    wanted.extend_pairs(kept);
    wanted.append_pair("$skip", &skip.to_string());
    if question.top.is_some() {
        wanted.append_pair("$top", &top.to_string());
    }
    format!("{}?{}", links.at(&format!("v2/{}", question.odata)), wanted.finish())
}

/// Tokens in a query are not repeated in answers.
fn is_secret(key: &str) -> bool {
    key.ends_with("token")
}

fn xml(body: String) -> Result<Response> {
    let mut response = reply::text(StatusCode::OK, body);
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("application/xml; charset=utf-8");
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert("dataserviceversion", HeaderValue::from_static("2.0;"));
    Ok(response)
}
