//! Orders of lists, by their names in enums.

use kernel::graph::{EnumItem, Order, item};

/// By what a name such as `CREATED_ASC` sorts, in small letters, and in which direction:
/// from the last one on unless it says otherwise.
pub fn sort_of(name: Option<&str>) -> (String, Order) {
    let name = name.unwrap_or_default().to_ascii_lowercase();
    let (by, direction) = name.rsplit_once('_').unwrap_or_default();
    let order = if direction == "asc" { Order::Asc } else { Order::Desc };
    (by.to_owned(), order)
}

/// The orders that all lists have: by when things were made and changed.
pub fn time_sorts() -> Vec<EnumItem> {
    vec![
        item("CREATED_ASC", "First made first."),
        item("CREATED_DESC", "Last made first."),
        item("UPDATED_ASC", "Longest unchanged first."),
        item("UPDATED_DESC", "Last changed first."),
        item("created_asc", "First made first."),
        item("created_desc", "Last made first."),
        item("updated_asc", "Longest unchanged first."),
        item("updated_desc", "Last changed first."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_by_what_and_in_which_direction() {
        let read = |name: &str| sort_of(Some(name));
        assert_eq!(read("MILESTONE_DUE_ASC"), ("milestone_due".to_owned(), Order::Asc));
        assert_eq!(read("created_desc"), ("created".to_owned(), Order::Desc));
        assert_eq!(sort_of(None), (String::new(), Order::Desc));
    }
}
