//! Packages of symbols, and the files that debuggers fetch out of them.

use super::{Package, described, holding, nuspec, package};
use testkit::{Client, Request, TestProject};

/// A portable PDB with this id: an empty stream of strings, then the id.
fn pdb(id: [u8; 20]) -> Vec<u8> {
    let mut bytes =
        b"BSJB\x01\x00\x01\x00\x00\x00\x00\x00\x0c\x00\x00\x00PDB v1.0\0\0\0\0\0\0\x02\x00"
            .to_vec();
    for (offset, size, name) in
        [(68_u32, 4_u32, &b"#Strings\0\0\0\0"[..]), (72, 32, b"#Pdb\0\0\0\0")]
    {
        bytes.extend_from_slice(&offset.to_le_bytes());
        bytes.extend_from_slice(&size.to_le_bytes());
        bytes.extend_from_slice(name);
    }
    bytes.extend_from_slice(&[0; 4]);
    assert_eq!(bytes.len(), 72);
    bytes.extend_from_slice(&id);
    bytes.extend_from_slice(&[9; 12]);
    bytes
}

const SIGNATURE: &str = "0403020106050807090a0b0c0d0e0f10ffffffff";

fn id() -> [u8; 20] {
    std::array::from_fn(|at| at as u8 + 1)
}

fn snupkg(name: &str, version: &str, files: &[(&str, &[u8])]) -> Package {
    let kind = "<packageTypes><packageType name=\"SymbolsPackage\"/></packageTypes>";
    let own = nuspec(name, version, kind);
    let mut members = vec![("Hammer.nuspec", own.as_bytes())];
    members.extend(files);
    holding(&members)
}

/// As a debugger asks.
fn asked(
    client: &Client, project: &TestProject, file: &str, signature: &str, checksum: &str,
) -> Request {
    let path = format!("/packages/nuget/symbolfiles/{file}/{signature}/{file}");
    client.get(project.at(&path)).header("symbolchecksum", checksum)
}

#[testkit::story]
async fn a_debugger_fetches_what_was_published(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    package("Hammer", "1.0.0").to(&jane, &project).await.is(201);
    let (first, other) = (pdb(id()), pdb([7; 20]));
    let symbols = snupkg(
        "Hammer",
        "1.0.0",
        &[
            ("lib/net45/Hammer.pdb", &first),
            ("lib/net20/Hammer.PDB", &other),
            ("lib/net45/Hammer.dll", b"MZ"),
        ],
    );
    symbols.symbols_to(&jane, &project).await.is(201);

    let zeroed = format!("SHA256:{}", testkit::sha256(pdb([0; 20])));
    let reply = asked(&jane, &project, "Hammer.pdb", SIGNATURE, &zeroed).await.is(200);
    assert_eq!(reply.body, first);
    assert_eq!(reply.header("content-disposition"), "attachment; filename=\"Hammer.pdb\"");
    let whole = format!("sha256:{}", testkit::sha256(&first).to_uppercase());
    asked(&jane, &project, "hammer.pdb", &SIGNATURE.to_uppercase(), &whole)
        .await
        .is(200);
    let sevens = format!("{}ffffffff", "07".repeat(16));
    assert_eq!(asked(&jane, &project, "hammer.pdb", &sevens, &zeroed).await.is(200).body, other);
    let archive = project.at("/packages/nuget/download/hammer/1.0.0/hammer.1.0.0.snupkg");
    assert_eq!(jane.get(archive).await.is(200).body, symbols.bytes);

    for (file, signature, checksum) in [
        ("hammer.pdb", SIGNATURE, "SHA256:00"),
        ("nail.pdb", SIGNATURE, &*zeroed),
        ("hammer.pdb", "00ffffffff", &zeroed),
    ] {
        asked(&jane, &project, file, signature, checksum).await.is(404);
    }
    let path = format!("/packages/nuget/symbolfiles/hammer.pdb/{SIGNATURE}/");
    let reply = jane.get(project.at(&format!("{path}hammer.pdb"))).await.is(400);
    assert_eq!(reply.json()["message"], "400 Bad request - Missing checksum header");
    jane.get(project.at(&format!("{path}nail.pdb")))
        .header("symbolchecksum", &zeroed)
        .await
        .is(404);
    t.anonymous()
        .get(project.at(&format!("{path}hammer.pdb")))
        .header("symbolchecksum", &zeroed)
        .await
        .is(401);

    t.admin().delete(project.at("/packages/nuget/hammer/1.0.0")).await.is(204);
    asked(&jane, &project, "hammer.pdb", SIGNATURE, &zeroed).await.is(404);
}

#[testkit::story]
async fn symbols_belong_to_a_package(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let symbols = snupkg("hammer", "1.0.0", &[("lib/a.pdb", &pdb(id()))]);
    symbols.symbols_to(&t.admin(), &project).await.is(404);
    assert_eq!(t.admin().get(project.at("/packages")).await.is(200).text(), "[]");
    // It is no package itself.
    symbols.to(&t.admin(), &project).await.is(400);

    package("hammer", "1.0.0").to(&t.admin(), &project).await.is(201);
    snupkg("hammer", "1.0.1", &[]).symbols_to(&t.admin(), &project).await.is(404);
    symbols.symbols_to(&t.admin(), &project).await.is(201);
    let settings = serde_json::json!({"nuget_duplicates_allowed": false});
    t.admin().put("/groups/acme/package_settings").json(&settings).await.is(200);
    symbols.symbols_to(&t.admin(), &project).await.is(409);
    let reporter = t.user("reporter").await;
    project.add(&reporter, 20).await;
    symbols.symbols_to(&reporter, &project).await.is(403);
    symbols.symbols_to(&t.anonymous(), &project).await.is(401);
}

#[testkit::story]
async fn files_that_are_no_symbols_are_refused(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    package("hammer", "1.0.0").to(&t.admin(), &project).await.is(201);
    let windows = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0";
    let reply = snupkg("hammer", "1.0.0", &[("lib/a.pdb", windows)])
        .symbols_to(&t.admin(), &project)
        .await
        .is(400);
    assert_eq!(reply.json()["message"], "400 Bad request - a.pdb is not a portable PDB");
    let cut = &pdb(id())[..60];
    snupkg("hammer", "1.0.0", &[("lib/a.pdb", cut)])
        .symbols_to(&t.admin(), &project)
        .await
        .is(400);
    let names: Vec<String> = (0..501).map(|number| format!("lib/{number}.pdb")).collect();
    let one = pdb(id());
    let many: Vec<(&str, &[u8])> =
        names.iter().map(|name| (name.as_str(), one.as_slice())).collect();
    let reply = snupkg("hammer", "1.0.0", &many).symbols_to(&t.admin(), &project).await.is(400);
    assert_eq!(
        reply.json()["message"],
        "400 Bad request - the archive has too many symbol files"
    );
    described("no XML").symbols_to(&t.admin(), &project).await.is(400);
    let files = t.admin().get(project.at("/packages")).await.is(200).each("id");
    let files = project.at(&format!("/packages/{}/package_files", files[0]));
    assert_eq!(t.admin().get(files).await.is(200).each("file_name"), ["hammer.1.0.0.nupkg"]);
}
