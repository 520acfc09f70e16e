use super::*;

#[test]
fn licences_of_no_list_are_explained() {
    let heading = Heading {
        name: "shop".into(),
        namespace: "https://example.com/spdx/1".into(),
        created: "2026-01-01T00:00:00Z".into(),
        creators: vec!["Tool: own-1".into()],
        root: Root { name: "shop".into(), ..Root::default() },
    };
    let component = Component {
        name: "a".into(),
        kind: "library".into(),
        purl: Some("pkg:npm/a@1".into()),
        licenses: vec![
            License::Expression("MIT OR LicenseRef-theirs".into()),
            License::Named { name: "My own".into(), url: None },
        ],
        hashes: vec![Hash { algorithm: "SHA-256".into(), value: "00".into() }],
        ..Component::default()
    };
    let mut writer = Writer::begin(Vec::new(), &heading).expect("begun");
    let top = Link::Row { top_level: true, parent: None };
    writer.component(&component, top).expect("written");
    let unknown = License::Named { name: "unknown".into(), url: None };
    let below = Link::Row { top_level: false, parent: Some(("a", None)) };
    let other = Component {
        name: "b".into(),
        licenses: vec![unknown],
        ..Component::default()
    };
    writer.component(&other, below).expect("written");
    let document: Value =
        serde_json::from_slice(&writer.finish().expect("finished")).expect("JSON");
    let declared = document["packages"][1]["licenseDeclared"].as_str().expect("declared");
    assert!(declared.starts_with("(MIT OR LicenseRef-theirs) AND LicenseRef-My-own-"));
    assert_eq!(document["packages"][2]["licenseDeclared"], UNKNOWN);
    let infos = document["hasExtractedLicensingInfos"].as_array().expect("a list");
    let names: Vec<&str> = infos.iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, ["My own", "LicenseRef-theirs"]);
    assert_eq!(document["packages"][1]["checksums"][0]["algorithm"], "SHA256");
    let kinds: Vec<&str> = document["relationships"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["relatedSpdxElement"].as_str())
        .collect();
    assert_eq!(kinds, ["SPDXRef-Root", "SPDXRef-Package-1", "SPDXRef-Package-2"]);
}
