//! Deployers and readers at once.

use super::{at, forbid_duplicates, list, put, sha1};

const JAR: &str = "com/acme/anvil/1.0/anvil-1.0.jar";
const LIST: &str = "com/acme/anvil/maven-metadata.xml";

#[testkit::story]
async fn deployers_overtake_one_another_and_no_reader_sees_a_torn_list(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let path = at(&project, LIST);
    put(&t.admin(), &path, &list(&["0"])).await.is(200);

    let mut under_way = Vec::new();
    for number in 1..=8 {
        let (client, path) = (t.admin(), path.clone());
        under_way.push(tokio::spawn(async move {
            for round in 0..5 {
                let text = list(&[format!("{number}.{round}").as_str(); 40]);
                put(&client, &path, &text).await.is(200);
                put(&client, &format!("{path}.sha1"), &sha1(&text)).await.is(204);
            }
        }));
    }
    for _ in 0..8 {
        let (client, path) = (t.admin(), path.clone());
        under_way.push(tokio::spawn(async move {
            for _ in 0..10 {
                let told = client.get(&path).await.is(200);
                let text = told.text();
                assert!(text.starts_with("<?xml") && text.ends_with("</metadata>\n"), "{text}");
                assert_eq!(told.header("x-checksum-sha1"), sha1(&text));
            }
        }));
    }
    for one in under_way {
        one.await.expect("no panic");
    }

    let found = t.admin().get(project.at("/packages?include_versionless=true")).await.is(200);
    assert_eq!(found.each("name"), ["com/acme/anvil"]);
    let wrong = put(&t.admin(), &format!("{path}.sha1"), &sha1("something else")).await;
    wrong.is(409);
}

#[testkit::story]
async fn of_eight_deployers_of_one_version_one_wins(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    forbid_duplicates(&t, "acme").await;
    let path = at(&project, JAR);

    let under_way: Vec<_> = (0..8)
        .map(|number| {
            let (client, path) = (t.admin(), path.clone());
            tokio::spawn(async move { put(&client, &path, &number.to_string()).await.status })
        })
        .collect();
    let mut statuses = Vec::new();
    for one in under_way {
        statuses.push(one.await.expect("no panic"));
    }

    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400, 400, 400, 400, 400, 400, 400]);
    let found = t.admin().get(project.at("/packages")).await.is(200);
    assert_eq!(found.each("version"), ["1.0"]);
    t.admin().get(&path).await.is(200);
}
