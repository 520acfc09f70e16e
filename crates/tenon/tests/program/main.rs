//! The built program as its users meet it: started, stopped, killed, moved.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod alerts;
mod backup;
mod bucket;
mod cleanup;
mod command_line;
mod dependencies;
mod dovecot;
mod downloads;
mod errors;
mod exports;
mod grants;
mod guide;
mod hostile;
mod kill;
mod large;
mod logs;
mod mailbox;
mod mails;
mod nodes;
mod npm;
mod outage;
mod overload;
mod paging;
mod place;
mod repositories;
mod runner_siege;
mod runners;
mod siege;
mod smtp;
mod start;
mod storage;
mod storm;
mod writing;
