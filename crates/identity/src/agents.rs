//! What a user agent is called.

/// A user agent as people call it (`Firefox on Linux`). The more particular
/// names come first, since browsers also name those they descend from.
pub fn name(agent: &str) -> String {
    const BROWSERS: [(&str, &str); 6] = [
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
        ("curl/", "curl"),
    ];
    const SYSTEMS: [(&str, &str); 6] = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ];
    let named = |names: &[(&str, &'static str)]| {
        let found = names.iter().find(|(mark, _)| agent.contains(mark));
        found.map(|(_, name)| *name)
    };
    match (named(&BROWSERS), named(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(name), None) | (None, Some(name)) => name.to_owned(),
        (None, None) if agent.is_empty() => "Unknown browser".to_owned(),
        (None, None) => agent.chars().take(60).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn browsers_are_named_as_people_do() {
        let linux = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36";
        assert_eq!(name(linux), "Chrome on Linux");
        assert_eq!(name(&format!("{linux} Edg/130.0")), "Edge on Linux");
        assert_eq!(name("Mozilla/5.0 (iPhone) Safari/604.1"), "Safari on iPhone");
        assert_eq!(name("curl/8.5"), "curl");
        assert_eq!(name(""), "Unknown browser");
        assert_eq!(name(&"x".repeat(99)).len(), 60);
    }
}
