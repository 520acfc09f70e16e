//! The derive `FromRow` of store, which documents it.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, LitStr, Path, Result, parse_macro_input};

/// Reads a struct from a row, each field from the column of its name.
#[proc_macro_derive(FromRow, attributes(columns, column, nested, read, written))]
pub fn from_row(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let all = derived(&input).unwrap_or_else(|error| error.to_compile_error());
    all.into()
}

fn derived(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(input)?;
    let name = &input.ident;
    let columns = columns(input, &fields)?;
    let values: Vec<TokenStream> = fields.iter().map(value).collect::<Result<_>>()?;
    let update = update(input, &fields)?;
    Ok(quote! {
        impl ::store::FromRow for #name {
            fn from_row(row: &mut ::store::Row<'_>) -> ::store::Result<Self> {
                Ok(#name { #(#values),* })
            }
        }
        #columns
        #update
    })
}

/// How a field is read.
fn value(field: &&Field) -> Result<TokenStream> {
    let name = &field.ident;
    if has(&field.attrs, "nested") {
        return Ok(quote!(#name: ::store::FromRow::from_row(row)?));
    }
    let read = field.attrs.iter().find(|it| it.path().is_ident("read"));
    Ok(match read.map(|it| it.parse_args::<Path>()).transpose()? {
        Some(read) => quote!(#name: #read(row.get(stringify!(#name))?)),
        None => quote!(#name: row.get(stringify!(#name))?),
    })
}

fn fields(input: &DeriveInput) -> Result<Vec<&Field>> {
    match &input.data {
        Data::Struct(data) if matches!(data.fields, Fields::Named(_)) => {
            Ok(data.fields.iter().collect())
        }
        _ => Err(Error::new(
            Span::call_site(),
            "a row is read into a struct with named fields",
        )),
    }
}

/// The select list, of a struct that names a table.
fn columns(input: &DeriveInput, fields: &[&Field]) -> Result<TokenStream> {
    let Some(table) = text(&input.attrs, "columns")? else {
        return match fields.iter().find(|field| has(&field.attrs, "column")) {
            Some(field) => Err(Error::new_spanned(
                field,
                "this column is of no use: name the table in #[columns(\"TABLE\")]",
            )),
            None => Ok(TokenStream::new()),
        };
    };
    let mut list = Vec::new();
    for field in fields {
        if has(&field.attrs, "nested") {
            let text = "what is nested is not in the select list";
            return Err(Error::new_spanned(field, text));
        }
        let name = field.ident.as_ref().map(ToString::to_string);
        let name = name.unwrap_or_default();
        let name = name.trim_start_matches("r#");
        list.push(match text(&field.attrs, "column")? {
            Some(expression) => format!("{expression} as {name}"),
            None => format!("{table}.{name}"),
        });
    }
    let (struct_name, seen, list) = (&input.ident, &input.vis, list.join(", "));
    Ok(quote! {
        impl #struct_name {
            /// The select list it is read from.
            #seen const COLUMNS: &'static str = #list;
        }
    })
}

/// The statement that writes its written fields, of a struct that has such.
fn update(input: &DeriveInput, fields: &[&Field]) -> Result<TokenStream> {
    let written = fields.iter().filter(|field| has(&field.attrs, "written"));
    let names: Vec<_> = written.filter_map(|field| field.ident.as_ref()).collect();
    let Some(first) = names.first() else {
        return Ok(TokenStream::new());
    };
    let Some(table) = text(&input.attrs, "columns")? else {
        let problem = "name the table it is written to in #[columns(\"TABLE\")]";
        return Err(Error::new_spanned(first, problem));
    };
    let numbered = names.iter().zip(2..);
    let list: Vec<String> = numbered
        .map(|(name, at)| format!("{name} = ${at}"))
        .collect();
    let statement = format!("update {table} set {} where id = $1", list.join(", "));
    let (struct_name, seen) = (&input.ident, &input.vis);
    Ok(quote! {
        impl #struct_name {
            /// Writes the row of its id anew, with [`Self::values`].
            #seen const UPDATE: &'static str = #statement;

            #seen fn values(&self) -> Vec<::store::Value> {
                vec![
                    ::store::IntoValue::into_value(&self.id),
                    #(::store::IntoValue::into_value(&self.#names)),*
                ]
            }
        }
    })
}

fn has(attributes: &[syn::Attribute], name: &str) -> bool {
    attributes.iter().any(|it| it.path().is_ident(name))
}

/// The text of `#[NAME("…")]`.
fn text(attributes: &[syn::Attribute], name: &str) -> Result<Option<String>> {
    let found = attributes.iter().find(|it| it.path().is_ident(name));
    let text = found.map(|it| it.parse_args::<LitStr>());
    Ok(text.transpose()?.map(|text| text.value()))
}
