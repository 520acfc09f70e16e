//! The interface about itself, answered from the table.

use super::build::{Graph, ObjectBuilder};
use super::context::Args;
use super::input::{argument, item};
use super::scalars::{BOOLEAN, STRING};
use super::sdl;
use super::shape::{HasTypeRef, enumeration, object};
use super::table::{EnumValue, Field, INTROSPECTION_ROOT, Input, Kind, Mark, Root, Table, TypeDef};
use super::types::TypeRef;
use serde_json::json;
use std::any::Any;
use std::sync::{Arc, LazyLock};

/// How often a document may ask about the interface under other names: an
/// answer about all types is long, and costs nothing in points.
const TIMES: u32 = 20;
/// A directive of operations.
pub struct Directive {
    /// Its name without the sign.
    pub name: &'static str,
    /// What it does.
    pub description: &'static str,
    /// Where it may stand.
    pub locations: &'static [&'static str],
    /// What it takes.
    pub arguments: Vec<Input>,
}

static DIRECTIVES: LazyLock<Vec<Directive>> = LazyLock::new(|| {
    let one = |name: &str, ty: TypeRef, text: &str| {
        vec![super::input::of_type(name, ty).describe(text).named().1]
    };
    let flag = || BOOLEAN.required().type_ref();
    let text = || STRING.type_ref();
    let mut reason = one("reason", text(), "Why, and what to use instead.");
    reason[0].default = Some(json!("No longer supported"));
    vec![
        Directive {
            name: "deprecated",
            description: "The member will go.",
            locations: &[
                "ARGUMENT_DEFINITION",
                "ENUM_VALUE",
                "FIELD_DEFINITION",
                "INPUT_FIELD_DEFINITION",
            ],
            arguments: reason,
        },
        Directive {
            name: "include",
            description: "Takes the selection only when the argument is true.",
            locations: &["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"],
            arguments: one("if", flag(), "Whether to take it."),
        },
        Directive {
            name: "service_introduced",
            description: "Answers null where the server is older than the field.",
            locations: &["FIELD", "INLINE_FRAGMENT"],
            arguments: one("version", STRING.required().type_ref(), "The release that has it."),
        },
        Directive {
            name: "skip",
            description: "Leaves the selection out when the argument is true.",
            locations: &["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"],
            arguments: one("if", flag(), "Whether to leave it out."),
        },
        Directive {
            name: "specifiedBy",
            description: "Where a scalar is specified.",
            locations: &["SCALAR"],
            arguments: one("url", STRING.required().type_ref(), "The address."),
        },
    ]
});

/// All directives, by name.
pub fn directives() -> &'static [Directive] {
    &DIRECTIVES
}

struct Schema(Arc<Table>);

struct Type {
    table: Arc<Table>,
    ty: TypeRef,
}

struct Member {
    table: Arc<Table>,
    field: Field,
}

struct Value {
    table: Arc<Table>,
    input: Input,
}

struct Choice {
    name: Arc<str>,
    value: EnumValue,
}

struct Instruction {
    table: Arc<Table>,
    of: &'static Directive,
}

impl Type {
    fn named(table: &Arc<Table>, name: &str) -> Option<Arc<Type>> {
        let def = table.get(name).filter(|def| &*def.name != INTROSPECTION_ROOT)?;
        Some(Type::of(table, TypeRef::Named(def.name.clone())))
    }

    fn of(table: &Arc<Table>, ty: TypeRef) -> Arc<Type> {
        Arc::new(Type { table: table.clone(), ty })
    }

    fn def(&self) -> Option<&TypeDef> {
        match &self.ty {
            TypeRef::Named(name) => self.table.get(name),
            _ => None,
        }
    }

    fn kind(&self) -> &'static str {
        match &self.ty {
            TypeRef::List(_) => "LIST",
            TypeRef::NonNull(_) => "NON_NULL",
            TypeRef::Named(name) => match self.table.get(name).map(|def| &def.kind) {
                Some(Kind::Object(_)) => "OBJECT",
                Some(Kind::Interface(_)) => "INTERFACE",
                Some(Kind::Union(_)) => "UNION",
                Some(Kind::Enum(_)) => "ENUM",
                Some(Kind::Input(_)) => "INPUT_OBJECT",
                Some(Kind::Scalar(_)) | None => "SCALAR",
            },
        }
    }

    fn types(&self, names: impl IntoIterator<Item = Arc<str>>) -> Vec<Arc<Type>> {
        let named = |name| Type::of(&self.table, TypeRef::Named(name));
        names.into_iter().map(named).collect()
    }
}

