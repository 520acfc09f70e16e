//! SSH keys of users and projects, and git over SSH.

pub fn routes(_: &mut kernel::http::Routes) {}
