//! Good reports, and every bad one that somebody may send.

use super::*;
use crate::model::{Author, Category, Component, Hash, License, Tool};

fn small() -> Limits {
    Limits { components: 5, relations: 9, text: 64, ..Limits::default() }
}

fn whole(body: &str) -> String {
    format!("{{\"bomFormat\":\"CycloneDX\",\"specVersion\":\"1.5\",{body}}}")
}

fn bom(body: &str) -> Bom {
    read(whole(body).as_bytes(), &small()).expect("valid")
}

fn wrong(bytes: impl AsRef<[u8]>) -> String {
    read(bytes.as_ref(), &small()).expect_err("invalid").0
}

const REPORT: &str = r#"{
  "bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": "urn:uuid:1", "version": 1,
  "metadata": {
    "timestamp": "2026-01-01T00:00:00Z",
    "tools": {"components": [{"type": "application", "group": "acme", "name": "gen", "version": "2"}]},
    "authors": [{"name": "Ada", "email": "ada@example.com"}, {}],
    "component": {"type": "application", "bom-ref": "app", "name": "shop",
                  "components": [{"type": "file", "name": "a part"}]},
    "properties": [{"name": "other:meta:schema_version", "value": "1"},
                   {"name": "other:dependency_scanning:input_file:path", "value": "yarn.lock"},
                   {"name": "other:dependency_scanning:package_manager:name", "value": "yarn"}]
  },
  "components": [
    {"type": "library", "bom-ref": "a", "group": "@x", "name": "a", "version": "1.0", "purl": "pkg:npm/@x/a@1.0",
     "hashes": [{"alg": "SHA-1", "content": "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709"}, {"alg": "SHA-1", "content": "x"}],
     "licenses": [{"license": {"id": "MIT"}}, {"license": {"name": "Own", "url": "javascript:alert(1)"}},
                  {"license": {"name": "Other", "url": "https://example.com/l"}}],
     "properties": [{"name": "my:dependency_scanning:category", "value": "test"},
                    {"name": "my:dependency_scanning:input_file:path", "value": "../a\u0000.lock"}],
     "components": [{"type": "library", "name": "within", "licenses": [{"expression": "MIT or ISC"}]}]},
    {"type": "library", "bom-ref": "a", "name": "a", "purl": "not one"}
  ],
  "dependencies": [{"ref": "app", "dependsOn": ["a", "nowhere"]}, {"ref": "a", "dependsOn": ["a#2", "a#2", "a"]},
                   {"ref": "a#2", "dependsOn": ["a"]}]
}"#;

#[test]
fn a_report_is_read_whole() {
    let bom = read(REPORT.as_bytes(), &small()).expect("valid");
    assert_eq!(bom.spec, SpecVersion::V1_6);
    let tool = Tool {
        vendor: Some("acme".into()),
        name: "gen".into(),
        version: Some("2".into()),
    };
    assert_eq!(bom.tools, [tool]);
    let ada = Author {
        name: Some("Ada".into()),
        email: Some("ada@example.com".into()),
    };
    assert_eq!(bom.authors, [ada]);
    assert_eq!(bom.root.as_ref().map(|root| root.name.as_str()), Some("shop"));
    let [a, within, other] = bom.components.as_slice() else {
        panic!("{:?}", bom.components)
    };
    assert_eq!(a.full_name(), "@x/a");
    assert_eq!(a.purl.as_deref(), Some("pkg:npm/%40x/a@1.0"));
    let digest = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
    assert_eq!(a.hashes, [Hash { algorithm: "SHA-1".into(), value: digest.into() }]);
    let named = |name: &str, url: Option<&str>| License::Named {
        name: name.into(),
        url: url.map(str::to_owned),
    };
    let other_license = named("Other", Some("https://example.com/l"));
    assert_eq!(a.licenses, [License::Id("MIT".into()), named("Own", None), other_license]);
    assert_eq!(a.category, Category::Test);
    assert_eq!((a.path(), a.packager.as_deref()), (Some("../a.lock"), Some("yarn")));
    assert_eq!(within.licenses, [License::Expression("MIT OR ISC".into())]);
    assert_eq!(within.path(), Some("yarn.lock"));
    assert_eq!((other.reference.as_str(), &other.purl), ("a#2", &None));
    assert_eq!(bom.dependencies["a"], ["a#2"]);
    assert_eq!(bom.dependencies["app"], ["a"]);
}

