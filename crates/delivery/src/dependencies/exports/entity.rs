//! What REST shows of an export, in wire order.

use super::model::{ASK_AGAIN, Export, ExportType, Status};
use http::{HeaderValue, StatusCode, header};
use kernel::app::App;
use kernel::error::Result;
use kernel::http::openapi::Operation;
use kernel::http::{Answer, RequestContext, Response, reply};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

/// An export of dependencies.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "DependencyListExport")]
pub struct ExportEntity {
    pub id: i64,
    pub status: Status,
    /// Nothing more comes of it: there is a file, or it failed.
    pub has_finished: bool,
    pub export_type: ExportType,
    pub send_email: bool,
    pub expires_at: String,
    #[serde(rename = "self")]
    pub own: String,
    pub download: String,
}

impl ExportEntity {
    pub fn of(app: &App, export: &Export) -> ExportEntity {
        let own = app.url(&format!("/api/v4/dependency_list_exports/{}", export.id));
        ExportEntity {
            id: export.id,
            status: export.status,
            has_finished: export.status.has_finished(),
            export_type: export.export_type,
            send_email: export.send_email,
            expires_at: wire::text(export.expires_at),
            download: format!("{own}/download"),
            own,
        }
    }
}

/// 200 with an export that has ended, 202 with one that is being written.
pub struct Polled(pub ExportEntity);

impl Answer for Polled {
    fn reply(self, _: &App, _: &RequestContext) -> Result<Response> {
        if self.0.has_finished {
            return reply::json(StatusCode::OK, &self.0);
        }
        let mut response = reply::json(StatusCode::ACCEPTED, &self.0)?;
        let headers = response.headers_mut();
        headers.insert("poll-interval", HeaderValue::from(ASK_AGAIN * 1_000));
        headers.insert(header::RETRY_AFTER, HeaderValue::from(ASK_AGAIN));
        Ok(response)
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.answers::<ExportEntity>(200);
        operation.answers::<ExportEntity>(202);
    }
}
