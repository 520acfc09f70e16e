//! Exports of the dependencies of a large group.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use xtask::server::{self, Server};
use xtask::steps;

use super::load::{self, Request};
use super::report::{Bound, Line};
use super::{Bench, READERS, seed};

/// Projects of the small and the large group, and dependencies of each project.
const FEW: i64 = 50;
const MANY: i64 = 500;
const OF_PROJECT: i64 = 400;
/// People who export at once, and exports of each.
const PEOPLE: usize = 4;
const EACH: usize = 5;
const MIB: f64 = (1 << 20) as f64;

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let place = Place::begin(bench)?;
    let times = |group: i64| -> Result<Vec<f64>, String> {
        (0..bench.options.rounds.max(1)).map(|_| place.timed(group)).collect()
    };
    steps::say("exports of a small group and of a large one");
    place.timed(place.few)?;
    place.server.forget_peak()?;
    let before = place.server.resident_bytes()?;
    place.timed(place.many)?;
    let growth = place.server.peak_bytes()?.saturating_sub(before) as f64 / MIB;
    let few: Vec<f64> = times(place.few)?.iter().map(|time| time / FEW as f64).collect();
    let many: Vec<f64> = times(place.many)?.iter().map(|time| time / MANY as f64).collect();
    let mut lines = vec![
        Line::new(
            "growth while 200,000 dependencies are exported",
            growth,
            Bound::AtMost(64.0),
            "MiB",
        ),
        Line::times(
            "time for a project of an export, 500 of them against 50",
            &many,
            &few,
            Bound::AtMost(1.3),
        ),
    ];
    lines.push(place.beside(bench)?);
    place.server.stop()?;
    Ok(lines)
}

/// A server with two groups whose projects have dependencies.
struct Place {
    server: Server,
    token: String,
    few: i64,
    many: i64,
    /// Tokens of people who may read them all.
    people: Vec<String>,
}

impl Place {
    fn begin(bench: &Bench<'_>) -> Result<Place, String> {
        let data = server::fresh_directory("bench-supply")?;
        let server = bench.start(&data, &[])?;
        let token = server.root_token()?;
        let url = server.url();
        steps::say(&format!("{} projects with {OF_PROJECT} dependencies each", FEW + MANY));
        let group = |name: &str, projects: i64| -> Result<(i64, i64), String> {
            let body = json!({"name": name, "path": name}).to_string();
            let group = seed::id_of(&seed::post(url, &token, "/groups", body)?)?;
            let mut first = 0;
            for number in (0..projects).rev() {
                let body = json!({"name": format!("{name}-{number}"), "namespace_id": group});
                first = seed::id_of(&seed::post(url, &token, "/projects", body.to_string())?)?;
            }
            Ok((group, first))
        };
        let (few, _) = group("few", FEW)?;
        let (many, first) = group("many", MANY)?;
        send(url, &token, first)?;
        let people: Vec<String> = (0..PEOPLE)
            .map(|number| person(url, &token, &format!("auditor-{number}"), many))
            .collect::<Result<_, _>>()?;
        server.stop()?;
        copy(&data, first)?;
        let server = bench.start(&data, &[])?;
        Ok(Place { server, token, few, many, people })
    }

    fn begin_export(&self, token: &str, group: i64) -> Result<i64, String> {
        let path = format!("/groups/{group}/dependency_list_exports");
        let body = json!({"export_type": "json_array"}).to_string();
        seed::id_of(&seed::post(self.server.url(), token, &path, body)?)
    }

