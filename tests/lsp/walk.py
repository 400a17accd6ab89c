"""The pygls client: findings, quick fix, definition, hover, completion, references and rename. `walk.py BINARY PROJECT`."""

import asyncio
import sys
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

binary, project = sys.argv[1], Path(sys.argv[2]).resolve()
client = LanguageClient("fsmsim-test", "1")
findings = {}
published = asyncio.Event()


@client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
def take(params: types.PublishDiagnosticsParams):
    findings[params.uri] = params.diagnostics
    published.set()


async def until(uri, holds):
    while uri not in findings or not holds(findings[uri]):
        published.clear()
        await asyncio.wait_for(published.wait(), 20)
    return findings[uri]


def position(text, word, inside=0):
    before = text[: text.index(word) + inside]
    return types.Position(before.count("\n"), len(before.rsplit("\n", 1)[-1].encode("utf-16-le")) // 2)


async def walk():
    await client.start_io(binary, "lsp")
    known = await client.initialize_async(
        types.InitializeParams(capabilities=types.ClientCapabilities(), root_uri=project.as_uri())
    )
    assert known.server_info.name == "fsmsim" and known.capabilities.rename_provider.prepare_provider
    client.initialized(types.InitializedParams())
    path = project / "tea.yaml"
    uri, text = path.as_uri(), path.read_text()
    document = types.TextDocumentIdentifier(uri)
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "yaml", 1, text))
    )
    await until(uri, lambda found: not found)

    wrong = text.replace("then: brew", "then: brw")
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, uri),
            [types.TextDocumentContentChangeWholeDocument(wrong)],
        )
    )
    [finding] = await until(uri, lambda found: len(found) == 1)
    assert finding.code == "FS0101" and "exists: `brew`" in finding.message, finding
    [fix] = await client.text_document_code_action_async(
        types.CodeActionParams(document, finding.range, types.CodeActionContext([finding]))
    )
    assert fix.edit.changes[uri][0].new_text == "brew"
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(3, uri),
            [types.TextDocumentContentChangePartial(finding.range, "brew")],
        )
    )
    await until(uri, lambda found: not found)

    at = position(text, "then: brew", 7)
    [place] = await client.text_document_definition_async(types.DefinitionParams(document, at))
    assert place.range.start == position(text, "  brew:", 2), place
    hover = await client.text_document_hover_async(types.HoverParams(document, at))
    assert "phase `pour`" in hover.contents.value
    offered = await client.text_document_completion_async(types.CompletionParams(document, at))
    assert [item.label for item in offered.items] == ["brew", "greeting", "parting", "resume"], offered
    references = await client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(True), document, at)
    )
    assert len(references) == 6
    edit = await client.text_document_rename_async(types.RenameParams(document, at, "steep"))
    changed = {change.text_document.uri.rsplit("/", 2)[-2:][0]: len(change.edits) for change in edit.document_changes}
    assert changed == {"scenarios": 3, project.name: 3}, changed
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert [symbol.name for symbol in symbols][-1] == "parting"

    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    print("language server: the pygls client passes")


asyncio.run(walk())
