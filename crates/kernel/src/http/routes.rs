//! Routes as data: method, path, scope, parameters and answers in one table
//! that feeds the router, `routes.txt`, OpenAPI and the refusal tests.

use super::call::{Call, FromCall, RequestContext};
use super::operation::Operation;
use super::refusal;
use super::reply::{Answer, Reply, Response};
use super::route::handler_path;
use crate::error::{Error, Result};
use crate::html::Seen;
use http::Method;
use std::any::Any;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

pub use super::route::{Admits, Route, Surface};

/// How a refusal is written.
pub type Refuse = fn(Error, &RequestContext) -> Response;

/// What becomes of an error of a handler, and whether nobody said who asks.
pub type Recover = fn(Error, bool) -> Result<Response>;

/// Left by the gate in calls of whom nobody knows who they are.
#[derive(Debug, Clone, Copy)]
pub struct Stranger;

type Waiting<'w, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'w>>;

/// An argument of a handler, whatever its type.
pub type Argument = Box<dyn Any + Send>;

/// Takes an argument out of a call.
pub type Take = for<'c> fn(&'c mut Call) -> Waiting<'c, Argument>;

/// A handler that runs, whatever its answer.
pub type Running = Waiting<'static, Box<dyn Reply>>;

/// A handler, whatever its type.
pub(super) struct AnyHandler {
    name: &'static str,
    pub(super) describe: fn(&mut Operation<'_>),
    takes: &'static [Take],
    start: Box<dyn Fn(Vec<Argument>) -> Running + Send + Sync>,
}

impl AnyHandler {
    fn new<A, H: Handler<A>>(handler: H) -> AnyHandler {
        AnyHandler {
            name: std::any::type_name::<H>(),
            describe: H::describe,
            takes: H::TAKES,
            start: Box::new(move |arguments| handler.start(arguments)),
        }
    }
}

/// A route and what it runs.
pub struct Endpoint {
    /// What is declared of it.
    pub route: Arc<Route>,
    /// Refusals are written so instead.
    refuse: Option<Refuse>,
    /// What becomes of errors of its handler before they are refusals.
    pub(super) recover: Option<Recover>,
    pub(super) handler: AnyHandler,
}

impl Deref for Endpoint {
    type Target = Route;

    fn deref(&self) -> &Route {
        &self.route
    }
}

impl Endpoint {
    fn new(method: Method, path: String, surface: Surface, handler: AnyHandler) -> Endpoint {
        Endpoint {
            route: Arc::new(Route::new(method, path, surface, handler.name)),
            refuse: None,
            recover: None,
            handler,
        }
    }

    fn route(&mut self) -> &mut Route {
        Arc::make_mut(&mut self.route)
    }

    /// Whether it is a page that strangers may ask for and the gate knows who
    /// does.
    pub fn is_open_page(&self) -> bool {
        self.surface == Surface::Page && self.admits == Admits::Anyone && self.refuse.is_none()
    }

    /// Has the handler answer. All but [`Handler::start`] is compiled once for
    /// all of them.
    pub(super) async fn handle(&self, mut call: Call) -> Result<Response> {
        let mut arguments = Vec::with_capacity(self.handler.takes.len());
        for take in self.handler.takes {
            arguments.push(take(&mut call).await?);
        }
        let (app, request) = (call.app.clone(), call.request.clone());
        drop(call);
        let answer = (self.handler.start)(arguments).await?;
        answer.reply_boxed(&app, &request)
    }

    /// A refusal of a request to it, and for a page of whom it is seen by.
    pub fn refused(&self, error: Error, request: &RequestContext, seen: Option<Seen>) -> Response {
        match self.refuse {
            Some(refuse) => refuse(error, request),
            None => refusal::render_for(error, self.surface, request, seen),
        }
    }
}

/// An `async fn` whose arguments are extractors and whose result is an answer.
pub trait Handler<Args>: Send + Sync + 'static {
    /// What takes its arguments out of a call, in their order.
    const TAKES: &'static [Take];
    /// Starts it with what these took.
    fn start(&self, arguments: Vec<Argument>) -> Running;
    /// Describes arguments and answer.
    fn describe(operation: &mut Operation<'_>);
}

fn take<A: FromCall + Send + 'static>(call: &mut Call) -> Waiting<'_, Argument> {
    Box::pin(async move { Ok(Box::new(A::from_call(call).await?) as Argument) })
}

fn next<A: 'static>(arguments: &mut std::vec::IntoIter<Argument>) -> A {
    let argument = arguments.next().and_then(|one| one.downcast().ok());
    *argument.expect("each argument is taken as its own type, in their order")
}

