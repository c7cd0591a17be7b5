//! Expands `#[derive(Shaped)]`.

use std::cell::RefCell;
use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use serde_derive_internals::ast::{Container, Data, Field, Style, Variant};
use serde_derive_internals::attr::TagType;
use serde_derive_internals::name::{MultiName, Name};
use serde_derive_internals::{Ctxt, Derive, attr};
use syn::spanned::Spanned;
use syn::{
    DeriveInput, ExprPath, GenericParam, Generics, Ident, Result, Type, WherePredicate, parse_quote,
};

use crate::attribute::{
    Attributes, Position, check_numbers, doc_text, error_at, has_own_serde, is_serde_bytes,
    last_segment_is, refuse_number,
};
use crate::check;

/// The state of an expansion.
struct Context {
    /// The path of the shape crate.
    krate: TokenStream,
    /// The types whose shapes the implementation uses, collected while its code is written.
    types: RefCell<Vec<Type>>,
}

/// Returns the implementation. `default_path` is the path of the shape crate unless the type
/// declares another.
pub(crate) fn expand(input: &DeriveInput, default_path: TokenStream) -> Result<TokenStream> {
    let attributes = Attributes::parse(&input.attrs, Position::Container)?;
    let krate = attributes.krate.as_ref().map_or(default_path, ToTokens::to_token_stream);
    let context = Context { krate, types: RefCell::default() };
    let Expansion { body, methods } = body(&context, input, &attributes)?;
    let Context { krate, types } = context;
    let generics = with_bounds(&input.generics, attributes.bound, &types.into_inner(), &krate);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, type_generics, _) = input.generics.split_for_impl();
    let ident = &input.ident;
    let borrowed = borrowed(&krate, input);
    Ok(quote! {
        #borrowed

        #[automatically_derived]
        impl #impl_generics #krate::Shaped for #ident #type_generics #where_clause {
            fn node(builder: &mut #krate::ShapeBuilder) -> #krate::NodeId {
                #body
            }

            #methods
        }
    })
}

/// The code of an implementation.
struct Expansion {
    /// The expression for the node of the type.
    body: TokenStream,
    /// The methods that walk over a value.
    methods: TokenStream,
}

/// Returns the implementation of `Borrowed` for a type with one lifetime and no other parameter.
fn borrowed(krate: &TokenStream, input: &DeriveInput) -> Option<TokenStream> {
    let mut parameters = input.generics.params.iter();
    let (Some(GenericParam::Lifetime(_)), None) = (parameters.next(), parameters.next()) else {
        return None;
    };
    let ident = &input.ident;
    Some(quote! {
        #[automatically_derived]
        impl<'any> #krate::Borrowed for #ident<'any> {
            type Output<'b> = #ident<'b>;

            fn shorten<'s, 'b>(value: &'s #ident<'b>) -> &'s #ident<'s> {
                value
            }
        }
    })
}

