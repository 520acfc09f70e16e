//! Lists of components and advisories: what is read is written so that it is read as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sbom::cyclonedx::{Heading, Link, Writer};
use sbom::model::SpecVersion;
use sbom::read::{Limits, read};
use sbom::{licenses, osv, purl, versions};

fuzz_target!(|data: &[u8]| {
    if let Ok(advisory) = osv::read(data) {
        for affected in &advisory.affected {
            let _ = affected.holds("1.2.3-rc.1");
        }
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let (one, other) = text.split_once('\n').unwrap_or((text, ""));
        for kind in ["npm", "pypi", "maven", "gem", "composer", "deb", "apk"] {
            let order = versions::compare(kind, one, other);
            assert_eq!(order, versions::compare(kind, other, one).map(|it| it.reverse()));
        }
        if let Some(proper) = purl::normalise(one) {
            assert_eq!(purl::normalise(&proper), Some(proper));
        }
        if let Some(expression) = licenses::expression(one) {
            assert!(licenses::expression(&expression).is_some());
        }
    }
    let limits = Limits { components: 1_000, relations: 10_000, ..Limits::default() };
    let Ok(bom) = read(data, &limits) else {
        return;
    };
    assert_eq!(bom.chains().len(), bom.components.len());
    let heading = Heading {
        serial_number: "urn:uuid:00000000-0000-0000-0000-000000000000".into(),
        timestamp: "2026-01-01T00:00:00Z".into(),
        tools: bom.tools.clone(),
        authors: bom.authors.clone(),
        properties: bom.properties.clone(),
        root: None,
    };
    let Ok(mut writer) = Writer::begin(Vec::new(), SpecVersion::V1_6, &heading) else {
        panic!("a list is begun");
    };
    for component in &bom.components {
        assert!(writer.component(component, Link::None).is_ok());
    }
    let document = writer.finish().expect("a list in memory is written");
    let again = read(&document, &limits).expect("what was written is read");
    assert!(again.components.len() <= bom.components.len());
});
