//! The table of routes, compiled for matching.
//!
//! Outside the API some things have paths of any number of parts, and any
//! names. Templates write such a place as `{*name}`. A path is split at its
//! first `/-/` before it is matched: what stands before is the place, what
//! follows is looked up alone. What follows may also be an ending of the path,
//! `{*name}.atom`. Handlers read the place from the address.

use super::routes::{Endpoint, Routes, Surface};
use crate::error::{Error, Result};
use http::Method;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Most parts of what follows a place without `/-/`.
const MAX_TAIL: usize = 4;

/// The routes of one path.
#[derive(Clone, Default)]
pub(super) struct Methods(HashMap<Method, Arc<Endpoint>>);

impl Methods {
    /// The route of a method; GET's for HEAD.
    pub(super) fn get(&self, method: &Method) -> Option<&Arc<Endpoint>> {
        let get = || (method == Method::HEAD).then(|| self.0.get(&Method::GET))?;
        self.0.get(method).or_else(get)
    }

    /// The names of those there are, for `Allow`.
    pub(super) fn allowed(&self) -> Vec<&'static str> {
        let all = ["GET", "POST", "PUT", "PATCH", "DELETE"];
        let mut names: Vec<&'static str> = all
            .into_iter()
            .filter(|name| self.0.keys().any(|method| method.as_str() == *name))
            .collect();
        if names.contains(&"GET") {
            names.insert(1, "HEAD");
        }
        names.push("OPTIONS");
        names
    }

    fn any(&self, is: impl Fn(&Endpoint) -> bool) -> bool {
        self.0.values().any(|route| is(route))
    }
}

/// A match: the routes of a path and its decoded parameters.
pub(super) struct Found<'t> {
    pub(super) methods: &'t Methods,
    pub(super) parameters: Result<Vec<(String, String)>>,
}

type Matcher = matchit::Router<Methods>;

/// What stands at and below the places behind one prefix.
#[derive(Default)]
struct Places {
    /// At the place itself.
    bare: Option<Methods>,
    /// After `/-`.
    below: Matcher,
    /// Right behind the place.
    tails: Matcher,
    /// Endings of the place itself, which begin with a dot.
    ends: Vec<(String, Methods)>,
}

/// All routes.
#[derive(Default)]
pub struct Table {
    /// Those at no place.
    exact: Matcher,
    /// By what stands before places, the longest first.
    places: Vec<(String, Places)>,
}

impl Table {
    /// Compiles the routes. Two routes of one method and path are a
    /// programming error and reported by name.
    pub fn new(routes: Routes) -> Result<Table> {
        let mut paths: HashMap<String, Methods> = HashMap::new();
        for route in routes.into_all() {
            let methods = paths.entry(route.path.clone()).or_default();
            let (method, path) = (route.method.clone(), route.path.clone());
            if methods.0.insert(method.clone(), Arc::new(route)).is_some() {
                let twice = format!("{method} {path} is declared twice");
                return Err(Error::internal(twice));
            }
        }
        let mut table = Table::default();
        for (path, methods) in paths {
            let wrong = |error| Error::internal(format!("route {path}: {error}"));
            table.insert(&path, methods).map_err(wrong)?;
        }
        Ok(table)
    }

    fn insert(&mut self, path: &str, methods: Methods) -> Result<(), matchit::InsertError> {
        let is_page = methods.any(|route| route.surface == Surface::Page);
        let (prefix, rest) = match around_place(path) {
            Some((prefix, rest)) if is_page || !rest.is_empty() => (prefix, rest),
            _ => return self.exact.insert(path, methods),
        };
        let places = self.places_behind(prefix);
        match rest.strip_prefix("/-") {
            Some(below) => places.below.insert(below, methods),
            None if rest.is_empty() => {
                places.bare = Some(methods);
                Ok(())
            }
            None if rest.starts_with('.') => {
                places.ends.push((rest.to_owned(), methods));
                Ok(())
            }
            None => places.tails.insert(rest, methods),
        }
    }

    fn places_behind(&mut self, prefix: &str) -> &mut Places {
        let known = self.places.iter().position(|(known, _)| known == prefix);
        let at = known.unwrap_or_else(|| {
            let longer = |(other, _): &(String, Places)| other.len() > prefix.len();
            let at = self.places.partition_point(longer);
            let places = (prefix.to_owned(), Places::default());
            self.places.insert(at, places);
            at
        });
        &mut self.places[at].1
    }

