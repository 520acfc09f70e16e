use super::*;
use crate::archive::Packing;

const HEX: &str = "0123456789abcdef0123456789abcdef";

fn about(path: &str) -> About {
    with_revisions(&format!("ham/1.0/acme/stable/{path}")).unwrap().1
}

#[test]
fn recipes_have_four_parts() {
    let (recipe, about) = without_revisions("ham/1.0+b/acme+anvil/stable").unwrap();
    assert_eq!(recipe.full(), "ham/1.0+b@acme+anvil/stable");
    assert_eq!(recipe.path(), "ham/1.0+b/acme+anvil/stable");
    assert_eq!(recipe.project().as_deref(), Some("acme/anvil"));
    assert_eq!(about, About::Whole(None));
    assert_eq!(Recipe::read(&recipe.full()), Some(recipe));
    let (bare, _) = without_revisions("ham/1.0/_/_/").unwrap();
    assert_eq!((bare.project(), bare.full()), (None, "ham/1.0@_/_".into()));
    let long = format!("{}/1.0/_/_", "a".repeat(51));
    for path in [
        "",
        "ham",
        "ham/1.0/_",
        "h/1.0/_/_",
        "ham/1.0/acme/_",
        "ham/1.0/_/stable",
        "-am/1.0/_/_",
        "ham/../_/_",
        "ham/1.0/a b/stable",
        "ham/1.0/äh/stable",
        "ham//_/_",
        "ham/1%2f0/_/_",
        "ham/1.0\0/_/_",
        "ham/1.0/__/..",
        &long,
    ] {
        assert!(without_revisions(path).is_err(), "{path:?}");
    }
}

#[test]
fn paths_tell_what_they_are_about() {
    let hex = || HEX.to_owned();
    let pref = || "5ab8".to_owned();
    let place = |binary: Option<(String, String)>| RevisionPath { recipe_revision: hex(), binary };
    assert_eq!(about("latest"), About::Latest);
    assert_eq!(about("search"), About::Search(None));
    assert_eq!(about(&format!("revisions/{HEX}/search")), About::Search(Some(hex())));
    assert_eq!(about(&format!("revisions/{HEX}")), About::Revision(place(None)));
    let packages = format!("revisions/{HEX}/packages");
    assert_eq!(about(&packages), About::Packages(hex()));
    assert_eq!(about(&format!("{packages}/5ab8/latest")), About::BinaryLatest(hex(), pref()));
    let binary = format!("{packages}/5ab8/revisions");
    assert_eq!(about(&binary), About::BinaryRevisions(hex(), pref()));
    let within = || place(Some((pref(), hex())));
    assert_eq!(about(&format!("{binary}/{HEX}")), About::Revision(within()));
    assert_eq!(about(&format!("{binary}/{HEX}/files")), About::Files(within()));
    assert_eq!(
        about(&format!("{binary}/{HEX}/files/metadata/logs/a b.txt")),
        About::File(within(), "metadata/logs/a b.txt".into())
    );
    let (_, place, name) = file("ham/1.0/_/_/0/package/5ab8/0/conan_package.tgz").unwrap();
    assert_eq!(
        (place, name.as_str()),
        (RevisionPath::without_revisions(Some("5ab8")), "conan_package.tgz")
    );
    let (_, what) = without_revisions("ham/1.0/_/_/packages/5ab8/digest").unwrap();
    assert_eq!(what, About::Digest(Some(pref())));
    for path in [
        "revisions/1",
        "revisions/0123",
        "revisions/g",
        "packages",
        "latest/a",
        "revisions//files",
        &format!("revisions/{}", HEX.to_uppercase()),
        &format!("revisions/{HEX}/packages/a-b/latest"),
        &format!("revisions/{HEX}/files/evil.sh"),
        &format!("revisions/{HEX}/files/conaninfo.txt"),
        &format!("{binary}/{HEX}/files/conanfile.py"),
    ] {
        assert!(with_revisions(&format!("ham/1.0/_/_/{path}")).is_err(), "{path}");
    }
}

#[test]
fn files_have_known_names() {
    let (recipe, binary) = (
        RevisionPath::without_revisions(None),
        RevisionPath::without_revisions(Some("a")),
    );
    assert_eq!(kind(&recipe, "conan_export.txz"), Some(Kind::Archive(Packing::Xz)));
    assert_eq!(kind(&binary, "conan_package.tzst"), Some(Kind::Archive(Packing::Zstd)));
    let all = ["conan_package.tgz", "conan_package.txz", "conan_package.tzst"];
    assert_eq!(alternatives(Kind::Archive(Packing::Xz), "conan_package.txz"), all);
    assert_eq!(alternatives(Kind::Metadata, "metadata/a.txt"), ["metadata/a.txt"]);
    for path in [
        "",
        "metadata",
        "metadata/",
        "metadata//a",
        "metadata/../a",
        "metadata/a/..",
        "metadata/a\\b",
        "metadata/a\r\nb",
        "metadata/\0",
        "conan_export.tbz",
        "conan_export.t",
        "conan_export.tgz/a",
        "CONANFILE.PY",
        "conan_package.tgz",
    ] {
        assert_eq!(kind(&recipe, path), None, "{path:?}");
    }
}