    fn end_export(&self, token: &str, export: i64) -> Result<(), String> {
        let target = format!("/api/v4/dependency_list_exports/{export}");
        let asked = Request::get(&target, token);
        loop {
            let answer = load::once(self.server.url(), &asked)?;
            let answer: Value = serde_json::from_str(&answer).map_err(|it| it.to_string())?;
            match answer["status"].as_str() {
                Some("finished") => return Ok(()),
                Some("failed") | None => return Err(format!("no export: {answer}")),
                Some(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Seconds that an export of a group takes.
    fn timed(&self, group: i64) -> Result<f64, String> {
        let begun = Instant::now();
        let export = self.begin_export(&self.token, group)?;
        self.end_export(&self.token, export)?;
        Ok(begun.elapsed().as_secs_f64())
    }

    /// What others are answered while many exports are written, against what they are
    /// answered without.
    fn beside(&self, bench: &Bench<'_>) -> Result<Line, String> {
        steps::say(&format!("{} exports beside those who read", PEOPLE * EACH));
        let list = Request::get("/api/v4/projects?per_page=20", &self.token);
        let read = || bench.rate(&self.server, &list, READERS);
        read()?;
        let (mut beside, mut alone) = (Vec::new(), Vec::new());
        for _ in 0..bench.options.rounds.max(1) {
            alone.push(read()?);
            let mut begun = Vec::new();
            for token in self.people.iter().flat_map(|token| [token; EACH]) {
                begun.push((token, self.begin_export(token, self.many)?));
            }
            beside.push(read()?);
            for (token, export) in begun {
                self.end_export(token, export)?;
            }
        }
        let name = "lists read while 20 exports are written, against none";
        Ok(Line::ratio(name, &beside, &alone, Bound::AtLeast(0.3)))
    }
}

/// Somebody who may read the projects of a group.
fn person(url: &str, token: &str, name: &str, group: i64) -> Result<String, String> {
    let own = seed::user_token(url, token, name)?;
    let user = load::once(url, &Request::get("/api/v4/user", &own))?;
    let user: Value = serde_json::from_str(&user).map_err(|it| it.to_string())?;
    let member = json!({"user_id": seed::id_of(&user)?, "access_level": 30}).to_string();
    seed::post(url, token, &format!("/groups/{group}/members"), member)?;
    Ok(own)
}

/// The dependencies of a project, as they come in.
fn send(url: &str, token: &str, project: i64) -> Result<(), String> {
    let component = |n: i64| {
        json!({"type": "library", "bom-ref": format!("r{n}"), "name": format!("package-{n}"),
            "version": format!("1.{n}.0"), "purl": format!("pkg:npm/package-{n}@1.{n}.0"),
            "licenses": [{"license": {"id": "MIT"}}]})
    };
    let components: Vec<Value> = (0..OF_PROJECT).map(component).collect();
    let edges = (1..OF_PROJECT)
        .map(|n| json!({"ref": format!("r{}", n / 3), "dependsOn": [format!("r{n}")]}));
    let bom = json!({"bomFormat": "CycloneDX", "specVersion": "1.6", "components": components,
        "dependencies": edges.collect::<Vec<_>>()});
    let path = format!("/projects/{project}/sboms");
    let sent = seed::post(url, token, &path, bom.to_string())?;
    let sent = sent["token"].as_str().ok_or_else(|| format!("no token in {sent}"))?;
    let asked = Request::get(&format!("/api/v4{path}/{sent}"), token);
    for _ in 0..1_000 {
        if load::once(url, &asked)?.contains("\"finished\":true") {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err("the bill of materials is not read".to_owned())
}

/// Gives all projects the dependencies of one, in the database of a stopped server.
fn copy(data: &std::path::Path, first: i64) -> Result<(), String> {
    seed::fill(data, |transaction| {
        let list: i64 = transaction.query_row(
            "select id from dependency_lists where project_id = ?1 and is_current",
            [first],
            |row| row.get(0),
        )?;
        transaction.execute(
            "insert into dependency_lists (project_id, is_current, said_at, created_at)
             select p.id, l.is_current, l.said_at, l.created_at
             from projects p, dependency_lists l where l.id = ?1 and p.id <> l.project_id",
            [list],
        )?;
        transaction.execute(
            "insert into dependencies (list_id, project_id, document, reference, depends_on,
                kind, group_name, name, name_key, version, purl, packager, language, category,
                input_file, source_file, image, operating_system, reachability, hashes, licenses,
                top_level, ancestors, severity)
             select l.id, l.project_id, d.document, d.reference, d.depends_on, d.kind,
                d.group_name, d.name, d.name_key, d.version, d.purl, d.packager, d.language,
                d.category, d.input_file, d.source_file, d.image, d.operating_system,
                d.reachability, d.hashes, d.licenses, d.top_level, d.ancestors, d.severity
             from dependency_lists l, dependencies d where d.list_id = ?1 and l.id <> ?1
             order by l.id, d.id",
            [list],
        )?;
        transaction.execute(
            "insert into dependency_licenses (dependency_id, list_id, license)
             select d.id, d.list_id, 'MIT' from dependencies d where d.list_id <> ?1",
            [list],
        )?;
        Ok(())
    })
}
