//! Patterns whose only special character is `*`.

/// Whether the whole of `name` fits `pattern`, ignoring case. Takes time
/// linear in both: each text between stars is taken at its first place.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (kernel::ids::fold(pattern), kernel::ids::fold(name));
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut left) = name.strip_prefix(first).and_then(|left| left.strip_suffix(last)) else {
        return false;
    };
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::matches;
    use proptest::prelude::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, name) in [
            ("*", ""),
            ("*", "x"),
            ("ham*", "hammer"),
            ("*mer", "hammer"),
            ("h*m*r", "hammer"),
            ("hammer", "HAMMER"),
            ("@Acme/*", "@acme/anvil"),
            ("a**b", "ab"),
            ("*a*", "bab"),
            ("ab*ba", "abba"),
        ] {
            assert!(matches(pattern, name), "{pattern} should fit {name}");
        }
        for (pattern, name) in [
            ("ham", "hammer"),
            ("ham*", "xham"),
            ("aba*aba", "aba"),
            ("*x*", "abc"),
            ("", "a"),
            ("a.c", "abc"),
            ("a?c", "abc"),
            ("[a-z]*", "abc"),
            ("a*b*c", "acb"),
        ] {
            assert!(!matches(pattern, name), "{pattern} should not fit {name}");
        }
    }

    /// The plain definition, slow on purpose.
    fn defined(pattern: &[u8], name: &[u8]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some((b'*', rest)) => (0..=name.len()).any(|at| defined(rest, &name[at..])),
            Some((first, rest)) => name
                .split_first()
                .is_some_and(|(head, tail)| head == first && defined(rest, tail)),
        }
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_definition(pattern in "[ab*]{0,8}", name in "[ab]{0,8}") {
            prop_assert_eq!(
                matches(&pattern, &name),
                defined(pattern.as_bytes(), name.as_bytes())
            );
        }

        #[test]
        fn no_text_is_special_but_the_star(name in "\\PC{0,40}") {
            prop_assume!(!name.contains('*'));
            prop_assert!(matches(&name, &name));
            prop_assert!(matches("*", &name));
        }
    }

    #[test]
    fn hostile_patterns_take_linear_time() {
        let pattern = "*a".repeat(127);
        let name = "a".repeat(100_000) + "b";
        let began = std::time::Instant::now();
        assert!(!matches(&format!("{pattern}c"), &name));
        assert!(began.elapsed().as_secs() < 2);
    }
}
