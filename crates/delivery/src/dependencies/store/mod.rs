//! SQL of dependencies.

pub mod lists;
pub mod problems;
mod reading;
pub mod uploads;
mod writing;

pub use reading::{count, current, current_of, page_after, page_of_list};
pub use writing::{Origin, Row, add, begin, ended, make_current, take_away, would_be_current};
