//! The project that an import makes, as the endpoints that begin imports answer it.

use schemars::JsonSchema;
use serde::Serialize;
use spaces::imports::{self, ImportStatus};
use spaces::model::Project;

kernel::choices! {
    /// How who imports stands to what they import.
    pub enum RelationType as "ImportRelationType" {
        Owned = "owned",
        Organization = "organization",
        Collaborated = "collaborated",
    }
}

/// A project that is being imported.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportRecord {
    id: i64,
    name: String,
    full_path: String,
    full_name: String,
    refs_url: String,
    import_source: String,
    import_status: ImportStatus,
    human_import_status_name: ImportStatus,
    provider_link: String,
    relation_type: Option<RelationType>,
    import_warning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    import_error: Option<String>,
}

impl ImportRecord {
    /// Of a project as it is now, and the `owner/repository` it comes from.
    pub fn of(
        project: &Project, origin: &str, relation: Option<RelationType>, warning: Option<String>,
    ) -> ImportRecord {
        let status = imports::shown(project);
        let full_path = format!("/{}", project.full_path);
        ImportRecord {
            id: project.id,
            name: project.name.clone(),
            refs_url: format!("{full_path}/refs"),
            full_path,
            full_name: project.name_with_namespace(),
            import_source: origin.to_owned(),
            import_status: status,
            human_import_status_name: status,
            provider_link: format!("/{origin}"),
            relation_type: relation,
            import_warning: warning,
            import_error: match status {
                ImportStatus::Failed => project.import_error.clone(),
                _ => None,
            },
        }
    }
}

/// An import that was given up.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CanceledImport")]
pub struct CanceledRecord {
    id: i64,
    name: String,
    full_path: String,
    full_name: String,
    import_source: String,
    import_status: ImportStatus,
    human_import_status_name: ImportStatus,
    provider_link: String,
}

impl CanceledRecord {
    /// Of a project as it is now, and the `owner/repository` it came from.
    pub fn of(project: &Project, origin: &str) -> CanceledRecord {
        let status = imports::shown(project);
        CanceledRecord {
            id: project.id,
            name: project.name.clone(),
            full_path: format!("/{}", project.full_path),
            full_name: project.name_with_namespace(),
            import_source: origin.to_owned(),
            import_status: status,
            human_import_status_name: status,
            provider_link: format!("/{origin}"),
        }
    }
}
