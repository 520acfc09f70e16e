//! The REST API of users and tokens (contract sections 4 and 5).

use kernel::http::Routes;

/// Declares all of it.
pub fn routes(_: &mut Routes) {}
