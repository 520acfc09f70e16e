//! The derives `FromRow`, `IntoRow` and `UpdateRow` of store, which documents
//! them.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, LitStr, Path, Result, parse_macro_input};

/// Reads a struct from a row, each field from the column of its name.
#[proc_macro_derive(FromRow, attributes(columns, column, nested, read))]
pub fn from_row(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    finished(read(&input))
}

/// Gives a struct as the parameters of an insert, each field for the column of
/// its name.
#[proc_macro_derive(IntoRow, attributes(table))]
pub fn into_row(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    finished(insert(&input))
}

/// Gives some fields of a struct as the parameters of an update of its row.
#[proc_macro_derive(UpdateRow, attributes(columns, written))]
pub fn update_row(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    finished(update(&input))
}

fn finished(derived: Result<TokenStream>) -> proc_macro::TokenStream {
    let all = derived.unwrap_or_else(|error| error.to_compile_error());
    all.into()
}

fn read(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(input)?;
    let values: Vec<TokenStream> = fields.iter().map(read_field).collect::<Result<_>>()?;
    let (struct_name, columns) = (&input.ident, columns(input, &fields)?);
    Ok(quote! {
        impl ::store::FromRow for #struct_name {
            fn from_row(row: &mut ::store::Row<'_>) -> ::store::Result<Self> {
                Ok(#struct_name { #(#values),* })
            }
        }
        #columns
    })
}

fn read_field(field: &&Field) -> Result<TokenStream> {
    let name = &field.ident;
    if has(field, "nested") {
        return Ok(quote!(#name: ::store::FromRow::from_row(row)?));
    }
    let function = field.attrs.iter().find(|it| it.path().is_ident("read"));
    Ok(match function.map(|it| it.parse_args::<Path>()).transpose()? {
        Some(function) => quote!(#name: #function(row.get(stringify!(#name))?)),
        None => quote!(#name: row.get(stringify!(#name))?),
    })
}

/// The select list, of a struct that names a table.
fn columns(input: &DeriveInput, fields: &[&Field]) -> Result<TokenStream> {
    let Some(table) = text(&input.attrs, "columns")? else {
        return match fields.iter().find(|field| has(field, "column")) {
            Some(field) => Err(Error::new_spanned(
                field,
                "this column is of no use: name the table in #[columns(\"TABLE\")]",
            )),
            None => Ok(TokenStream::new()),
        };
    };
    let mut list = Vec::new();
    for field in fields {
        if !list.is_empty() {
            list.push(quote!(", "));
        }
        let (column, kind) = (column(field), &field.ty);
        let read = match text(&field.attrs, "column")? {
            Some(expression) => format!("{expression} as {column}"),
            None => format!("{table}.{column}"),
        };
        list.push(match has(field, "nested") {
            true => quote!(<#kind>::COLUMNS),
            false => quote!(#read),
        });
    }
    let (struct_name, seen) = (&input.ident, &input.vis);
    Ok(quote! {
        impl #struct_name {
            /// The select list it is read from.
            #seen const COLUMNS: &'static str = ::store::concat!(#(#list),*);
        }
    })
}

fn insert(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(input)?;
    let table = table(input, "table")?;
    let columns: Vec<String> = fields.iter().map(|field| column(field)).collect();
    let places: Vec<String> = (1..=fields.len()).map(|at| format!("${at}")).collect();
    let (columns, places) = (columns.join(", "), places.join(", "));
    let statement = format!("insert into {table} ({columns}) values ({places})");
    let values = fields.iter().map(|field| &field.ident);
    let (struct_name, seen) = (&input.ident, &input.vis);
    let (generics, parameters, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics #struct_name #parameters #bounds {
            /// The beginning of a statement that stores its values.
            #seen const INSERT: &'static str = #statement;

            /// The parameters of [`Self::INSERT`].
            #seen fn values(&self) -> Vec<::store::Value> {
                vec![#(::store::IntoValue::into_value(&self.#values)),*]
            }
        }
    })
}

fn update(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(input)?;
    let table = table(input, "columns")?;
    let written: Vec<&&Field> = fields.iter().filter(|field| has(field, "written")).collect();
    let sets = written.iter().zip(2..);
    let sets: Vec<String> = sets.map(|(field, at)| format!("{} = ${at}", column(field))).collect();
    let statement = format!("update {table} set {} where id = $1", sets.join(", "));
    let values = written.iter().map(|field| &field.ident);
    let (struct_name, seen) = (&input.ident, &input.vis);
    Ok(quote! {
        impl #struct_name {
            /// Writes the row of its id anew, with [`Self::values`].
            #seen const UPDATE: &'static str = #statement;

            /// The parameters of [`Self::UPDATE`].
            #seen fn values(&self) -> Vec<::store::Value> {
                vec![
                    ::store::IntoValue::into_value(&self.id),
                    #(::store::IntoValue::into_value(&self.#values)),*
                ]
            }
        }
    })
}

fn fields(input: &DeriveInput) -> Result<Vec<&Field>> {
    match &input.data {
        Data::Struct(data) if matches!(data.fields, Fields::Named(_)) => {
            Ok(data.fields.iter().collect())
        }
        _ => Err(Error::new(Span::call_site(), "a row is a struct with named fields")),
    }
}

/// The table that a struct names, by this attribute.
fn table(input: &DeriveInput, attribute: &str) -> Result<String> {
    text(&input.attrs, attribute)?.ok_or_else(|| {
        let problem = format!("name the table in #[{attribute}(\"TABLE\")]");
        Error::new(Span::call_site(), problem)
    })
}

/// The column of a field.
fn column(field: &Field) -> String {
    let name = field.ident.as_ref().map(ToString::to_string);
    name.unwrap_or_default().trim_start_matches("r#").to_owned()
}

fn has(field: &Field, attribute: &str) -> bool {
    field.attrs.iter().any(|it| it.path().is_ident(attribute))
}

/// The text of `#[NAME("…")]`.
fn text(attributes: &[syn::Attribute], name: &str) -> Result<Option<String>> {
    let found = attributes.iter().find(|it| it.path().is_ident(name));
    let text = found.map(|it| it.parse_args::<LitStr>());
    Ok(text.transpose()?.map(|text| text.value()))
}
