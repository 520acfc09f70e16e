//! Charts (docs/interface/packages.md 2.10): channels of a project or group, each with an index.

pub mod chart;
mod index;
mod publish;

use crate::client::Client;
use crate::declare::{Place, reads, writes};
use crate::documents::{About, Document, of_format};
use crate::model::PackageType;
use crate::rules::names::require;
use crate::store::index::ChannelFile;
use kernel::error::{Error, Found, Result};
use kernel::http::{Params, Response, Routes};
use kernel::ids::Reference;

const PROJECT: &str = "/projects/{id}/packages/helm";
const GROUP: &str = "/groups/{id}/-/packages/helm";
/// What ends the name of a provenance file, after that of its chart.
const PROVENANCE: &str = ".prov";
const YAML: &str = "text/yaml";

pub fn routes(r: &mut Routes) {
    let charts = format!("{PROJECT}/api/{{channel}}/charts");
    writes(r.post(&charts, publish::publish)).streams().summary("Publishes a chart");
    reads(r, &format!("{PROJECT}/{{channel}}/index.yaml"), project_index)
        .summary("Lists the charts of a channel in a project");
    reads(r, &format!("{GROUP}/{{channel}}/index.yaml"), group_index)
        .summary("Lists the charts of a channel in a group");
    for place in [
        Place::new(PROJECT, "a project", "project"),
        Place::new(GROUP, "a group", "group"),
    ] {
        let summary = "Downloads a chart, or its provenance file, from {whose}";
        place.reads(r, "/{channel}/charts/{chart_file}", file, summary);
    }
}

kernel::params! {
    pub struct Channel {
        /// The project or group.
        pub id: Reference,
        /// The channel.
        pub channel: String,
    }
}

kernel::params! {
    pub struct InChannel {
        /// The channel.
        pub channel: String,
        /// Its name, such as `hammer-1.0.0.tgz`.
        pub chart_file: String,
    }
}

async fn project_index(params: Params<Channel>, client: Client) -> Result<Response> {
    let Params(Channel { id, channel }) = params;
    check_channel(&channel)?;
    let about = About {
        project: &id,
        package_type: PackageType::Helm,
        name: &channel,
        form: "index",
    };
    let of = channel.clone();
    let document = of_format(&client, about, move |tx, scope| {
        let id = scope.project_id.found("Project")?;
        let files = scope.of_format(PackageType::Helm).files_in_channel(tx, &of)?;
        let pushed_at = format!("/api/v4/projects/{id}/packages/helm");
        let text = index::write(&files, Some(&pushed_at), tx.now());
        Ok(Some(text.into_bytes()))
    });
    let document = document.await?.found("Channel")?;
    Ok(document.reply(&client.request, YAML))
}

async fn group_index(params: Params<Channel>, client: Client) -> Result<Response> {
    let Params(Channel { channel, .. }) = params;
    check_channel(&channel)?;
    let text = client.read(move |tx, scope, _| {
        let files = scope.of_format(PackageType::Helm).files_in_channel(tx, &channel)?;
        Ok(index::write(&files, None, tx.now()))
    });
    let document = Document::made(text.await?.into_bytes())?;
    Ok(document.reply(&client.request, YAML))
}

async fn file(client: Client, params: Params<InChannel>) -> Result<Response> {
    let Params(of) = params;
    check_channel(&of.channel)?;
    let found = client.read(move |tx, scope, _| {
        let charts = scope.of_format(PackageType::Helm);
        let mut newest = |name: &str| charts.newest_in_channel(tx, &of.channel, name);
        let found = newest(&of.chart_file)?.found("Package File")?;
        if let Some(chart) = of.chart_file.strip_suffix(PROVENANCE) {
            // It says nothing of a chart that came later under its name.
            let chart = newest(chart)?.found("Package File")?;
            if found.file.metadata.as_deref() != Some(&proves(&chart.file.file.sha256)) {
                return Err(Error::NotFound("Package File"));
            }
        }
        Ok(found.file.file)
    });
    client.send(&found.await?).await
}

fn check_channel(channel: &str) -> Result<()> {
    require("channel", chart::is_name(channel))
}

/// What is kept of the provenance file of the chart with this digest.
fn proves(sha256: &str) -> String {
    format!("{{\"sha256\":\"{sha256}\"}}")
}

fn is_provenance(file: &ChannelFile) -> bool {
    file.file.file.file_name.ends_with(PROVENANCE)
}
