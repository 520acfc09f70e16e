//! The terraform_module format from a client's side.

mod modules;
mod registry;

use std::io::Write;
use testkit::{Client, Reply, TestProject};

/// A module's archive with these files.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, path, text.as_bytes())
            .expect("a file in an archive");
    }
    packed(&tar.into_inner().expect("an archive"))
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(bytes).expect("bytes can be packed");
    gzip.finish().expect("bytes can be packed")
}

/// A module that says this.
pub fn module(text: &str) -> Vec<u8> {
    archive(&[("main.tf", text)])
}

fn in_project(project: &TestProject, rest: &str) -> String {
    project.at(&format!("/packages/terraform/modules/{rest}"))
}

async fn publish(client: &Client, project: &TestProject, version: &str, text: &str) -> Reply {
    let path = in_project(project, &format!("vpc/aws/{version}/file"));
    client.put(path).bytes(module(text)).await
}

/// The registry protocol's address of the module in this namespace.
fn below(namespace: &str, rest: &str) -> String {
    format!("/packages/terraform/modules/v1/{namespace}/vpc/aws{rest}")
}
