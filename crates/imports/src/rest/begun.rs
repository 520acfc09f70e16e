//! What endpoints that begin imports answer: the project that is imported, or what an import
//! would bring.

use super::record::ImportRecord;
use crate::run::dry::DryRun;
use http::StatusCode;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::openapi::Operation;
use kernel::http::{Answer, RequestContext, Response, reply};

/// An import that began, or might begin.
pub enum Begun {
    Import(ImportRecord),
    Dry(DryRun),
}

impl Answer for Begun {
    fn reply(self, _: &App, _: &RequestContext) -> Result<Response> {
        match self {
            Begun::Import(record) => reply::json(StatusCode::CREATED, &record),
            Begun::Dry(dry) => reply::json(StatusCode::OK, &dry),
        }
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.answers::<ImportRecord>(201);
        operation.answers::<DryRun>(200);
    }
}