/// Returns the expression for the node of the type, and the methods that walk over a value.
fn body(context: &Context, input: &DeriveInput, attributes: &Attributes) -> Result<Expansion> {
    let krate = &context.krate;
    // Reports invalid serde attributes as serde's derives do, for types that have only this derive.
    let errors = Ctxt::new();
    let private = Ident::new("__private", proc_macro2::Span::call_site());
    let container = Container::from_ast(&errors, input, Derive::Serialize, &private);
    errors.check()?;
    let Some(container) = container else {
        return Err(error_at(input, "a union has no shape"));
    };
    let attrs = &container.attrs;
    if let Some(ty) = &attributes.written_as {
        check::refuse_unread(&container)?;
        return Ok(Expansion { body: alias(context, ty), methods: TokenStream::new() });
    }
    if let Some(into) = attrs.type_into() {
        let from = attrs.type_from().or(attrs.type_try_from());
        if from.is_some_and(|from| !same(from, into)) {
            let why = "serde writes this as one type and reads it as another: add \
                #[shaped(as = \"Type\")] with the type that both are written as";
            return Err(error_at(&input.ident, why));
        }
        check::refuse_unread(&container)?;
        return Ok(Expansion { body: alias(context, into), methods: TokenStream::new() });
    }
    let methods = check::methods(krate, input, &container)?;
    let doc = doc_text(&input.attrs);
    let node = match &container.data {
        Data::Enum(list) => enum_node(context, attrs, list, &doc)?,
        Data::Struct(_, list) if attrs.transparent() => {
            let field = list.iter().find(|field| field.attrs.transparent());
            let field = field.ok_or_else(|| {
                error_at(input, "`transparent` needs one field that is not skipped")
            })?;
            let attributes = Attributes::parse(&field.original.attrs, Position::Field)?;
            alias_of(field_node(context, field, &attributes)?)
        }
        Data::Struct(Style::Newtype, list) => {
            let attributes = Attributes::parse(&list[0].original.attrs, Position::Field)?;
            alias_of(field_node(context, &list[0], &attributes)?)
        }
        Data::Struct(Style::Unit, _) => quote!(builder.add(#krate::Node::Null)),
        Data::Struct(Style::Tuple, list) => alias_of(tuple_node(context, list)?),
        Data::Struct(Style::Struct, list) => {
            let name = &attrs.name().serialize_name().value;
            let fields = named(context, list, !attrs.default().is_none())?;
            let tag = match attrs.tag() {
                // Serde writes the name of the type into the tag and ignores the tag when reading.
                TagType::Internal { tag } => Some(quote! {
                    let node = builder.add(#krate::Node::Str);
                    fields.push(#krate::Field {
                        presence: #krate::Presence::Defaulted,
                        ..#krate::Field::new(#tag, node)
                    });
                }),
                _ => None,
            };
            quote! {
                #krate::derived::record(
                    builder,
                    ::core::any::type_name::<Self>(),
                    #name,
                    #doc,
                    |builder, fields| { #tag #fields },
                )
            }
        }
    };
    let denied =
        attrs.deny_unknown_fields().then(|| quote!(#krate::derived::deny_unknown_fields(builder);));
    Ok(Expansion { body: quote!(#denied #node), methods })
}

/// Returns the node of a type that is written as another type.
fn alias(context: &Context, ty: &Type) -> TokenStream {
    let krate = &context.krate;
    let node = of_type(context, ty);
    quote! {
        builder.alias(::core::any::type_name::<Self>(), |builder| {
            let node = #node;
            #krate::derived::unchecked(builder, ::core::any::type_name::<Self>(), node)
        })
    }
}

/// Returns the expression for the node of a field or variant that is written as another type.
fn written_as(context: &Context, ty: &Type, name: &str) -> TokenStream {
    let krate = &context.krate;
    let node = of_type(context, ty);
    let builder = builder_ident();
    quote! {
        {
            let node = #node;
            #krate::derived::unchecked(#builder, #name, node)
        }
    }
}

/// Returns the node of a type whose only content is this node.
fn alias_of(node: TokenStream) -> TokenStream {
    quote!(builder.alias(::core::any::type_name::<Self>(), |builder| #node))
}

/// Returns the expression for the node of a tuple.
fn tuple_node(context: &Context, fields: &[Field<'_>]) -> Result<TokenStream> {
    let krate = &context.krate;
    let nodes = positional(context, fields)?;
    Ok(quote! {
        {
            let items = ::std::vec![#(#nodes),*];
            builder.add(#krate::Node::Tuple(items))
        }
    })
}

fn same(left: &Type, right: &Type) -> bool {
    left.to_token_stream().to_string() == right.to_token_stream().to_string()
}

/// Returns the expression for the node of an enum.
fn enum_node(
    context: &Context,
    attrs: &attr::Container,
    variants: &[Variant<'_>],
    doc: &str,
) -> Result<TokenStream> {
    let krate = &context.krate;
    let (untagged, tagged): (Vec<&Variant<'_>>, Vec<&Variant<'_>>) = variants
        .iter()
        .filter(|variant| !(variant.attrs.skip_serializing() && variant.attrs.skip_deserializing()))
        .partition(|variant| variant.attrs.untagged() || matches!(attrs.tag(), TagType::None));
    let branches: Vec<TokenStream> =
        untagged.into_iter().map(|variant| branch(context, variant)).collect::<Result<_>>()?;
    let sum = if matches!(attrs.tag(), TagType::None) || tagged.is_empty() && !branches.is_empty() {
        None
    } else {
        Some(tagged_node(context, attrs, &tagged, doc, branches.is_empty())?)
    };
    if branches.is_empty()
        && let Some(sum) = sum
    {
        return Ok(sum);
    }
    let sum = sum.into_iter();
    Ok(quote! {
        #krate::derived::untagged(builder, ::core::any::type_name::<Self>(), |builder| {
            ::std::vec![#(#sum,)* #(#branches),*]
        })
    })
}

fn tagged_node(
    context: &Context,
    attrs: &attr::Container,
    variants: &[&Variant<'_>],
    doc: &str,
    whole: bool,
) -> Result<TokenStream> {
    let krate = &context.krate;
    let mut numbers = Vec::new();
    let mut items = Vec::new();
    for variant in variants {
        let attributes = Attributes::parse(&variant.original.attrs, Position::Variant)?;
        let by_name = matches!(attrs.tag(), TagType::Adjacent { .. });
        let kind = kind(context, variant, &attributes, by_name)?;
        let (name, aliases) = names(variant.attrs.name(), variant.attrs.aliases());
        let doc = doc_text(&variant.original.attrs);
        let number = number(&attributes);
        numbers.extend(attributes.number);
        items.push(quote! {
            {
                let kind = #kind;
                #krate::derived::variant(#name, &[#(#aliases),*], #doc, #number, kind)
            }
        });
    }
    check_numbers(numbers.iter())?;
    let tagging = match attrs.tag() {
        TagType::Internal { tag } => {
            quote!(Internal { tag: #krate::Name::Borrowed(#tag) })
        }
        TagType::Adjacent { tag, content } => quote!(Adjacent {
            tag: #krate::Name::Borrowed(#tag),
            content: #krate::Name::Borrowed(#content),
        }),
        TagType::External | TagType::None => quote!(External),
    };
    let name = &attrs.name().serialize_name().value;
    // If the enum also has untagged variants, the tagged ones are only a part of the type.
    let type_name = if whole {
        quote!(::core::any::type_name::<Self>())
    } else {
        quote!(::core::any::type_name::<(Self,)>())
    };
    Ok(quote! {
        #krate::derived::tagged(
            builder,
            #type_name,
            #name,
            #doc,
            #krate::Tagging::#tagging,
            |builder| ::std::vec![#(#items),*],
        )
    })
}

/// Returns the expression for the content of a tagged variant.
///
/// `by_name` is true if serde reads the fields of a struct variant by name only.
fn kind(
    context: &Context,
    variant: &Variant<'_>,
    attributes: &Attributes,
    by_name: bool,
) -> Result<TokenStream> {
    let krate = &context.krate;
    check_variant(variant, attributes)?;
    if let Some(ty) = &attributes.written_as {
        let node = written_as(context, ty, &variant.ident.to_string());
        return Ok(quote!(#krate::VariantKind::Newtype(#node)));
    }
    let style = match variant.style {
        // Serde writes a newtype variant whose field is skipped as a unit variant.
        Style::Newtype if variant.fields[0].attrs.skip_serializing() => Style::Unit,
        style => style,
    };
    Ok(match style {
        Style::Unit => quote!(#krate::VariantKind::Unit),
        Style::Newtype => {
            let node = positional(context, &variant.fields)?;
            quote!(#krate::VariantKind::Newtype(#(#node)*))
        }
        Style::Tuple => {
            let nodes = positional(context, &variant.fields)?;
            quote!(#krate::VariantKind::Tuple(::std::vec![#(#nodes),*]))
        }
        Style::Struct => {
            let record = struct_variant(context, variant, by_name)?;
            quote!(#krate::VariantKind::Struct(#record))
        }
    })
}

/// Returns the expression for the node of an untagged variant, of which only the content is
/// written.
fn branch(context: &Context, variant: &Variant<'_>) -> Result<TokenStream> {
    let krate = &context.krate;
    let attributes = Attributes::parse(&variant.original.attrs, Position::Variant)?;
    let why = "an untagged variant has no number: its name is not written";
    refuse_number(attributes.number.as_ref(), why)?;
    check_variant(variant, &attributes)?;
    if let Some(ty) = &attributes.written_as {
        return Ok(written_as(context, ty, &variant.ident.to_string()));
    }
    Ok(match variant.style {
        Style::Unit => quote!(builder.add(#krate::Node::Null)),
        Style::Newtype if variant.fields[0].attrs.skip_serializing() => {
            quote!(builder.add(#krate::Node::Null))
        }
        Style::Newtype => {
            let node = positional(context, &variant.fields)?;
            quote!(#(#node)*)
        }
        Style::Tuple => tuple_node(context, &variant.fields)?,
        Style::Struct => struct_variant(context, variant, true)?,
    })
}

fn struct_variant(context: &Context, variant: &Variant<'_>, by_name: bool) -> Result<TokenStream> {
    let krate = &context.krate;
    let name = &variant.attrs.name().serialize_name().value;
    let fields = named(context, &variant.fields, false)?;
    let function = if by_name { quote!(fields_read_by_name) } else { quote!(fields_of_variant) };
    Ok(quote! {
        #krate::derived::#function(builder, #name, |builder, fields| { #fields })
    })
}

/// Returns the statements that add named fields to `fields`.
///
/// `defaulted` is true if the container has a default for all fields.
fn named(context: &Context, fields: &[Field<'_>], defaulted: bool) -> Result<TokenStream> {
    let krate = &context.krate;
    let mut statements = TokenStream::new();
    let mut numbers = Vec::new();
    for field in fields {
        let attrs = &field.attrs;
        if attrs.skip_serializing() && attrs.skip_deserializing() {
            continue;
        }
        let attributes = Attributes::parse(&field.original.attrs, Position::Field)?;
        let node = field_node(context, field, &attributes)?;
        if attrs.flatten() {
            let why = "a flattened field has no number: the fields inside it have numbers";
            refuse_number(attributes.number.as_ref(), why)?;
            statements.extend(quote! {
                let node = #node;
                fields.flatten(builder, node);
            });
            continue;
        }
        if attrs.skip_serializing() != attrs.skip_deserializing() {
            statements.extend(quote!(fields.shift();));
        }
        let presence = if attrs.skip_serializing() || attrs.skip_serializing_if().is_some() {
            quote!(Optional)
        } else if defaulted || !attrs.default().is_none() || attrs.skip_deserializing() {
            quote!(Defaulted)
        } else {
            quote!(Required)
        };
        let (name, aliases) = names(attrs.name(), attrs.aliases());
        let doc = doc_text(&field.original.attrs);
        let number = number(&attributes);
        numbers.extend(attributes.number);
        statements.extend(quote! {
            let node = #node;
            fields.push(#krate::Field {
                name: #krate::Name::Borrowed(#name),
                aliases: #krate::derived::names(&[#(#aliases),*]),
                doc: #krate::Name::Borrowed(#doc),
                node,
                presence: #krate::Presence::#presence,
                number: #number,
            });
        });
    }
    check_numbers(numbers.iter())?;
    Ok(statements)
}

/// Returns the expressions for the nodes of a tuple's fields.
fn positional(context: &Context, fields: &[Field<'_>]) -> Result<Vec<TokenStream>> {
    let mut nodes = Vec::new();
    for field in fields.iter().filter(|field| !field.attrs.skip_serializing()) {
        if field.attrs.skip_serializing_if().is_some() {
            let why = "skipping a field of a tuple shifts the fields after it, so the type has no \
                fixed shape: remove `skip_serializing_if`, or name the fields";
            return Err(error_at(field.ty, why));
        }
        let attributes = Attributes::parse(&field.original.attrs, Position::Field)?;
        refuse_number(attributes.number.as_ref(), "a field without a name has no number")?;
        nodes.push(field_node(context, field, &attributes)?);
    }
    Ok(nodes)
}

/// Returns the name that is written, and the other names that are read.
fn names(name: &MultiName, aliases: &std::collections::BTreeSet<Name>) -> (String, Vec<String>) {
    let written = name.serialize_name().value.clone();
    let read = std::iter::once(name.deserialize_name()).chain(aliases);
    let mut others: Vec<String> = Vec::new();
    for name in read.map(|name| &name.value) {
        if *name != written && !others.contains(name) {
            others.push(name.clone());
        }
    }
    (written, others)
}

/// Returns the expression for an optional number.
fn number(attributes: &Attributes) -> TokenStream {
    match &attributes.number {
        Some(number) => {
            let value = number.value;
            quote!(::core::option::Option::Some(#value))
        }
        None => quote!(::core::option::Option::None),
    }
}

const WITH: &str = "a custom serde function writes or reads this, so its type does not determine \
    its encoding: add #[shaped(as = \"Type\")] with a type that is written the same way";

/// Returns the expression for the node of a field, with its constraints.
fn field_node(
    context: &Context,
    field: &Field<'_>,
    attributes: &Attributes,
) -> Result<TokenStream> {
    let node = type_node(context, field, attributes)?;
    let Some(constraints) = attributes.constraints.expression(&context.krate) else {
        return Ok(node);
    };
    let requirements = attributes.constraints.requirements(&context.krate, field.ty);
    let builder = builder_ident();
    Ok(quote! {
        {
            #requirements
            let node = #node;
            #builder.constrain(node, #constraints)
        }
    })
}

/// Returns the expression for the node of a field without its constraints.
fn type_node(context: &Context, field: &Field<'_>, attributes: &Attributes) -> Result<TokenStream> {
    let krate = &context.krate;
    let builder = builder_ident();
    let ty = attributes.written_as.as_ref().unwrap_or(field.ty);
    if let Some(encoding) = &attributes.encoding {
        let variant = syn::Ident::new(encoding.variant, encoding.span);
        // Zigzag is for negative numbers; the encoding would double every unsigned number.
        let check = quote_spanned! {encoding.span=>
            const {
                ::core::assert!(
                    <#ty as #krate::derived::Integer>::SIGNED,
                    "the encoding `zigzag` needs a signed integer",
                )
            };
        };
        let check = (encoding.variant == "Zigzag").then_some(check);
        return Ok(quote_spanned! {ty.span()=>
            {
                #check
                #krate::derived::encoded::<#ty>(#builder, #krate::IntEncoding::#variant)
            }
        });
    }
    if attributes.written_as.is_some() {
        let name = match &field.member {
            syn::Member::Named(name) => format!("the field `{name}`"),
            syn::Member::Unnamed(index) => format!("the field {}", index.index),
        };
        return Ok(written_as(context, ty, &name));
    }
    if has_own_serde(field) {
        return Err(error_at(field.ty, WITH));
    }
    let with = [field.attrs.serialize_with(), field.attrs.deserialize_with()];
    let with: Vec<&ExprPath> = with.into_iter().flatten().collect();
    if with.iter().any(|path| is_serde_bytes(path)) {
        return Ok(quote_spanned! {ty.span()=> #krate::derived::bytes::<#ty>(#builder) });
    }
    // Serde reads a borrowed `Cow<[u8]>` as bytes, like a `&[u8]`.
    if with.iter().any(|path| last_segment_is(path, "borrow_cow_bytes")) {
        return Ok(quote_spanned! {ty.span()=> #builder.add(#krate::Node::Bytes) });
    }
    Ok(of_type(context, ty))
}

/// Returns the expression for the node of a type, and records that the implementation needs the
/// type's shape.
fn of_type(context: &Context, ty: &Type) -> TokenStream {
    let krate = &context.krate;
    let builder = builder_ident();
    context.types.borrow_mut().push(ty.clone());
    quote_spanned! {ty.span()=> <#ty as #krate::Shaped>::node(#builder) }
}

/// Returns the name of the builder, for code with the span of a type: a type that a macro was given
/// has the caller's hygiene, in which the parameter of the generated function is not visible.
fn builder_ident() -> Ident {
    Ident::new("builder", proc_macro2::Span::call_site())
}

/// Refuses a variant with `serialize_with` or `deserialize_with` but without `#[shaped(as = …)]`.
fn check_variant(
    variant: &serde_derive_internals::ast::Variant<'_>,
    attributes: &Attributes,
) -> Result<()> {
    let with = variant.attrs.serialize_with().or(variant.attrs.deserialize_with());
    if with.is_some() && attributes.written_as.is_none() {
        return Err(error_at(&variant.ident, WITH));
    }
    Ok(())
}

/// Returns the generics of the type with the bound `Shaped` on every type parameter whose shape is
/// used.
///
/// Bounds on the types of fields would be more exact, but the compiler cannot resolve them if a
/// type contains itself.
fn with_bounds(
    generics: &Generics,
    given: Option<Vec<WherePredicate>>,
    types: &[Type],
    krate: &TokenStream,
) -> Generics {
    let mut generics = generics.clone();
    let predicates = given.unwrap_or_else(|| {
        let parameters: Vec<String> =
            generics.type_params().map(|parameter| parameter.ident.to_string()).collect();
        let mut bounded = BTreeSet::new();
        for ty in types {
            find_parameters(ty.to_token_stream(), &parameters, &mut bounded);
        }
        bounded
            .into_iter()
            .filter_map(|path| path.parse::<TokenStream>().ok())
            .map(|path| parse_quote!(#path: #krate::Shaped))
            .collect()
    });
    generics.make_where_clause().predicates.extend(predicates);
    generics
}

/// Finds the type parameters in a type, and the paths that begin with one (`T::Item`).
///
/// The search works on tokens, in which the parameters of any type occur by name.
fn find_parameters(tokens: TokenStream, parameters: &[String], found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, c: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == c);
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => find_parameters(group.stream(), parameters, found),
            TokenTree::Ident(ident) if ident == "PhantomData" && is(at + 1, '<') => {
                at = end_of_arguments(&tokens, at + 1);
                continue;
            }
            TokenTree::Ident(ident)
                if parameters.contains(&ident.to_string()) && !(at > 0 && is(at - 1, ':')) =>
            {
                let mut path = quote!(#ident);
                while is(at + 1, ':') && is(at + 2, ':') && at + 3 < tokens.len() {
                    path.extend(tokens[at + 1..=at + 3].iter().cloned());
                    at += 3;
                }
                found.insert(path.to_string());
            }
            _ => {}
        }
        at += 1;
    }
}

/// Returns the index after the `>` that closes the `<` at `open`.
fn end_of_arguments(tokens: &[TokenTree], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}
