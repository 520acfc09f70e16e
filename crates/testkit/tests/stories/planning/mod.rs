//! Stories about labels, milestones and issues, on both engines.

mod issue_access;
mod issue_links;
mod issue_lists;
mod issue_moves;
mod issues;
mod labels;
mod long_threads;
mod milestones;
mod named_issues;
mod notes;
mod notifications;
mod pages;
mod parallel;
mod plans;
mod references;
mod suggestions;
mod texts;
mod threads;
mod todos;
