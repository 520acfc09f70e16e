use super::*;

/// Each is older than the one behind it.
fn in_order(kind: &str, all: &[&str]) {
    for (index, one) in all.iter().enumerate() {
        for (place, other) in all.iter().enumerate() {
            let order = compare(kind, one, other);
            assert_eq!(order, Some(index.cmp(&place)), "{kind}: {one} and {other}");
        }
    }
}

fn same(kind: &str, one: &str, other: &str) {
    assert_eq!(compare(kind, one, other), Some(Ordering::Equal), "{kind}: {one} and {other}");
}

#[test]
fn semantic_versions_are_ordered() {
    let all = [
        "0.9",
        "1.0.0-1",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-rc.2",
        "1.0.0-rc.11",
        "v1.0.0",
        "1.0.1",
        "1.10.0",
    ];
    in_order("npm", &all);
    same("nuget", "1.0", "1.0.0.0");
    same("golang", "v1.2.3+incompatible", "1.2.3");
    assert_eq!(compare("npm", "latest", "1.0.0"), None);
    assert_eq!(compare("unheard", "1", "2"), None);
}

#[test]
fn python_versions_are_ordered() {
    let all = [
        "1.dev0",
        "1.0.dev456",
        "1.0a1",
        "1.0a2.dev456",
        "1.0a12.dev456",
        "1.0a12",
        "1.0b1.dev456",
        "1.0b2",
        "1.0b2.post345.dev456",
        "1.0b2.post345",
        "1.0rc1.dev456",
        "1.0rc1",
        "1.0",
        "1.0+abc.5",
        "1.0+5",
        "1.0.post456.dev34",
        "1.0.post456",
        "1.1.dev1",
        "1!0.1",
    ];
    in_order("pypi", &all[1..]);
    same("pypi", "v1.0", "1");
    same("pypi", "1.0-ALPHA.1", "1a1");
    assert_eq!(compare("pypi", "1.0-unknown", "1"), None);
}

#[test]
fn versions_of_maven_are_ordered() {
    in_order(
        "maven",
        &[
            "1-alpha-1",
            "1-beta",
            "1-m1",
            "1-rc",
            "1-SNAPSHOT",
            "1",
            "1-sp",
            "1-xyz",
            "1-1",
            "1.1",
        ],
    );
    for release in ["1.0", "1-ga", "1.0.0", "1-final"] {
        same("maven", "1", release);
    }
    in_order("maven", &["2.9.10", "2.9.10.8", "2.10.0"]);
    in_order("maven", &["31.1-android", "31.1-jre", "32.0.0-android"]);
}

#[test]
fn other_packagers_order_in_their_own_ways() {
    in_order("gem", &["1.0.a", "1.0.b1", "1.0", "1.0.1", "1.10"]);
    same("gem", "1", "1.0.0");
    in_order(
        "composer",
        &["1.0-dev", "1.0-alpha1", "1.0-beta2", "1.0-RC1", "1.0", "1.0-p1", "1.0.1"],
    );
    same("composer", "v1.0", "1.0.0");
    in_order(
        "deb",
        &["1.0~rc1-1", "1.0-1", "1.0-1+deb12u1", "1.0-2", "1.0a-1", "1.0.1-1", "1:0.1-1"],
    );
    in_order(
        "apk",
        &[
            "1.2.3_alpha1-r0",
            "1.2.3_rc2-r0",
            "1.2.3-r0",
            "1.2.3-r10",
            "1.2.3_p1-r0",
            "1.2.10-r0",
        ],
    );
}
