//! Requests and their responses.

use std::path::Path;

use gen_lsp_types::{
    CodeActionParams, CodeLensParams, CompletionList, CompletionParams, DefinitionParams,
    DocumentSymbol, DocumentSymbolParams, HoverParams, ReferenceParams, RenameParams,
    TextDocumentPositionParams,
};
use lsp_server::{ErrorCode, Request, Response, ResponseError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::file_index::NamedPlace;
use super::file_uri::path_of;
use super::named_kind::icons;
use super::workspace::Workspace;
use super::{completion, definition, hover, lens, quick_fix, rename};

/// The result of a request.
type RequestOutcome = Result<Json, ResponseError>;

pub(super) fn answer(workspace: &mut Workspace, request: Request) -> Response {
    workspace.refresh();
    let workspace = &*workspace;
    let params = request.params;
    let result = match request.method.as_str() {
        "textDocument/definition" => with(params, |params: DefinitionParams| {
            let at = params.text_document_position_params;
            success(definition::definition(workspace, &at))
        }),
        "textDocument/references" => with(params, |params: ReferenceParams| {
            let with_definition = params.context.include_declaration;
            let at = params.text_document_position_params;
            success(definition::references(workspace, &at, with_definition))
        }),
        "textDocument/hover" => with(params, |params: HoverParams| {
            success(hover::hover(
                workspace,
                &params.text_document_position_params,
            ))
        }),
        "textDocument/completion" => with(params, |params: CompletionParams| {
            let items = completion::completion(workspace, &params.text_document_position_params);
            success(CompletionList {
                is_incomplete: false,
                items,
                ..CompletionList::default()
            })
        }),
        "textDocument/documentSymbol" => with(params, |params: DocumentSymbolParams| {
            let file = path_of(&params.text_document.uri);
            success(
                file.map(|file| outline(workspace, &file))
                    .unwrap_or_default(),
            )
        }),
        "textDocument/codeAction" => with(params, |params: CodeActionParams| {
            let file = path_of(&params.text_document.uri);
            success(
                file.map(|file| quick_fix::quick_fixes(workspace, &file, params.range))
                    .unwrap_or_default(),
            )
        }),
        "textDocument/codeLens" => with(params, |params: CodeLensParams| {
            let file = path_of(&params.text_document.uri);
            success(
                file.map(|file| lens::lenses(workspace, &file))
                    .unwrap_or_default(),
            )
        }),
        "textDocument/prepareRename" => with(params, |at: TextDocumentPositionParams| {
            rename::prepare(workspace, &at).map_or_else(refused, success)
        }),
        "textDocument/rename" => with(params, |params: RenameParams| {
            let at = params.text_document_position_params;
            rename::rename(workspace, &at, &params.new_name).map_or_else(refused, success)
        }),
        method => Err(error(
            ErrorCode::MethodNotFound,
            format!("unknown method `{method}`"),
        )),
    };
    Response {
        id: request.id,
        response_result: result,
    }
}

/// The error response to a request.
fn error(code: ErrorCode, message: String) -> ResponseError {
    ResponseError {
        code: code as i32,
        message,
        data: None,
    }
}

fn refused(why: String) -> RequestOutcome {
    Err(error(ErrorCode::RequestFailed, why))
}

fn success(value: impl Serialize) -> RequestOutcome {
    serde_json::to_value(value).map_err(|why| error(ErrorCode::InternalError, why.to_string()))
}

/// Parses the parameters of a request.
fn with<P: DeserializeOwned>(
    params: Json,
    answer: impl FnOnce(P) -> RequestOutcome,
) -> RequestOutcome {
    let params = serde_json::from_value(params)
        .map_err(|why| error(ErrorCode::InvalidParams, why.to_string()))?;
    answer(params)
}

/// The definitions of a document, in text order.
fn outline(workspace: &Workspace, file: &Path) -> Vec<DocumentSymbol> {
    let Some((index, document)) = workspace.index(file).zip(workspace.documents.get(file)) else {
        return Vec::new();
    };
    let range = |at: &std::ops::Range<usize>| document.range(at, workspace.style.unit);
    let symbol = |place: &NamedPlace| {
        let selection_range = range(&place.at);
        let whole = place.whole.as_ref()?;
        #[expect(deprecated, reason = "the protocol still requires the field")]
        let symbol = DocumentSymbol {
            name: place.name.to_string(),
            detail: Some(place.kind.noun().to_owned()),
            kind: icons(place.kind).0,
            tags: None,
            deprecated: None,
            range: range(&(whole.start.min(place.at.start)..whole.end.max(place.at.end))),
            selection_range,
            children: None,
        };
        Some(symbol)
    };
    index.places.iter().filter_map(symbol).collect()
}
