//! What is declared of a route, apart from what it runs.

use super::call::MAX_BODY;
use http::Method;

/// How a route's refusals look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// JSON bodies of the REST conventions.
    Api,
    /// HTML pages.
    Page,
    /// Plain text for machines (health, metrics).
    Plain,
    /// `errors` as GraphQL clients read them.
    Graphql,
}

/// Who a route admits before its handler looks closer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admits {
    /// Anyone; credentials, if sent, must be good.
    Anyone,
    /// Anyone; credentials are not even looked at.
    Unchecked,
}

/// One declared route.
#[derive(Clone)]
pub struct Route {
    /// Method; GET also serves HEAD.
    pub method: Method,
    /// Path template, such as `/api/v4/projects/{id}`.
    pub path: String,
    /// How refusals are rendered.
    pub surface: Surface,
    /// Whether credentials are resolved.
    pub admits: Admits,
    /// Scopes any of which lets a token use this route; empty: any scope.
    pub scopes: &'static [&'static str],
    /// The handler reads the body itself.
    pub streams: bool,
    /// It does so of multipart bodies only; others hold parameters.
    pub takes_fields: bool,
    /// Largest body that is read into memory, in bytes.
    pub largest_body: usize,
    /// Credentials of registry clients (deploy and job tokens) are accepted.
    pub registry: bool,
    /// Tokens of jobs of pipelines are accepted.
    pub job_tokens: bool,
    /// A user's token sent by Basic counts only under that user's name.
    pub names_user: bool,
    /// Git's clients ask for it: they send tokens, and passwords of accounts, by Basic.
    pub git: bool,
    /// A slash behind the path is taken as none.
    pub slashed: bool,
    /// It is read with a token in its address that reads nothing else.
    pub feed: bool,
    /// It is one where `format=atom` is asked for, else a page.
    pub also_feed: bool,
    /// Sessions need a fresh proof that it is still the same person.
    pub fresh: bool,
    /// Works on a read-only instance, whatever its method.
    pub always: bool,
    /// One sentence for OpenAPI.
    pub summary: String,
    /// Operation id for OpenAPI: module and function of the handler.
    pub operation: String,
    /// What OpenAPI groups the operation under: crate and module of the
    /// handler, such as `spaces members`.
    pub tag: String,
    /// Further answers for OpenAPI: status and what it means.
    pub(super) answers: Vec<(u16, &'static str)>,
}

const READ: &[&str] = &["api", "read_api"];
const WRITE: &[&str] = &["api"];

impl Route {
    /// Whether a request may change what people made. Mutations of GraphQL and
    /// routes for machines look themselves.
    pub fn changes(&self) -> bool {
        let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(&self.method);
        let looks_itself = matches!(self.surface, Surface::Plain | Surface::Graphql);
        // What a reading token may do reads, by whatever method.
        !(reads || looks_itself || self.always || self.scopes.contains(&"read_api"))
    }

    /// A route with what is usual. `handler` is the name of its handler's type.
    pub(super) fn new(method: Method, path: String, surface: Surface, handler: &str) -> Route {
        let reads = method == Method::GET || method == Method::HEAD;
        let name = handler_path(handler);
        Route {
            operation: name.join("_"),
            tag: tag(&name),
            method,
            path,
            surface,
            admits: Admits::Anyone,
            scopes: if reads { READ } else { WRITE },
            streams: false,
            takes_fields: false,
            largest_body: MAX_BODY,
            registry: false,
            job_tokens: false,
            names_user: false,
            git: false,
            slashed: false,
            feed: false,
            also_feed: false,
            fresh: false,
            always: false,
            summary: String::new(),
            answers: Vec::new(),
        }
    }
}

/// Crate, modules and name of a handler, without the modules that every
/// room has, and without the function that declares one that is a closure.
pub(super) fn handler_path(type_name: &str) -> Vec<&str> {
    // What a handler is of is no part of its name.
    let name = type_name.split_once('<').map_or(type_name, |(name, _)| name);
    name.split("::")
        .filter(|part| !matches!(*part, "rest" | "pages" | "routes"))
        .collect()
}

fn tag(handler: &[&str]) -> String {
    match handler {
        [room, module, _, ..] if room != module => format!("{room} {module}"),
        [room, ..] => (*room).to_owned(),
        [] => String::new(),
    }
    .replace('_', " ")
}