#[test]
fn a_document_in_xml_says_the_same() {
    let xml = r#"<?xml version="1.0" encoding="UTF-8"?>
<bom xmlns="http://cyclonedx.org/schema/bom/1.4" serialNumber="urn:uuid:1" version="1">
  <metadata><timestamp>2026-01-01T00:00:00Z</timestamp>
    <tools><tool><vendor>acme</vendor><name>gen</name><version>2</version></tool></tools>
    <authors><author><name>Ada</name></author></authors>
    <component type="application" bom-ref="app"><name>shop</name>
      <components><component type="file"><name>a part</name></component></components></component>
    <properties><property name="o:dependency_scanning:input_file:path">pom.xml</property></properties>
  </metadata>
  <components>
    <component type="library" bom-ref="a"><group>org.acme</group><name>a &amp; b</name><version>1</version>
      <hashes><hash alg="MD5">D41D8CD98F00B204E9800998ECF8427E</hash></hashes>
      <licenses><license><id>MIT</id></license><license><name>Own</name><url>http://example.com</url></license></licenses>
      <purl>pkg:maven/org.acme/a%20b@1</purl>
      <pedigree><ancestors><component type="library"><name>old</name></component></ancestors></pedigree>
      <components><component type="library"><name>within</name></component></components>
    </component>
  </components>
  <dependencies><dependency ref="app"><dependency ref="a"/></dependency></dependencies>
</bom>"#;
    let bom = read(xml.as_bytes(), &small()).expect("valid");
    let names: Vec<&str> = bom.components.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["a & b", "within"]);
    let a = &bom.components[0];
    assert_eq!((a.packager.as_deref(), a.path()), (Some("maven"), Some("pom.xml")));
    assert_eq!((a.hashes.len(), a.licenses.len()), (1, 2));
    assert_eq!(bom.dependencies["app"], ["a"]);
    assert_eq!((bom.tools.len(), bom.authors.len()), (1, 1));
}

