//! Colours by choice. Dark colours stand once in the style sheet, below
//! `@media (prefers-color-scheme: dark)`. Somebody who chose dark has them
//! whatever the system says, and somebody who chose light never: `data-theme`
//! of the page says so, without a script.

const DARK: &str = "@media (prefers-color-scheme: dark) {";

/// The sheet with each block of dark colours twice: for a dark system unless
/// light is chosen, and for who chose dark.
pub(super) fn by_choice(sheet: &str) -> String {
    let mut parts = sheet.split(DARK);
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (block, rest) = part.split_at(end_of_block(part));
        all.push_str(DARK);
        all.push_str(&below(block, ":root:not([data-theme=\"light\"])"));
        all.push_str("}\n");
        all.push_str(&below(block, ":root[data-theme=\"dark\"]"));
        all.push_str(rest.strip_prefix('}').unwrap_or(rest));
    }
    all
}

/// Where the brace is that closes a block begun before.
fn end_of_block(text: &str) -> usize {
    let mut depth = 0_i32;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => return at,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// The rules of a block for pages whose root is such a one.
fn below(block: &str, root: &str) -> String {
    let selector = |one: &str| match one.trim().strip_prefix(":root") {
        Some(rest) => format!("{root}{rest}"),
        None => format!("{root} {}", one.trim()),
    };
    let rules = block.split_inclusive('}').filter_map(|rule| rule.split_once('{'));
    let rule = |(selectors, rest): (&str, &str)| {
        let selectors: Vec<String> = selectors.split(',').map(selector).collect();
        format!("\n{} {{{rest}", selectors.join(", "))
    };
    rules.map(rule).chain(["\n".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::assets::STYLES;

    #[test]
    fn who_chose_dark_has_it_and_who_chose_light_has_not() {
        let sheet = "a { b: c; }\n@media (prefers-color-scheme: dark) {\n  :root { --x: 1; }\n  \
                     .k, em { y: 2; }\n}\nz { q: r; }\n";
        let both = by_choice(sheet);
        let system = both.split_once(DARK).map(|(_, rest)| rest).unwrap_or_default();
        let (system, chosen) = system.split_at(end_of_block(system));
        assert!(system.contains(":root:not([data-theme=\"light\"]) { --x: 1; }"), "{both}");
        assert!(chosen.contains(":root[data-theme=\"dark\"] { --x: 1; }"), "{both}");
        assert!(chosen.contains(":root[data-theme=\"dark\"] .k, :root[data-theme=\"dark\"] em {"));
        assert!(both.starts_with("a { b: c; }\n") && both.ends_with("\nz { q: r; }\n"));
    }

    #[test]
    fn the_sheet_has_its_braces_in_pairs() {
        let both = by_choice(STYLES);
        assert_eq!(both.matches('{').count(), both.matches('}').count());
        let plain = STYLES.matches("--ground: #161512").count();
        assert_eq!((plain, both.matches("--ground: #161512").count()), (1, 2));
        let blocks = STYLES.split(DARK).skip(1);
        for block in blocks.map(|part| &part[..end_of_block(part)]) {
            assert!(!block.contains("/*") && !block.contains('@'), "only rules: {block}");
        }
    }
}
