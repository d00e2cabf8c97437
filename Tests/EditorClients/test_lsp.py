"""Runs `flowrun lsp` with pytest-lsp and pygls, for everything that Neovim's script does not test."""

import asyncio
import os

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

URI = "file:///project/shop.yaml"
TEXT = """name: shop
inputs:
  city: { type: string, default: Bern }
events: [paid]
steps:
  fetch: { uses: flow.set, with: { values: { path: a } } }
  publish:
    uses: flow.log
    needs: [fetch]
    after: paid
    with: { message: "😀 ${{ steps.fetch.outputs.path }} in ${{ inputs.city }}" }
"""


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[os.environ["FLOWRUN"], "lsp"]))
async def client(lsp_client: LanguageClient):
    await lsp_client.initialize_session(
        lsp.InitializeParams(
            capabilities=client_capabilities("visual-studio-code"),
            initialization_options={"inlayHints": True},
            root_uri="file:///project",
        )
    )
    yield
    await lsp_client.shutdown_session()


def opened(client, text=TEXT):
    client.text_document_did_open(
        lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri=URI, language_id="yaml", version=1, text=text))
    )
    return lsp.TextDocumentIdentifier(uri=URI)


def place(needle, inside=0, text=TEXT):
    before = text[: text.index(needle) + inside]
    line = before.count("\n")
    return lsp.Position(line=line, character=len(before.split("\n")[-1].encode("utf-16-le")) // 2)


@pytest.mark.asyncio
async def test_pushes_and_gives_diagnostics(client):
    document = opened(client, TEXT.replace("[fetch]", "[fetchh]"))
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert any(item.code == "unknown-step" for item in client.diagnostics[URI])
    report = await client.text_document_diagnostic_async(lsp.DocumentDiagnosticParams(text_document=document))
    assert any(item.code == "unknown-step" for item in report.items)


@pytest.mark.asyncio
async def test_hover_definition_references_highlight(client):
    document = opened(client)
    at = dict(text_document=document, position=place("[fetch]", 2))
    hover = await client.text_document_hover_async(lsp.HoverParams(**at))
    assert "flow.set" in hover.contents.value
    definition = await client.text_document_definition_async(lsp.DefinitionParams(**at))
    assert [item.range.start.line for item in definition] == [5]
    references = await client.text_document_references_async(
        lsp.ReferenceParams(**at, context=lsp.ReferenceContext(include_declaration=True))
    )
    assert [item.range.start.line for item in references] == [5, 8, 10]
    # This reference is after a character of two UTF-16 units.
    assert references[2].range.start == place("steps.fetch", 6)
    highlights = await client.text_document_document_highlight_async(lsp.DocumentHighlightParams(**at))
    assert len(highlights) == 3


@pytest.mark.asyncio
async def test_completes_in_expressions(client):
    document = opened(client)
    found = await client.text_document_completion_async(
        lsp.CompletionParams(text_document=document, position=place("steps.fetch.outputs.path", 20))
    )
    assert [item.label for item in found.items] == ["path"]


@pytest.mark.asyncio
async def test_renames_and_refuses(client):
    document = opened(client)
    prepared = await client.text_document_prepare_rename_async(
        lsp.PrepareRenameParams(text_document=document, position=place("inputs.city", 8))
    )
    assert prepared.placeholder == "city"
    edit = await client.text_document_rename_async(
        lsp.RenameParams(text_document=document, position=place("inputs.city", 8), new_name="town")
    )
    assert len(edit.document_changes[0].edits) == 2
    with pytest.raises(Exception, match="already"):
        await client.text_document_rename_async(
            lsp.RenameParams(text_document=document, position=place("fetch:", 1), new_name="publish")
        )


@pytest.mark.asyncio
async def test_symbols_folds_selections_actions_hints(client):
    document = opened(client)
    symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(text_document=document))
    steps = next(item for item in symbols if item.name == "steps")
    assert [item.name for item in steps.children] == ["fetch", "publish"]
    folds = await client.text_document_folding_range_async(lsp.FoldingRangeParams(text_document=document))
    assert any((fold.start_line, fold.end_line) == (6, 10) for fold in folds)
    selections = await client.text_document_selection_range_async(
        lsp.SelectionRangeParams(text_document=document, positions=[place("[fetch]", 2)])
    )
    assert selections[0].parent.parent is not None
    whole = lsp.Range(start=lsp.Position(line=0, character=0), end=lsp.Position(line=99, character=0))
    hints = await client.text_document_inlay_hint_async(lsp.InlayHintParams(text_document=document, range=whole))
    assert hints is not None
    wrong = TEXT.replace("flow.log", "flow.log2").replace("events", "eventz")
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            text_document=lsp.VersionedTextDocumentIdentifier(uri=URI, version=2),
            content_changes=[lsp.TextDocumentContentChangeWholeDocument(text=wrong)],
        )
    )
    actions = await client.text_document_code_action_async(
        lsp.CodeActionParams(text_document=document, range=whole, context=lsp.CodeActionContext(diagnostics=[]))
    )
    assert {"Write 'events'", "Write 'flow.log'"} <= {action.title for action in actions}


@pytest.mark.asyncio
async def test_many_questions_at_once(client):
    document = opened(client)
    at = dict(text_document=document, position=place("[fetch]", 2))
    answers = await asyncio.gather(*[client.text_document_hover_async(lsp.HoverParams(**at)) for _ in range(200)])
    assert all(answer.contents.value for answer in answers)


@pytest.mark.asyncio
async def test_answers_everything_at_every_place(client):
    """Visits every fifth position of each line, and truncates the text there as if it were just being typed."""
    lines = TEXT.split("\n")
    places = [
        lsp.Position(line=line, character=column)
        for line, text in enumerate(lines)
        for column in range(0, len(text.encode("utf-16-le")) // 2 + 1, 5)
    ]
    assert len(places) >= 60
    document = opened(client)
    for position in places:
        at = dict(text_document=document, position=position)
        await client.text_document_hover_async(lsp.HoverParams(**at))
        await client.text_document_definition_async(lsp.DefinitionParams(**at))
        try:
            await client.text_document_prepare_rename_async(lsp.PrepareRenameParams(**at))
        except JsonRpcException as refusal:
            assert "renamed" in str(refusal)
        await client.text_document_document_highlight_async(lsp.DocumentHighlightParams(**at))
        found = await client.text_document_references_async(
            lsp.ReferenceParams(**at, context=lsp.ReferenceContext(include_declaration=True))
        )
        for reference in found or []:
            assert reference.range.end.line < len(lines)
    for version, position in enumerate(places, 2):
        units = lines[position.line].encode("utf-16-le")[: position.character * 2]
        begun = lines[: position.line] + [units.decode("utf-16-le", errors="ignore")]
        client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                text_document=lsp.VersionedTextDocumentIdentifier(uri=URI, version=version),
                content_changes=[lsp.TextDocumentContentChangeWholeDocument(text="\n".join(begun))],
            )
        )
        end = lsp.Position(line=position.line, character=len(begun[-1].encode("utf-16-le")) // 2)
        found = await client.text_document_completion_async(
            lsp.CompletionParams(text_document=document, position=end)
        )
        for item in found.items if found else []:
            assert item.label
        report = await client.text_document_diagnostic_async(lsp.DocumentDiagnosticParams(text_document=document))
        for item in report.items:
            assert item.range.end.line <= position.line and item.message