/// Whether to show a member, by the argument `includeDeprecated`.
fn shown(args: &Args, mark: Option<&Mark>) -> bool {
    mark.is_none() || args.0.get("includeDeprecated") == Some(&json!(true))
}

fn values<'i>(
    table: &Arc<Table>, inputs: impl IntoIterator<Item = &'i Input>, args: &Args,
) -> Vec<Arc<Value>> {
    let shown = inputs.into_iter().filter(|input| shown(args, input.mark.as_ref()));
    let of = |input: &Input| Arc::new(Value { table: table.clone(), input: input.clone() });
    shown.map(of).collect()
}

fn text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

pub(super) fn register(g: &mut Graph) {
    root(g);
    schema(g);
    kinds(g);
    types(g);
    members(g);
}

fn root(g: &mut Graph) {
    let table = |context: &super::Context| context.table.clone();
    g.object::<Root>(INTROSPECTION_ROOT, "")
        .resolve("__schema", object::<Schema>("__Schema").required(), {
            move |_, _, context| async move { Ok(Arc::new(Schema(table(&context)))) }
        })
        .at_most(TIMES)
        .resolve("__type", object::<Type>("__Type"), move |_, args, context| async move {
            let name: String = args.get("name")?;
            Ok(Type::named(&table(&context), &name))
        })
        .arg(argument("name", STRING.required()))
        .at_most(TIMES)
        .field("__typename", STRING.required(), |_| String::new());
}

fn schema(g: &mut Graph) {
    let ty = || object::<Type>("__Type");
    g.object::<Schema>("__Schema", "The interface.")
        .field("description", STRING, |_| None)
        .field("types", ty().required().list().required(), |schema| {
            let names = schema.0.types().filter(|def| &*def.name != INTROSPECTION_ROOT);
            let of = |def: &TypeDef| Type::of(&schema.0, TypeRef::Named(def.name.clone()));
            names.map(of).collect()
        })
        .field("queryType", ty().required(), |schema| {
            Type::of(&schema.0, TypeRef::named("Query"))
        })
        .field("mutationType", ty(), |schema| Type::named(&schema.0, "Mutation"))
        .field("subscriptionType", ty(), |_| None)
        .field(
            "directives",
            object::<Instruction>("__Directive").required().list().required(),
            {
                |schema| {
                    let of = |of| Arc::new(Instruction { table: schema.0.clone(), of });
                    directives().iter().map(of).collect()
                }
            },
        );
    let with_args = g
        .object::<Instruction>("__Directive", "An instruction within a document.")
        .field("name", STRING.required(), |it| it.of.name.to_owned())
        .field("description", STRING, |it| text(it.of.description))
        .field(
            "locations",
            enumeration("__DirectiveLocation").required().list().required(),
            |it| it.of.locations.to_vec(),
        )
        .field("isRepeatable", BOOLEAN.required(), |_| false)
        .resolve(
            "args",
            object::<Value>("__InputValue").required().list().required(),
            |it, args, _| async move { Ok(values(&it.table, &it.of.arguments, &args)) },
        );
    deprecated_too(with_args);
}

