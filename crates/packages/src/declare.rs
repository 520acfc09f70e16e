//! Declaring the routes of registry clients.

use kernel::http::Routes;
use kernel::http::routes::{Declared, Handler};

/// Scopes that read the registry.
const READ: &[&str] = &["api", "read_api", "read_package_registry", "write_package_registry"];
/// Scopes that change it.
const WRITE: &[&str] = &["api", "write_package_registry"];

/// A GET of clients.
pub fn reads<'r, A, H: Handler<A>>(r: &'r mut Routes, path: &str, handler: H) -> Declared<'r> {
    r.get(path, handler).scopes(READ).registry()
}

/// A POST of clients that changes nothing.
pub fn asks<'r, A, H: Handler<A>>(r: &'r mut Routes, path: &str, handler: H) -> Declared<'r> {
    r.post(path, handler).scopes(READ).registry().streams()
}

/// A route by which clients change the registry.
pub fn writes(route: Declared<'_>) -> Declared<'_> {
    route.scopes(WRITE).registry()
}

/// One of several places at which the same is asked.
pub struct Place {
    pub path: &'static str,
    /// What stands for `{whose}` in summaries.
    pub whose: &'static str,
    /// What tells its operations from those of the other places.
    pub name: &'static str,
}

impl Place {
    pub const fn new(path: &'static str, whose: &'static str, name: &'static str) -> Place {
        Place { path, whose, name }
    }

    pub fn at(&self, rest: &str) -> String {
        format!("{}{rest}", self.path)
    }

    /// A route at this place.
    pub fn of<'r>(&self, route: Declared<'r>, summary: &str) -> Declared<'r> {
        route.under(self.name).summary(summary.replace("{whose}", self.whose))
    }

    /// A GET of clients at this place.
    pub fn reads<'r, A, H: Handler<A>>(
        &self, r: &'r mut Routes, rest: &str, handler: H, summary: &str,
    ) -> Declared<'r> {
        self.of(reads(r, &self.at(rest), handler), summary)
    }
}
