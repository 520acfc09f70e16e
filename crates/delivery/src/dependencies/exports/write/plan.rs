//! What is known before the first row is read.

use super::super::access::{self, Subject};
use super::super::formats::bom::About;
use super::super::formats::list::{Report, ReportStatus};
use super::super::formats::rows::Place;
use super::super::model::Export;
use super::{Fault, Reading};
use crate::dependencies::store as lists;
use crate::dependencies::switches;
use ::store::{Fragment, Tx, sql};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::secrets::random_bytes;
use kernel::time::wire;
use sbom::model::{Author, Tool};
use spaces::model::{Project, ids_of};

/// The program that writes the files.
const PROGRAM: &str = "tenon";

/// What is exported for whom.
#[derive(Debug, Clone)]
pub struct Plan {
    pub subject: Subject,
    /// The projects whose lists are read, in the order of the file.
    pub places: Vec<Place>,
    pub about: About,
}

impl Plan {
    /// # Errors
    ///
    /// 403 where who asked may not read it any more.
    pub fn read(app: &App, tx: &mut Tx<'_>, export: &Export) -> Result<Plan> {
        let user = identity::users::find(tx, export.user_id)?.found("User")?;
        let viewer = Viewer::addressed(user.clone());
        let subject = access::subject(tx, &viewer, export.parent())?;
        let places = match &subject {
            Subject::Project(project) => vec![Place::of(project)],
            Subject::Group(group) => {
                let below = spaces::store::filters::projects_below(group);
                in_hierarchy(tx, below)?
            }
            Subject::Pipeline(..) => Vec::new(),
        };
        let email = identity::users::profile(tx, user.id)?.texts.public_email.0;
        let about = About {
            serial_number: format!("urn:uuid:{}", uuid()),
            namespace: app.url(&format!("/dependencies/{}", uuid())),
            at: tx.now(),
            name: subject.name(),
            vcs: vcs(app, &subject),
            tool: Tool {
                vendor: Some(PROGRAM.to_owned()),
                name: PROGRAM.to_owned(),
                version: Some(app.config().version.to_owned()),
            },
            author: Author {
                name: Some(user.name),
                email: email.filter(|text| !text.is_empty()),
            },
        };
        Ok(Plan { subject, places, about })
    }

    /// What is said of the list of a project.
    pub fn report(&self, reading: &Reading<'_>, is_empty: bool) -> Result<Report, Fault> {
        let Subject::Project(project) = &self.subject else {
            return Ok(Report::of(ReportStatus::JobNotSetUp));
        };
        let project = project.clone();
        let read = reading.app.read(move |tx| report(tx, &project, is_empty));
        Ok(reading.runtime.block_on(read)?)
    }
}

/// Where the code of what is exported is.
fn vcs(app: &App, subject: &Subject) -> Option<String> {
    match subject {
        Subject::Project(project) | Subject::Pipeline(project, _) => {
            Some(format!("{}.git", project.web_url(app.base_url())))
        }
        Subject::Group(_) => None,
    }
}

/// Projects that have a list and are not at rest: those of a group before those of the groups
/// in it.
fn in_hierarchy(tx: &mut Tx<'_>, below: Fragment) -> Result<Vec<Place>> {
    let mut list = Fragment::new(
        "select projects.id, projects.full_path, namespaces.lineage from projects
         join namespaces on namespaces.id = projects.namespace_id
         join dependency_lists l on l.project_id = projects.id and l.is_current
         where not projects.archived and projects.deletion_scheduled_at is null and ",
    );
    list.append(below).raw(" and ").append(switches::on_in_projects());
    let mut found: Vec<(i64, String, String)> = tx.query(list)?;
    found.sort_by_cached_key(|(id, _, lineage)| (ids_of(lineage), *id));
    let place = |(id, full_path, _)| Place { project_id: id, full_path };
    Ok(found.into_iter().map(place).collect())
}

/// How a list came to be, or why there is none.
fn report(tx: &mut Tx<'_>, project: &Project, is_empty: bool) -> Result<Report> {
    if let Some(list) = lists::current(tx, project.id)? {
        let job: Option<i64> = match list.pipeline_id {
            Some(pipeline) => tx.optional(
                sql!(
                    "select j.id from ci_jobs j join ci_artifacts a on a.job_id = j.id
                     where j.pipeline_id = $1 and a.file_type = 'cyclonedx' and not j.retried
                     order by j.id limit 1"
                ),
                (pipeline,),
            )?,
            None => None,
        };
        let status = match is_empty {
            true => ReportStatus::NoDependencies,
            false => ReportStatus::Ok,
        };
        return Ok(Report {
            status,
            job_path: job.map(|id| format!("/{}/-/jobs/{id}", project.full_path)),
            generated_at: Some(wire::text(list.created_at)),
        });
    }
    let problem: Option<i64> = tx.optional(
        sql!(
            "select s.job_id from sbom_problems s join ci_pipelines p on p.id = s.pipeline_id
             where p.project_id = $1 order by s.id desc limit 1"
        ),
        (project.id,),
    )?;
    Ok(match problem {
        Some(job) => Report {
            status: ReportStatus::JobFailed,
            job_path: Some(format!("/{}/-/jobs/{job}", project.full_path)),
            generated_at: None,
        },
        None => Report::of(ReportStatus::JobNotSetUp),
    })
}

/// A random one (RFC 9562, version 4).
fn uuid() -> String {
    let mut bytes = random_bytes::<16>();
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let text = hex::encode(bytes);
    let parts = [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]];
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_documents_are_random_uuids() {
        let (one, two) = (uuid(), uuid());
        assert_ne!(one, two);
        assert_eq!((one.len(), &one[14..15]), (36, "4"), "{one}");
        assert!("89ab".contains(&one[19..20]), "{one}");
    }
}