    /// The routes of a path as it was sent.
    pub(super) fn find(&self, path: &str, surface: Surface) -> Option<Found<'_>> {
        match surface {
            Surface::Page => match path.split_once("/-/") {
                Some((place, below)) => self
                    .below(place, &path[path.len() - below.len() - 1..])
                    .or_else(|| self.exact(path)),
                None => self
                    .exact(path)
                    .or_else(|| self.tail(path))
                    .or_else(|| self.end(path))
                    .or_else(|| self.place(path)),
            },
            Surface::Api => self.exact(path).or_else(|| self.tidied(path)),
            Surface::Plain | Surface::Graphql => self.exact(path),
        }
    }

    /// With a slash behind it where the routes take one.
    fn exact(&self, path: &str) -> Option<Found<'_>> {
        slashed(&self.exact, path)
    }

    /// A path of the API with fewer slashes. What they mean in the paths of
    /// registries is their own.
    fn tidied(&self, path: &str) -> Option<Found<'_>> {
        let parts = path.split('/').filter(|part| !part.is_empty());
        let tidy: String = parts.flat_map(|part| ["/", part]).collect();
        let found = at(&self.exact, &tidy)?;
        (!found.methods.any(|route| route.registry)).then_some(found)
    }

    fn below(&self, place: &str, below: &str) -> Option<Found<'_>> {
        let found = at(&self.places(place)?.below, below)?;
        Some(within(place, found))
    }

    /// The page of a place. One may be called like an address that machines
    /// ask by other methods.
    pub(super) fn place(&self, path: &str) -> Option<Found<'_>> {
        let found = Found {
            methods: self.places(path)?.bare.as_ref()?,
            parameters: Ok(Vec::new()),
        };
        Some(within(path, found))
    }

    /// What the path of a place ends with.
    fn end(&self, path: &str) -> Option<Found<'_>> {
        let mut ends = self.places(path)?.ends.iter();
        let (_, methods) = ends.find(|(end, _)| path.ends_with(end.as_str()))?;
        Some(within(path, Found { methods, parameters: Ok(Vec::new()) }))
    }

    /// What follows a place at once: the longest there is.
    fn tail(&self, path: &str) -> Option<Found<'_>> {
        let ends: Vec<usize> = path.rmatch_indices('/').map(|(at, _)| at).collect();
        let longest_first = ends.iter().take(MAX_TAIL + 1).rev();
        longest_first.filter(|end| **end > 0).find_map(|end| {
            let (place, rest) = path.split_at(*end);
            let found = slashed(&self.places(place)?.tails, rest)?;
            Some(within(place, found))
        })
    }

    /// What there is for such a place, if it can be one.
    fn places(&self, place: &str) -> Option<&Places> {
        let mut all = self.places.iter();
        let (path, places) =
            all.find_map(|(prefix, places)| Some((place.strip_prefix(prefix.as_str())?, places)))?;
        let is_part = |part: &str| !part.is_empty() && part != "-";
        path.split('/').all(is_part).then_some(places)
    }
}

/// What stands around the place of a template. What goes on behind a `/-/` is
/// no place, only the end of an address.
fn around_place(template: &str) -> Option<(&str, &str)> {
    let (prefix, place) = template.split_once("{*")?;
    let (_, rest) = place.split_once('}')?;
    (!prefix.contains("/-/")).then_some((prefix, rest))
}

fn at<'t>(matcher: &'t Matcher, path: &str) -> Option<Found<'t>> {
    let matched = matcher.at(path).ok()?;
    Some(Found {
        methods: matched.value,
        parameters: matched
            .params
            .iter()
            .map(|(name, raw)| Ok((name.to_owned(), decoded(name, raw)?.into_owned())))
            .collect(),
    })
}

fn slashed<'t>(matcher: &'t Matcher, path: &str) -> Option<Found<'t>> {
    at(matcher, path).or_else(|| {
        let found = at(matcher, path.strip_suffix('/')?)?;
        found.methods.any(|route| route.slashed).then_some(found)
    })
}

/// The same, refused where the place is no text.
fn within<'t>(place: &str, mut found: Found<'t>) -> Found<'t> {
    if let Err(error) = decoded("path", place) {
        found.parameters = Err(error);
    }
    found
}

