//! The documents of version 3 of the protocol: registrations, lists of
//! versions, results of searches.

use super::entries::Entry;
use super::file_name;
use super::nuspec::Group;
use crate::rules::names::encoded;
use kernel::app::App;
use kernel::ids::Reference;
use serde_json::{Map, Value, json};

pub struct Links {
    base: String,
    /// The address of the project or group, up to `nuget`.
    prefix: String,
}

impl Links {
    pub fn of_project(app: &App, id: &Reference) -> Links {
        Links {
            base: app.url(""),
            prefix: app.url(&format!("/api/v4/projects/{}/packages/nuget", part(id))),
        }
    }

    pub fn of_group(app: &App, id: &Reference) -> Links {
        Links {
            base: app.url(""),
            prefix: app.url(&format!("/api/v4/groups/{}/-/packages/nuget", part(id))),
        }
    }

    /// An address below the prefix; with an empty rest the prefix itself.
    pub fn at(&self, rest: &str) -> String {
        match rest {
            "" => self.prefix.clone(),
            _ => format!("{}/{rest}", self.prefix),
        }
    }

    fn registration(&self, entry: &Entry) -> String {
        self.at(&format!("metadata/{}/index.json", encoded(&entry.name_key())))
    }

    fn leaf(&self, entry: &Entry) -> String {
        let (name, version) = (entry.name_key(), entry.version_key());
        let (name, version) = (encoded(&name), encoded(&version));
        self.at(&format!("metadata/{name}/{version}.json"))
    }

    /// The archive of a version as the feed of version 2 tells of it: below
    /// the feed, since old clients send credentials nowhere else.
    pub fn content_in_feed(&self, entry: &Entry) -> String {
        let (name, version) = (entry.name_key(), entry.version_key());
        let (name, version) = (encoded(&name), encoded(&version));
        self.at(&format!("v2/package/{name}/{version}"))
    }

    /// The archive of a version, in its project.
    pub fn content(&self, entry: &Entry) -> String {
        let (name, version) = (entry.name_key(), entry.version_key());
        let file = file_name(&entry.row.name, entry.version(), "nupkg");
        format!(
            "{}/api/v4/projects/{}/packages/nuget/download/{}/{}/{}",
            self.base,
            entry.row.project_id,
            encoded(&name),
            encoded(&version),
            encoded(&file)
        )
    }
}

fn part(id: &Reference) -> String {
    match id {
        Reference::Id(id) => id.to_string(),
        Reference::Path(path) => encoded(path),
    }
}

/// What clients are told first: where everything is.
pub fn service(links: &Links, is_project: bool) -> Value {
    let search = "Find packages by name";
    let details = "Tell of the versions of a package";
    let mut kinds = vec![
        ("query", "SearchQueryService", search),
        ("query", "SearchQueryService/3.0.0-beta", search),
        ("query", "SearchQueryService/3.0.0-rc", search),
        ("metadata", "RegistrationsBaseUrl", details),
        ("metadata", "RegistrationsBaseUrl/3.0.0-beta", details),
        ("metadata", "RegistrationsBaseUrl/3.0.0-rc", details),
        ("download", "PackageBaseAddress/3.0.0", "List and download versions"),
    ];
    if is_project {
        kinds.push(("", "PackagePublish/2.0.0", "Publish and delete packages"));
        let symbols = "Publish packages of symbols";
        kinds.push(("symbolpackage", "SymbolPackagePublish/4.9.0", symbols));
    }
    let resources: Vec<Value> = kinds
        .into_iter()
        .map(|(rest, kind, comment)| json!({"@id": links.at(rest), "@type": kind, "comment": comment}))
        .collect();
    json!({"version": "3.0.0", "resources": resources})
}

/// All versions of a name, lowest first, on one page.
pub fn registration(links: &Links, entries: &[Entry]) -> Option<Value> {
    let (first, last) = (entries.first()?, entries.last()?);
    let leaves: Vec<Value> = entries.iter().map(|entry| leaf(links, entry)).collect();
    Some(json!({
        "count": 1,
        "items": [{
            "@id": links.registration(first),
            "lower": first.version(),
            "upper": last.version(),
            "count": entries.len(),
            "items": leaves,
        }],
    }))
}

