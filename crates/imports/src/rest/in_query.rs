//! Parameters in the query of requests whose body is a form that is read as it comes.

use kernel::error::Result;
use kernel::http::openapi::Operation;
use kernel::http::params::{FromParams, Source};
use kernel::http::{Call, FromCall};
use std::marker::PhantomData;

/// What the query says of `T`, which the form says the rest of.
pub struct InQuery<T> {
    pub said: Source,
    of: PhantomData<fn() -> T>,
}

impl<T: FromParams + 'static> FromCall for InQuery<T> {
    async fn from_call(call: &mut Call) -> Result<InQuery<T>> {
        Ok(InQuery { said: call.query.clone(), of: PhantomData })
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.parameters(T::fields());
    }
}
