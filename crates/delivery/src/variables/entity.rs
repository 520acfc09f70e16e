//! Variables as JSON.

use super::model::{Variable, VariableType};
use kernel::error::Result;
use kernel::secrets::Secrets;
use schemars::JsonSchema;
use serde::Serialize;

/// A CI/CD variable of the instance.
#[derive(Serialize, JsonSchema)]
pub struct InstanceVariable {
    pub key: String,
    pub description: Option<String>,
    /// Nothing of hidden ones.
    pub value: Option<String>,
    pub variable_type: VariableType,
    pub protected: bool,
    pub masked: bool,
    pub raw: bool,
}

/// A CI/CD variable of a project or group.
#[derive(Serialize, JsonSchema)]
pub struct CiVariable {
    #[serde(flatten)]
    pub common: InstanceVariable,
    /// Whether nobody reads its value any more.
    pub hidden: bool,
    /// The environments that it is for; `*` stands for any text.
    pub environment_scope: String,
}

/// The value, for who may see it: nobody sees that of a hidden one.
pub fn shown_value(secrets: &Secrets, variable: &Variable) -> Result<Option<String>> {
    match variable.hidden {
        true => Ok(None),
        false => Ok(Some(variable.open(secrets)?.expose().to_owned())),
    }
}

impl InstanceVariable {
    pub fn of(secrets: &Secrets, variable: Variable) -> Result<InstanceVariable> {
        Ok(InstanceVariable {
            value: shown_value(secrets, &variable)?,
            key: variable.key,
            description: variable.description,
            variable_type: variable.variable_type,
            protected: variable.protected,
            masked: variable.masked,
            raw: variable.raw,
        })
    }
}

impl CiVariable {
    pub fn of(secrets: &Secrets, variable: Variable) -> Result<CiVariable> {
        Ok(CiVariable {
            hidden: variable.hidden,
            environment_scope: variable.environment_scope.clone(),
            common: InstanceVariable::of(secrets, variable)?,
        })
    }
}
