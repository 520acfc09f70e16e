//! Code as people and programs read and write it: branches, tags, commits, files and
//! what differs between them, over REST and on pages. Git itself is in `repositories`.

pub fn routes(_: &mut kernel::http::Routes) {}
