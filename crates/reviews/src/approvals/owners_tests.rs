use super::*;
use proptest::prelude::*;

fn fits_path(pattern: &str, path: &str) -> bool {
    let path: Vec<&str> = path.split('/').collect();
    Pattern::new(pattern.to_owned()).fits(&path)
}

#[test]
fn patterns_fit_paths() {
    for (pattern, fitting, others) in [
        ("*", &["a", "a/b"][..], &[][..]),
        ("*.rs", &["a.rs", "x/a.rs"], &["a.md", "a.rs/b"]),
        ("/*.rs", &["a.rs"], &["x/a.rs"]),
        ("docs", &["docs", "docs/a", "x/docs/a/b"], &["docsx", "xdocs/a"]),
        ("docs/", &["docs/a", "x/docs/a/b"], &["docs"]),
        ("/docs/", &["docs/a", "docs/a/b"], &["docs", "x/docs/a"]),
        ("/docs/*", &["docs/a"], &["docs/a/b"]),
        ("/docs/**/*.md", &["docs/a.md", "docs/x/y/a.md"], &["a.md", "docs/a.rs"]),
        ("/a/b.rs", &["a/b.rs"], &["b.rs", "x/a/b.rs"]),
        ("a b", &["a b", "x/a b"], &["a"]),
    ] {
        for path in fitting {
            assert!(fits_path(pattern, path), "{pattern} {path}");
        }
        for path in others {
            assert!(!fits_path(pattern, path), "{pattern} {path}");
        }
    }
}

fn told(text: &str, paths: &[&str]) -> Vec<String> {
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    let shown = |owner: &Owner| match owner {
        Owner::Name(name) => format!("@{name}"),
        Owner::Address(address) => address.clone(),
    };
    let line = |one: Demand| {
        let owners: Vec<String> = one.owners.iter().map(shown).collect();
        format!("{} {} {} {}", one.section, one.pattern, one.approvals, owners.join(" "))
    };
    demands(text, &paths).into_iter().map(line).collect()
}

const FILE: &str = "# Who owns what
* @ada
*.md  @docs/team ada@example.com # theirs
/secret\\ plans/ @bob

[Database][2] @dba
/db/
/db/seeds/ @eve @@role

^[Style] @cy
*.css

[database]
/sql/
[a-z]x @dee
";

#[test]
fn the_last_line_of_each_section_counts() {
    assert_eq!(told(FILE, &["a.rs"]), ["codeowners * 1 @ada"]);
    assert_eq!(
        told(FILE, &["x/a.md", "b.rs"]),
        ["codeowners * 1 @ada", "codeowners *.md 1 @docs/team ada@example.com"]
    );
    assert_eq!(
        told(FILE, &["db/seeds/a", "db/b"]),
        ["codeowners * 1 @ada", "database /db/ 1 @dba", "database /db/seeds/ 1 @eve"]
    );
    assert_eq!(told(FILE, &["a.css"]), ["codeowners * 1 @ada", "Style *.css 0 @cy"]);
    assert_eq!(told(FILE, &["secret plans/x"]), ["codeowners /secret plans/ 1 @bob"]);
    assert!(told("", &["a"]).is_empty() && told(FILE, &[]).is_empty());
    assert!(told("* nobody", &["a"]).is_empty(), "a word is no owner");
}

proptest! {
    #[test]
    fn any_text_is_read(text in "[ a-b/*@\\[\\]^#\n0-9\\\\]{0,80}", path in "[a-b/]{0,12}") {
        let demands = demands(&text, &[path]);
        prop_assert!(demands.iter().all(|one| !one.owners.is_empty()));
    }

    #[test]
    fn a_path_fits_itself_and_its_folders(path in "[a-c]{1,3}(/[a-c]{1,3}){0,4}") {
        prop_assert!(fits_path(&path, &path));
        let rooted = format!("/{}", path);
        prop_assert!(fits_path(&rooted, &path));
        let below = format!("{}/x", path);
        prop_assert!(fits_path(&rooted, &below));
    }
}