macro_rules! handler {
    ($($arg:ident),*) => {
        #[allow(non_snake_case, unused_mut, unused_variables)]
        impl<F, Fut, Ans, $($arg),*> Handler<($($arg,)*)> for F
        where
            F: Fn($($arg),*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output = Result<Ans>> + Send + 'static,
            Ans: Answer + 'static,
            $($arg: FromCall + Send + 'static),*
        {
            const TAKES: &'static [Take] = &[$(take::<$arg>),*];

            fn start(&self, arguments: Vec<Argument>) -> Running {
                let mut arguments = arguments.into_iter();
                $(let $arg = next(&mut arguments);)*
                let answer = self($($arg),*);
                Box::pin(async move { Ok(Box::new(answer.await?) as Box<dyn Reply>) })
            }

            fn describe(operation: &mut Operation<'_>) {
                $($arg::describe(operation);)*
                Ans::describe(operation);
            }
        }
    };
}
handler!();
handler!(A);
handler!(A, B);
handler!(A, B, C);
handler!(A, B, C, D);
handler!(A, B, C, D, E);
handler!(A, B, C, D, E, G);

/// The routes of a room, then of the whole program.
#[derive(Default)]
pub struct Routes {
    routes: Vec<Endpoint>,
    prefix: &'static str,
}

impl Routes {
    /// No routes yet.
    pub fn new() -> Routes {
        Routes::default()
    }

    /// Adds a GET of the API, below `/api/v4`.
    pub fn get<A, H: Handler<A>>(&mut self, path: &str, handler: H) -> Declared<'_> {
        self.api(Method::GET, path, handler)
    }
    /// Adds a POST of the API.
    pub fn post<A, H: Handler<A>>(&mut self, path: &str, handler: H) -> Declared<'_> {
        self.api(Method::POST, path, handler)
    }
    /// Adds a PUT of the API.
    pub fn put<A, H: Handler<A>>(&mut self, path: &str, handler: H) -> Declared<'_> {
        self.api(Method::PUT, path, handler)
    }
    /// Adds a PATCH of the API.
    pub fn patch<A, H: Handler<A>>(&mut self, path: &str, handler: H) -> Declared<'_> {
        self.api(Method::PATCH, path, handler)
    }
    /// Adds a DELETE of the API.
    pub fn delete<A, H: Handler<A>>(&mut self, path: &str, handler: H) -> Declared<'_> {
        self.api(Method::DELETE, path, handler)
    }

    /// Adds an HTML page; `path` is the whole path.
    pub fn page<A>(&mut self, by: Method, path: &str, handler: impl Handler<A>) -> Declared<'_> {
        self.add(by, path.to_owned(), Surface::Page, AnyHandler::new(handler))
    }
    /// Adds a route outside the API and the pages; `path` is the whole path.
    pub fn plain<A>(&mut self, by: Method, path: &str, handler: impl Handler<A>) -> Declared<'_> {
        self.add(by, path.to_owned(), Surface::Plain, AnyHandler::new(handler))
    }
    /// Adds a route whose refusals are GraphQL's; `path` is the whole path.
    pub fn graphql<A>(&mut self, by: Method, path: &str, handler: impl Handler<A>) -> Declared<'_> {
        self.add(by, path.to_owned(), Surface::Graphql, AnyHandler::new(handler))
    }

    fn api<A, H: Handler<A>>(&mut self, method: Method, path: &str, handler: H) -> Declared<'_> {
        let full = format!("/api/v4{}{path}", self.prefix);
        self.add(method, full, Surface::Api, AnyHandler::new(handler))
    }

    fn add(
        &mut self, method: Method, path: String, surface: Surface, handler: AnyHandler,
    ) -> Declared<'_> {
        self.routes.push(Endpoint::new(method, path, surface, handler));
        Declared(self.routes.last_mut().expect("pushed just above"))
    }

    /// Declares routes whose handlers' errors become what `recover` says.
    pub fn recovering(&mut self, recover: Recover, declare: impl FnOnce(&mut Routes)) {
        let known = self.routes.len();
        declare(self);
        for route in &mut self.routes[known..] {
            route.recover = Some(recover);
        }
    }

    /// Declares routes of the API below a prefix. `place` tells their operations in OpenAPI
    /// from those of the same handlers below another prefix.
    pub fn below(&mut self, prefix: &'static str, place: &str, declare: impl FnOnce(&mut Routes)) {
        let (outer, known) = (self.prefix, self.routes.len());
        self.prefix = prefix;
        declare(self);
        self.prefix = outer;
        for route in &mut self.routes[known..] {
            route.route().operation = format!("{}_{place}", route.operation);
        }
    }

    /// All routes in the order declared.
    pub fn all(&self) -> &[Endpoint] {
        &self.routes
    }

    /// Gives the routes away.
    pub fn into_all(self) -> Vec<Endpoint> {
        self.routes
    }
}

