use super::*;

const WHOLE: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!-- made by hand -->
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata minClientVersion="2.12">
    <id>Acme.Hammer</id>
    <version>1.2.0-Beta.1</version>
    <title>Hammer</title>
    <authors>Jane, John</authors>
    <requireLicenseAcceptance>true</requireLicenseAcceptance>
    <licenseUrl>https://example.com/license</licenseUrl>
    <projectUrl>javascript:alert(1)</projectUrl>
    <description>Strikes &lt;hard&gt; &amp; <![CDATA[<fast>]]>&#x2028;&#1;</description>
    <tags>iron tools</tags>
    <license type="expression">MIT</license>
    <repository type="git" url="https://example.com/hammer.git" />
    <readme>docs\README.md</readme>
    <packageTypes><packageType name="Dependency" /></packageTypes>
    <dependencies>
      <group targetFramework="net45" />
      <group targetFramework=".NETStandard2.0">
        <dependency id="Nail" version="[1.0, 2.0)" exclude="Build" />
        <dependency id="Iron" />
      </group>
    </dependencies>
    <frameworkAssemblies><frameworkAssembly assemblyName="System" /></frameworkAssemblies>
  </metadata>
  <files><file src="a" target="b" /></files>
</package>"#;

fn minimal(rest: &str) -> String {
    format!("<package><metadata><id>a</id><version>1.0</version>{rest}</metadata></package>")
}

fn reason(text: &str) -> String {
    match Nuspec::parse(text.as_bytes()) {
        Err(Error::BadRequest(reason)) => reason,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_package_tells_what_it_is() {
    for mark in ["", "\u{feff}"] {
        let nuspec = Nuspec::parse(format!("{mark}{WHOLE}").as_bytes()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&nuspec.kept().unwrap()).unwrap();
        assert_eq!(
            json,
            serde_json::json!({
                "id": "Acme.Hammer", "version": "1.2.0-Beta.1", "title": "Hammer",
                "authors": "Jane, John", "description": "Strikes <hard> & <fast>\u{2028}",
                "tags": "iron tools", "license_url": "https://example.com/license",
                "min_client_version": "2.12", "license": "MIT",
                "repository_url": "https://example.com/hammer.git",
                "readme": "docs\\README.md", "require_license_acceptance": true,
                "dependency_groups": [
                    {"framework": "net45", "dependencies": []},
                    {"framework": ".NETStandard2.0", "dependencies": [
                        {"id": "Nail", "range": "[1.0, 2.0)"}, {"id": "Iron"}]},
                ],
                "package_types": ["Dependency"],
            })
        );
        assert_eq!(Nuspec::of_kept(Some(&nuspec.kept().unwrap())), nuspec);
    }
}

#[test]
fn dependencies_may_stand_without_groups() {
    let text = minimal(
        "<dependencies><dependency id='b' version='1.0'/><dependency id='c'/></dependencies>",
    );
    let groups = Nuspec::parse(text.as_bytes()).unwrap().dependency_groups;
    assert_eq!(groups.len(), 1);
    assert_eq!((groups[0].framework.as_str(), groups[0].dependencies.len()), ("", 2));
}

#[test]
fn symbols_are_told_apart() {
    let text = minimal("<packageTypes><packageType name='SymbolsPackage'/></packageTypes>");
    assert!(Nuspec::parse(text.as_bytes()).unwrap().is_of_symbols());
    assert!(!Nuspec::parse(minimal("").as_bytes()).unwrap().is_of_symbols());
}

#[test]
fn what_is_no_nuspec_is_refused() {
    for (text, why) in [
        ("", "not well-formed"),
        ("hammer", "not well-formed"),
        ("<package>", "not well-formed"),
        ("<package></metadata>", "not well-formed"),
        ("<project/>", "not that of a package"),
        ("<package/><package/>", "not that of a package"),
        ("<package/>", "id in the .nuspec"),
        ("<package><metadata><id>a</id></metadata></package>", "version in the .nuspec"),
        (
            "<package><metadata><id>../a</id><version>1.0</version></metadata></package>",
            "id in the .nuspec",
        ),
        (
            "<package><metadata><id>..</id><version>1.0</version></metadata></package>",
            "id in the .nuspec",
        ),
        (
            "<package><metadata><id>a</id><version>1</version></metadata></package>",
            "version in the .nuspec",
        ),
        ("<!DOCTYPE package><package/>", "document type definition"),
        ("<package><metadata a='1' a='2'/></package>", "not well-formed"),
    ] {
        assert!(reason(text).contains(why), "{text}: {}", reason(text));
    }
    let entity = minimal("<title>&own;</title>");
    assert!(reason(&entity).contains("unknown entity"));
    let wide: Vec<u8> = WHOLE.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(Nuspec::parse(&wide).is_err());
    for dependency in ["id='a/b'", "", "id='a' version='1|2'", "id='a' version=':'"] {
        let text = minimal(&format!("<dependencies><dependency {dependency}/></dependencies>"));
        assert!(reason(&text).contains("dependency"), "{dependency}");
    }
}

#[test]
fn bombs_do_not_go_off() {
    let laughs = format!(
        "<!DOCTYPE package [<!ENTITY a \"{}\"><!ENTITY b \"&a;&a;\">]>{}",
        "x".repeat(1000),
        minimal("<title>&b;</title>")
    );
    assert!(reason(&laughs).contains("document type definition"));
    let outside = format!(
        "<!DOCTYPE package [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>{}",
        minimal("<title>&a;</title>")
    );
    assert!(reason(&outside).contains("document type definition"));
    let deep = minimal(&format!("{}{}", "<x>".repeat(5000), "</x>".repeat(5000)));
    assert!(reason(&deep).contains("too deeply"));
    let many =
        minimal(&format!("<dependencies>{}</dependencies>", "<dependency id='a'/>".repeat(5001)));
    assert!(reason(&many).contains("too many"));
    assert!(reason(&minimal(&format!("<title>{}</title>", "x".repeat(4001)))).contains("too long"));
    assert!(reason(&" ".repeat(MAX_BYTES + 1)).contains("too large"));
}