#[test]
fn what_is_no_document_of_these_versions_says_so() {
    let versions = "Unsupported CycloneDX spec version. Must be one of: 1.4, 1.5, 1.6";
    assert_eq!(wrong(r#"{"bomFormat":"CycloneDX","specVersion":"1.3"}"#), versions);
    assert_eq!(wrong(r#"{"bomFormat":"CycloneDX"}"#), versions);
    assert_eq!(wrong(r#"<bom xmlns="http://cyclonedx.org/schema/bom/1.2"></bom>"#), versions);
    for (body, place) in [
        ("", "it is empty"),
        ("{", "EOF while parsing"),
        ("[1]", "expected an object"),
        (r#"{"specVersion":"1.4"}"#, "bomFormat is missing"),
        (r#"{"bomFormat":"SPDX","specVersion":"1.4"}"#, "bomFormat must be CycloneDX"),
        (r#"{"bomFormat":"CycloneDX","specVersion":"1.4"} x"#, "trailing characters"),
    ] {
        let error = wrong(body);
        assert!(error.starts_with("Report JSON is invalid: "), "{error}");
        assert!(error.contains(place), "{error}");
    }
}

#[test]
fn a_mistake_is_told_with_its_place() {
    let named = r#"{"type":"library","name":"a"}"#;
    for (body, place) in [
        (
            format!(r#""components":[{named},{named},{named},{{"type":"library"}}]"#),
            "components[3].name is missing",
        ),
        (
            format!(r#""components":[{{"name":"a","components":[{named},{{}}]}}]"#),
            "components[0].components[1].name is missing",
        ),
        (r#""components":[{"name":1}]"#.into(), "components[0].name must be a string"),
        (r#""components":["a"]"#.into(), "expected an object as components[0]"),
        (r#""components":{}"#.into(), "expected a list as components"),
        (r#""metadata":{"component":{}}"#.into(), "metadata.component.name is missing"),
        (r#""dependencies":[{"dependsOn":[]}]"#.into(), "dependencies[0].ref is missing"),
        (r#""metadata":[]"#.into(), "expected an object as metadata"),
    ] {
        let error = wrong(whole(&body));
        assert!(error.contains(place), "{error}");
    }
}

#[test]
fn bombs_are_refused() {
    let deep = format!("{}1{}", "[".repeat(65), "]".repeat(65));
    assert_eq!(
        wrong(whole(&format!("\"x\":{deep}"))),
        "Report is nested more than 64 levels deep"
    );
    let deep_xml =
        "<bom xmlns='http://cyclonedx.org/schema/bom/1.4'>".to_owned() + &"<a>".repeat(64);
    assert_eq!(wrong(deep_xml), "Report is nested more than 64 levels deep");
    let many = [r#"{"name":"a"}"#; 6].join(",");
    assert_eq!(
        wrong(whole(&format!("\"components\":[{many}]"))),
        "Report has more than 5 components"
    );
    let nested = format!(r#""components":[{{"name":"a","components":[{many}]}}]"#);
    assert_eq!(wrong(whole(&nested)), "Report has more than 5 components");
    let edges =
        format!(r#""dependencies":[{{"ref":"a","dependsOn":[{}]}}]"#, ["\"b\""; 10].join(","));
    assert_eq!(wrong(whole(&edges)), "Report has more than 9 relations of components");
    let limits = Limits { bytes: 10, ..small() };
    let error = read(REPORT.as_bytes(), &limits).expect_err("too large");
    assert_eq!(error.0, "Report is larger than 10 bytes");
    let entities =
        "<!DOCTYPE bom [<!ENTITY a 'b'>]><bom xmlns='http://cyclonedx.org/schema/bom/1.4'/>";
    assert!(wrong(entities).contains("document type definition"));
}

#[test]
fn another_encoding_is_told() {
    let wide: Vec<u8> = REPORT.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(wrong(&wide).starts_with("Report must be encoded in UTF-8"));
    let marked: Vec<u8> = [0xff, 0xfe].into_iter().chain(wide).collect();
    assert!(wrong(&marked).starts_with("Report must be encoded in UTF-8: byte 0"));
    assert!(wrong(b"{\"a\":\"\xe4\"}").contains("byte 6"));
    let with_mark = [b"\xef\xbb\xbf", REPORT.as_bytes()].concat();
    assert!(read(&with_mark, &small()).is_ok());
}

#[test]
fn hostile_texts_are_trimmed() {
    let bom = bom(&format!(
        r#""components":[{{"name":"\u0000\u001b[31ma\nb\u0007","version":"{}","licenses":[{{"license":{{"name":"x","url":" JaVaScRiPt:alert(1)"}}}}]}},
            null, {{"bom-ref":"\u0000","name":"b","version":null}}]"#,
        "9".repeat(100)
    ));
    let [a, b] = bom.components.as_slice() else { panic!("{bom:?}") };
    assert_eq!(a.name, "[31ma b");
    assert_eq!(a.version.as_deref().map(str::len), Some(64));
    assert_eq!(a.licenses, [License::Named { name: "x".into(), url: None }]);
    assert_eq!((b.version.as_deref(), b.reference.as_str()), (None, "component-2"));
}

#[test]
fn properties_of_another_version_have_no_meaning() {
    let body = |version: &str| {
        bom(&format!(
            r#""metadata":{{"properties":[{{"name":"o:meta:schema_version","value":"{version}"}}]}},
            "components":[{{"name":"a","properties":[{{"name":"o:dependency_scanning:input_file:path","value":"x"}}]}}]"#
        ))
    };
    assert_eq!(body("1").components[0].path(), Some("x"));
    assert_eq!(body("2").components[0].path(), None);
}

#[test]
fn images_and_systems_are_read_of_their_parts() {
    let bom = bom(r#""metadata":{"properties":[
            {"name":"o:container_scanning:image:name","value":"example.com:5000/app"},
            {"name":"o:container_scanning:image:tag","value":"1"},
            {"name":"o:container_scanning:operating_system:name","value":"debian"}]},
          "components":[{"name":"libc","purl":"pkg:deb/debian/libc6@2.36"}]"#);
    let component: &Component = &bom.components[0];
    assert_eq!(component.image.as_deref(), Some("example.com:5000/app:1"));
    assert_eq!(component.operating_system.as_deref(), Some("debian"));
    assert_eq!(component.packager.as_deref(), Some("apt"));
}