/// A route just added, for what is not its default.
pub struct Declared<'r>(&'r mut Endpoint);

impl Declared<'_> {
    /// Scopes any of which lets a token in.
    pub fn scopes(self, scopes: &'static [&'static str]) -> Self {
        self.0.route().scopes = scopes;
        self
    }
    /// The handler streams the body (see [`super::call::Upload`]).
    pub fn streams(self) -> Self {
        self.0.route().streams = true;
        self
    }
    /// The handler streams multipart bodies, and others hold parameters.
    pub fn streams_parts(self) -> Self {
        self.0.route().takes_fields = true;
        self.streams()
    }
    /// Bodies have at most so many bytes, in place of what is usual.
    pub fn takes(self, bytes: usize) -> Self {
        self.0.route().largest_body = bytes;
        self
    }
    /// Registry credentials (deploy and job tokens, Basic) are accepted.
    /// Their clients put a slash behind paths as they like.
    pub fn registry(self) -> Self {
        self.0.route().registry = true;
        self.slashed()
    }
    /// Credentials as git sends them are accepted: tokens of any kind, and passwords of
    /// accounts where these are allowed, by Basic.
    pub fn git(self) -> Self {
        self.0.route().git = true;
        self
    }
    /// Tokens of jobs of pipelines are accepted.
    pub fn job_tokens(self) -> Self {
        self.0.route().job_tokens = true;
        self
    }
    /// A slash behind the path is taken as none.
    pub fn slashed(self) -> Self {
        self.0.route().slashed = true;
        self
    }
    /// A user's token sent by Basic counts only under that user's name, as the
    /// interface wants it of some registries.
    pub fn names_user(self) -> Self {
        self.0.route().names_user = true;
        self
    }
    /// A feed, whose readers send a token for feeds in the address.
    pub fn feed(self) -> Self {
        self.0.route().feed = true;
        self
    }
    /// A page that is a feed where `format=atom` is asked for.
    pub fn also_feed(self) -> Self {
        self.0.route().also_feed = true;
        self
    }
    /// A session must have proved of late that it is still the same person:
    /// for changes of passwords, addresses, keys and tokens.
    pub fn reauthenticated(self) -> Self {
        self.0.route().fresh = true;
        self
    }
    /// It changes nothing that a read-only instance protects, though its method
    /// says so: sign-in, settings, what only computes.
    pub fn always(self) -> Self {
        self.0.route().always = true;
        self
    }
    /// Refusals are written so, also of requests that cannot be read.
    pub fn refuses(self, refuse: Refuse) -> Self {
        self.0.refuse = Some(refuse);
        self
    }
    /// Credentials are not resolved.
    pub fn unchecked(self) -> Self {
        self.0.route().admits = Admits::Unchecked;
        self
    }
    /// A further answer for OpenAPI, where the handler writes it itself.
    pub fn answers(self, status: u16, meaning: &'static str) -> Self {
        self.0.route().answers.push((status, meaning));
        self
    }
    /// One sentence for OpenAPI.
    pub fn summary(self, text: impl Into<String>) -> Self {
        self.0.route().summary = text.into();
        self
    }
    /// What OpenAPI calls a handler that serves several routes.
    pub fn named(self, name: &str) -> Self {
        let mut path = handler_path(self.0.handler.name);
        path.pop();
        path.push(name);
        self.0.route().operation = path.join("_");
        self
    }
    /// What tells the operation in OpenAPI from others of the same handler.
    pub fn under(self, place: &str) -> Self {
        self.0.route().operation = format!("{}_{place}", self.0.operation);
        self
    }
}

/// A cookie that the gate sets beside whatever the handler answers, unless
/// the handler sets it itself.
#[derive(Clone)]
pub struct GateCookie(pub http::HeaderValue);

/// What stands between the router and the handlers: resolves credentials,
/// applies scopes and throttles, and leaves the viewer in the call.
pub trait Gate: Send + Sync {
    /// Admits the call or refuses it.
    fn admit<'c>(
        &'c self, call: &'c mut Call,
    ) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'c>>;
}