pub fn leaf(links: &Links, entry: &Entry) -> Value {
    json!({
        "@id": links.leaf(entry),
        "packageContent": links.content(entry),
        "catalogEntry": catalog_entry(links, entry),
    })
}

fn catalog_entry(links: &Links, entry: &Entry) -> Value {
    let own = &entry.nuspec;
    let leaf = links.leaf(entry);
    let groups: Vec<Value> = own
        .dependency_groups
        .iter()
        .map(|group| dependency_group(&leaf, group))
        .collect();
    let mut told = json!({
        "@id": leaf,
        "authors": own.authors,
        "dependencyGroups": groups,
        "id": entry.row.name,
        "version": entry.version(),
        "tags": own.tags,
        "packageContent": links.content(entry),
        "description": own.description,
        "summary": own.summary,
        "published": format!("{:.3}", entry.row.created_at),
    });
    if let Some(fields) = told.as_object_mut() {
        for (name, text) in [
            ("title", &own.title),
            ("projectUrl", &own.project_url),
            ("licenseUrl", &own.license_url),
            ("iconUrl", &own.icon_url),
            ("minClientVersion", &own.min_client_version),
        ] {
            if !text.is_empty() {
                fields.insert(name.into(), json!(text));
            }
        }
        if own.require_license_acceptance {
            fields.insert("requireLicenseAcceptance".into(), json!(true));
        }
    }
    told
}

fn dependency_group(leaf: &str, group: &Group) -> Value {
    let mut id = format!("{leaf}#dependencygroup");
    let mut told = Map::new();
    if !group.framework.is_empty() {
        id = format!("{id}/{}", encoded(&group.framework.to_lowercase()));
        told.insert("targetFramework".into(), json!(group.framework));
    }
    let needed: Vec<Value> = group
        .dependencies
        .iter()
        .map(|needed| {
            let own = format!("{id}/{}", encoded(&needed.id.to_lowercase()));
            let mut told = json!({"@id": own, "@type": "PackageDependency", "id": needed.id});
            if let Some(fields) = told.as_object_mut().filter(|_| !needed.range.is_empty()) {
                fields.insert("range".into(), json!(needed.range));
            }
            told
        })
        .collect();
    told.insert("@id".into(), json!(id));
    told.insert("@type".into(), json!("PackageDependencyGroup"));
    told.insert("dependencies".into(), json!(needed));
    Value::Object(told)
}

/// The versions of a name as files are addressed.
pub fn versions(entries: &[Entry]) -> Option<Value> {
    if entries.is_empty() {
        return None;
    }
    let versions: Vec<String> = entries.iter().map(Entry::version_key).collect();
    Some(json!({"versions": versions}))
}

/// What a search found: names with their versions, lowest first.
pub fn results(links: &Links, groups: &[Vec<Entry>], total: i64) -> Value {
    let data: Vec<Value> = groups.iter().filter_map(|entries| result(links, entries)).collect();
    json!({"totalHits": total, "data": data})
}

fn result(links: &Links, entries: &[Entry]) -> Option<Value> {
    let newest = entries.last()?;
    let own = &newest.nuspec;
    let title = if own.title.is_empty() {
        &newest.row.name
    } else {
        &own.title
    };
    let versions: Vec<Value> = entries
        .iter()
        .map(|one| json!({"@id": links.leaf(one), "version": one.version(), "downloads": 0}))
        .collect();
    Some(json!({
        "@type": "Package",
        "registration": links.registration(newest),
        "authors": own.authors,
        "id": newest.row.name,
        "title": title,
        "description": own.description,
        "summary": own.summary,
        "totalDownloads": 0,
        "verified": true,
        "version": newest.version(),
        "versions": versions,
        "tags": own.tags,
    }))
}
