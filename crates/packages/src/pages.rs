//! HTML pages of the registry.

use kernel::http::Routes;

/// The room's pages.
pub fn routes(_: &mut Routes) {}
