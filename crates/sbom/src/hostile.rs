//! What strangers send, made worse: nothing of it may end a program, and what is read is
//! written so that it is read again. The fuzz target does the same.

use proptest::prelude::*;

use crate::cyclonedx::{Heading, Link, Writer};
use crate::model::SpecVersion;
use crate::read::{Limits, read};
use crate::{licenses, osv, purl, versions};

const SEEDS: [&str; 5] = [
    r#"{"bomFormat":"CycloneDX","specVersion":"1.6","metadata":{"component":{"name":"r","bom-ref":"r"},"tools":[{"name":"t"}]},"components":[{"bom-ref":"a","name":"a","purl":"pkg:npm/a@1","licenses":[{"expression":"MIT OR ISC"}],"hashes":[{"alg":"MD5","content":"d41d8cd98f00b204e9800998ecf8427e"}],"components":[{"name":"b"}]}],"dependencies":[{"ref":"r","dependsOn":["a","a"]},{"ref":"a","dependsOn":["r"]}]}"#,
    r#"<bom xmlns="http://cyclonedx.org/schema/bom/1.5"><components><component type="library" bom-ref="a"><name>a</name><purl>pkg:maven/a/b@1</purl><licenses><license><id>MIT</id></license></licenses><components><component><name>b</name></component></components></component></components><dependencies><dependency ref="a"><dependency ref="b"/></dependency></dependencies></bom>"#,
    r#"{"id":"A","modified":"2026-01-01T00:00:00Z","severity":[{"type":"CVSS_V3","score":"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H"}],"affected":[{"package":{"ecosystem":"Maven","name":"a:b"},"versions":["1"],"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":"1.2-rc1"},{"introduced":"2-beta"},{"last_affected":"2.1"},{"limit":"*"}]}]}]}"#,
    "pkg:npm/%40a/b@1.0%2F2?x=y&z=%20#a/../b\n1.0.0-rc.1",
    "(mit or Apache-2.0 with LLVM-exception) and GPL-2.0+\n1!2.0a1.post2.dev3+x",
];
const PIECES: [&str; 12] =
    ["{", "}", "[", "]", "\"", "\\u0000", "null", ",", "<a>", "&#0;", "%", "\u{202e}"];

/// A seed with parts of it doubled, taken away or replaced.
fn worse() -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<prop::sample::Index>(), 0..40_usize, 0..4_usize, 0..PIECES.len());
    (0..SEEDS.len(), proptest::collection::vec(change, 0..6)).prop_map(|(seed, changes)| {
        let mut bytes = SEEDS[seed].as_bytes().to_vec();
        for (place, length, kind, piece) in changes {
            let from = place.index(bytes.len() + 1);
            let to = (from + length).min(bytes.len());
            let part = bytes[from..to].to_vec();
            let new: Vec<u8> = match kind {
                0 => Vec::new(),
                1 => [part.clone(), part].concat(),
                2 => PIECES[piece].as_bytes().to_vec(),
                _ => part.iter().map(|byte| byte.wrapping_add(1)).collect(),
            };
            bytes.splice(from..to, new);
        }
        bytes
    })
}

fn check(data: &[u8]) {
    if let Ok(advisory) = osv::read(data) {
        for affected in &advisory.affected {
            let _ = affected.holds("1.2.3-rc.1");
        }
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let (one, other) = text.split_once('\n').unwrap_or((text, ""));
        for kind in ["npm", "pypi", "maven", "gem", "composer", "deb", "apk"] {
            let order = versions::compare(kind, one, other);
            assert_eq!(order, versions::compare(kind, other, one).map(std::cmp::Ordering::reverse));
        }
        if let Some(proper) = purl::normalise(one) {
            assert_eq!(purl::normalise(&proper), Some(proper));
        }
        if let Some(expression) = licenses::expression(one) {
            assert!(licenses::expression(&expression).is_some());
        }
    }
    let limits = Limits { components: 1_000, relations: 10_000, ..Limits::default() };
    let Ok(bom) = read(data, &limits) else { return };
    assert_eq!(bom.chains().len(), bom.components.len());
    let heading = Heading {
        serial_number: "urn:uuid:00000000-0000-0000-0000-000000000000".into(),
        timestamp: "2026-01-01T00:00:00Z".into(),
        tools: bom.tools.clone(),
        authors: bom.authors.clone(),
        properties: bom.properties.clone(),
        root: None,
    };
    let mut writer = Writer::begin(Vec::new(), SpecVersion::V1_6, &heading).expect("begun");
    for component in &bom.components {
        writer.component(component, Link::None).expect("written");
    }
    let again = read(&writer.finish().expect("finished"), &limits).expect("read again");
    let names = |bom: &crate::Bom| -> std::collections::BTreeSet<(String, Option<String>)> {
        bom.components.iter().map(|it| (it.name.clone(), it.purl.clone())).collect()
    };
    assert!(names(&again).is_subset(&names(&bom)));
}

proptest! {
    #[test]
    fn nothing_of_it_ends_a_program(data in worse()) {
        check(&data);
    }

    #[test]
    fn versions_have_one_order(one in "[0-9a-z.+~:_-]{0,12}", other in "[0-9a-z.+~:_-]{0,12}") {
        check(format!("{one}\n{other}").as_bytes());
        for kind in ["npm", "pypi", "maven", "gem", "composer", "deb", "apk"] {
            let same = versions::compare(kind, &one, &one);
            prop_assert!(same.is_none_or(std::cmp::Ordering::is_eq), "{} {}", kind, one);
        }
    }
}
