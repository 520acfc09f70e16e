//! What several pages of code show: which ref, which path, lines, commits, differences.

pub mod clone;
pub mod code_area;
pub mod commit_form;
pub mod commit_line;
pub mod commit_rows;
pub mod diff;
pub mod files;
pub mod found;
pub mod lines;
pub mod merge_link;
pub mod mirrored;
pub mod older;
pub mod path;
pub mod pipelines;
pub mod refs;

pub use clone::CloneBox;
pub use commit_line::CommitLine;
pub use files::FileTable;
pub use found::FoundFile;
pub use lines::SourceLines;
pub use merge_link::merge_request_url;
pub use mirrored::Mirrored;
pub use path::PathSteps;
pub use refs::RefMenu;