/// Decodes a captured part once; what is not text is no such address.
fn decoded<'r>(name: &str, raw: &'r str) -> Result<Cow<'r, str>> {
    let text = percent_encoding::percent_decode_str(raw)
        .decode_utf8()
        .map_err(|_| Error::NotFound(""))?;
    if text.contains('\0') {
        return Err(Error::BadRequest(format!("{name} is invalid")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Response;

    const PROJECT: &str = "/{*project}";
    const GROUP: &str = "/groups/{*group}";

    async fn nothing() -> Result<Response> {
        Err(Error::NotFound(""))
    }

    fn table() -> Table {
        let mut r = Routes::new();
        r.get("/projects", nothing);
        r.get("/projects/{id}/issues", nothing);
        r.get("/projects/{id}/packages/generic/{*file}", nothing).registry();
        r.plain(Method::POST, "/oauth/token", nothing);
        r.plain(Method::GET, "/uploads/-/system/{file}", nothing);
        r.page(Method::GET, "/-/own/raw/{*file}", nothing);
        r.page(Method::GET, "/groups/new", nothing);
        r.page(Method::GET, PROJECT, nothing);
        r.page(Method::GET, GROUP, nothing);
        r.page(Method::GET, &format!("{PROJECT}/-/issues/{{iid}}"), nothing);
        r.page(Method::GET, &format!("{GROUP}/-/issues"), nothing);
        let notify = format!("{PROJECT}/alerts/notify/{{name}}/{{key}}");
        r.plain(Method::POST, &notify, nothing).slashed();
        let metrics = format!("{PROJECT}/prometheus/alerts/notify.json");
        r.plain(Method::POST, &metrics, nothing);
        Table::new(r).expect("the routes fit together")
    }

    /// The template that a path meets, with its parameters.
    fn met(table: &Table, path: &str) -> String {
        let surface = match path.starts_with("/api/") {
            true => Surface::Api,
            false => Surface::Page,
        };
        let Some(found) = table.find(path, surface) else {
            return "nothing".to_owned();
        };
        let route = found.methods.0.values().next().expect("it has a method");
        match found.parameters {
            Ok(all) => all
                .iter()
                .fold(route.path.clone(), |met, (name, value)| format!("{met} {name}={value}")),
            Err(error) => format!("{error:?}"),
        }
    }

    #[test]
    fn a_path_is_split_at_its_first_dash() {
        let table = table();
        for (path, template) in [
            ("/acme/anvil/-/issues/3", "/{*project}/-/issues/{iid} iid=3"),
            ("/a/b/c/d/e/-/issues/%C3%A9", "/{*project}/-/issues/{iid} iid=é"),
            ("/oauth/token/-/issues/3", "/{*project}/-/issues/{iid} iid=3"),
            ("/groups/acme/deep/-/issues", "/groups/{*group}/-/issues"),
            ("/uploads/-/system/x", "/uploads/-/system/{file} file=x"),
            ("/-/own/raw/a/b%20c", "/-/own/raw/{*file} file=a/b c"),
            ("/-/own/raw/", "nothing"),
            ("/groups/acme/-/issues/3", "nothing"),
            ("/acme/anvil/-/issues/3/-/issues/4", "nothing"),
            ("/acme/anvil/-/issues/3/", "nothing"),
            ("/acme/anvil/-/", "nothing"),
            ("/acme//anvil/-/issues/3", "nothing"),
            ("/acme/%00/-/issues/3", "BadRequest(\"path is invalid\")"),
            ("/acme/%FF/-/issues/3", "NotFound(\"\")"),
        ] {
            assert_eq!(met(&table, path), template, "{path}");
        }
    }

    #[test]
    fn places_stand_at_what_nothing_else_takes() {
        let table = table();
        for (path, template) in [
            ("/acme", "/{*project}"),
            ("/acme/anvil/deeper", "/{*project}"),
            ("/groups/acme/deep", "/groups/{*group}"),
            ("/groups/new", "/groups/new"),
            ("/oauth/token", "/oauth/token"),
            ("/acme/", "nothing"),
            ("/acme//anvil", "nothing"),
            ("/acme/anvil/-", "nothing"),
            ("/", "nothing"),
        ] {
            assert_eq!(met(&table, path), template, "{path}");
        }
        let behind = table.place("/oauth/token").expect("a project may be called so");
        assert_eq!(behind.methods.allowed(), ["GET", "HEAD", "OPTIONS"]);
    }

    #[test]
    fn the_longest_tail_of_a_place_counts() {
        let table = table();
        let notify = "/{*project}/alerts/notify/{name}/{key}";
        for (path, template) in [
            ("/a/b/alerts/notify/x/y", format!("{notify} name=x key=y")),
            ("/a/b/c/alerts/notify/x/y/", format!("{notify} name=x key=y")),
            (
                "/a/b/prometheus/alerts/notify.json",
                "/{*project}/prometheus/alerts/notify.json".to_owned(),
            ),
            ("/alerts/notify/x/y", "/{*project}".to_owned()),
        ] {
            assert_eq!(met(&table, path), template, "{path}");
        }
    }

    #[test]
    fn slashes_too_many_mean_nothing_in_the_api_but_in_registries() {
        let table = table();
        let files = "/api/v4/projects/{id}/packages/generic/{*file}";
        for (path, template) in [
            ("/api/v4/projects/", "/api/v4/projects".to_owned()),
            ("/api/v4//projects", "/api/v4/projects".to_owned()),
            (
                "/api/v4/projects//a%2Fb/issues//",
                "/api/v4/projects/{id}/issues id=a/b".to_owned(),
            ),
            ("/api/v4/projects/1/packages/generic/a//b", format!("{files} id=1 file=a//b")),
            ("/api/v4/projects/1//packages/generic/a", "nothing".to_owned()),
            ("/api/v4/acme/anvil/-/issues/3", "nothing".to_owned()),
        ] {
            assert_eq!(met(&table, path), template, "{path}");
        }
    }
}
