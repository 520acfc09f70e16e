//! In which order files are shown.

use std::cmp::Ordering;

/// Compares paths part by part: folders before the files beside them, then by name.
pub fn by_parts(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one.split('/').peekable(), other.split('/').peekable());
    loop {
        let (name, with) = match (one.next(), other.next()) {
            (Some(name), Some(with)) => (name, with),
            (left, right) => return left.is_some().cmp(&right.is_some()),
        };
        let (is_folder, is_other) = (one.peek().is_some(), other.peek().is_some());
        let order = is_other.cmp(&is_folder).then_with(|| name.cmp(with));
        if order.is_ne() {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn folders_come_before_files() {
        let mut paths = ["z.rs", "a.rs", "src/z/a", "src/b", "src/a", "lib/x", "src-x/a", "a/b"];
        paths.sort_by(|one, other| by_parts(one, other));
        let sorted = ["a/b", "lib/x", "src/z/a", "src/a", "src/b", "src-x/a", "a.rs", "z.rs"];
        assert_eq!(paths, sorted);
    }

    proptest! {
        #[test]
        fn it_is_an_order(
            a in "[ab/.]{0,6}", b in "[ab/.]{0,6}", c in "[ab/.]{0,6}"
        ) {
            prop_assert_eq!(by_parts(&a, &b), by_parts(&b, &a).reverse());
            prop_assert_eq!(by_parts(&a, &b).is_eq(), a == b);
            if by_parts(&a, &b).is_le() && by_parts(&b, &c).is_le() {
                prop_assert!(by_parts(&a, &c).is_le());
            }
        }
    }
}