fn deprecated_too<T: Any + Send + Sync>(field: ObjectBuilder<'_, T>) -> ObjectBuilder<'_, T> {
    field.arg(argument("includeDeprecated", BOOLEAN).default(false))
}

fn kinds(g: &mut Graph) {
    let kinds = [
        "SCALAR",
        "OBJECT",
        "INTERFACE",
        "UNION",
        "ENUM",
        "INPUT_OBJECT",
        "LIST",
        "NON_NULL",
    ];
    let all = kinds.map(|name| item(name, ""));
    g.enumeration("__TypeKind", "What kind of type.", all.into());
    let locations = [
        "QUERY",
        "MUTATION",
        "SUBSCRIPTION",
        "FIELD",
        "FRAGMENT_DEFINITION",
        "FRAGMENT_SPREAD",
        "INLINE_FRAGMENT",
        "VARIABLE_DEFINITION",
        "SCHEMA",
        "SCALAR",
        "OBJECT",
        "FIELD_DEFINITION",
        "ARGUMENT_DEFINITION",
        "INTERFACE",
        "UNION",
        "ENUM",
        "ENUM_VALUE",
        "INPUT_OBJECT",
        "INPUT_FIELD_DEFINITION",
    ];
    let all = locations.map(|name| item(name, ""));
    g.enumeration("__DirectiveLocation", "Where a directive may stand.", all.into());
}

fn types(g: &mut Graph) {
    let ty = || object::<Type>("__Type");
    let with_fields = g
        .object::<Type>("__Type", "A type.")
        .field("kind", enumeration("__TypeKind").required(), Type::kind)
        .field("name", STRING, |it| it.def().map(|def| def.name.to_string()))
        .field("description", STRING, |it| it.def().and_then(|def| text(&def.description)))
        .field("specifiedByURL", STRING, |_| None)
        .field("isOneOf", BOOLEAN, |it| (it.kind() == "INPUT_OBJECT").then_some(false))
        .field("ofType", ty(), |it| match &it.ty {
            TypeRef::List(inner) | TypeRef::NonNull(inner) => {
                Some(Type::of(&it.table, (**inner).clone()))
            }
            TypeRef::Named(_) => None,
        })
        .field("interfaces", ty().required().list(), |it| match &it.def()?.kind {
            Kind::Object(fields) | Kind::Interface(fields) => {
                Some(it.types(fields.implements.iter().cloned()))
            }
            _ => None,
        })
        .field("possibleTypes", ty().required().list(), |it| match it.def()?.kind {
            Kind::Interface(_) | Kind::Union(_) => Some(it.types(it.table.possible(it.ty.name()))),
            _ => None,
        })
        .resolve("fields", object::<Member>("__Field").required().list(), {
            |it, args, _| async move { Ok(fields_of(&it, &args)) }
        });
    let with_values = deprecated_too(with_fields).resolve(
        "enumValues",
        object::<Choice>("__EnumValue").required().list(),
        |it, args, _| async move { Ok(choices_of(&it, &args)) },
    );
    let with_inputs = deprecated_too(with_values).resolve(
        "inputFields",
        object::<Value>("__InputValue").required().list(),
        |it, args, _| async move {
            Ok(match it.def().map(|def| &def.kind) {
                Some(Kind::Input(inputs)) => Some(values(&it.table, inputs.values(), &args)),
                _ => None,
            })
        },
    );
    deprecated_too(with_inputs);
}

fn fields_of(it: &Type, args: &Args) -> Option<Vec<Arc<Member>>> {
    let (Kind::Object(fields) | Kind::Interface(fields)) = &it.def()?.kind else {
        return None;
    };
    let fields = fields.fields.values();
    let shown = fields.filter(|field| shown(args, field.mark.as_ref()));
    let of = |field: &Field| Arc::new(Member { table: it.table.clone(), field: field.clone() });
    Some(shown.map(of).collect())
}

fn choices_of(it: &Type, args: &Args) -> Option<Vec<Arc<Choice>>> {
    let Kind::Enum(all) = &it.def()?.kind else {
        return None;
    };
    let shown = all.iter().filter(|(_, value)| shown(args, value.mark.as_ref()));
    let of = |(name, value): (&Arc<str>, &EnumValue)| {
        Arc::new(Choice { name: name.clone(), value: value.clone() })
    };
    Some(shown.map(of).collect())
}

fn members(g: &mut Graph) {
    let reason = |mark: &Option<Mark>| mark.as_ref().map(Mark::reason);
    let with_args = g
        .object::<Member>("__Field", "A field.")
        .field("name", STRING.required(), |it| it.field.name.to_string())
        .field("description", STRING, |it| text(&it.field.description))
        .field("type", object::<Type>("__Type").required(), |it| {
            Type::of(&it.table, it.field.ty.clone())
        })
        .field("isDeprecated", BOOLEAN.required(), |it| it.field.mark.is_some())
        .field("deprecationReason", STRING, move |it| reason(&it.field.mark))
        .resolve(
            "args",
            object::<Value>("__InputValue").required().list().required(),
            |it, args, _| async move { Ok(values(&it.table, it.field.arguments.values(), &args)) },
        );
    deprecated_too(with_args);
    g.object::<Value>("__InputValue", "An argument or input field.")
        .field("name", STRING.required(), |it| it.input.name.to_string())
        .field("description", STRING, |it| text(&it.input.description))
        .field("type", object::<Type>("__Type").required(), |it| {
            Type::of(&it.table, it.input.ty.clone())
        })
        .field("defaultValue", STRING, |it| {
            let default = it.input.default.as_ref()?;
            Some(sdl::literal(&it.table, &it.input.ty, default))
        })
        .field("isDeprecated", BOOLEAN.required(), |it| it.input.mark.is_some())
        .field("deprecationReason", STRING, move |it| reason(&it.input.mark));
    g.object::<Choice>("__EnumValue", "A value of an enum.")
        .field("name", STRING.required(), |it| it.name.to_string())
        .field("description", STRING, |it| text(&it.value.description))
        .field("isDeprecated", BOOLEAN.required(), |it| it.value.mark.is_some())
        .field("deprecationReason", STRING, move |it| reason(&it.value.mark));
}
