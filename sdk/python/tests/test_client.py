from __future__ import annotations

import json
import logging
import traceback
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

import trilho as package
from tests.conftest import TOKEN, Ask
from tests.samples import balances, error, pix_key, refund_result
from tests.scripted_server import Answer, ScriptedServer
from trilho import AsyncTrilho, Trilho, ValidationError

UUID = "6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21"
ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (12.5, "12.5"),
        (0.1, "0.1"),
        (Decimal("12.50"), "12.50"),
        (Decimal("1E+2"), "100"),
        ("9999999999.99", "9999999999.99"),
        (9999999999.99, "9999999999.99"),
        (7, "7"),
    ],
)
def test_an_amount_is_sent_exactly_as_it_is_written(
    ask: Ask, server: ScriptedServer, value: object, number: str
) -> None:
    server.script(Answer(200, {"message": "", "data": refund_result(7)}))
    ask(lambda trilho: trilho.payments.refund(UUID, value=value))
    assert server.received[0].body.decode() == f'{{"value":{number}}}'


@pytest.mark.parametrize("value", [None, True, "much", "", float("nan"), Decimal("Infinity"), [1]])
def test_what_is_no_amount_is_never_sent(ask: Ask, server: ScriptedServer, value: object) -> None:
    server.script(Answer(200, {"message": "", "data": refund_result(7)}))
    with pytest.raises((TypeError, ValueError), match="value"):
        ask(lambda trilho: trilho.payments.refund(UUID, value=value))
    assert server.received == []


@pytest.mark.parametrize("wire", ["150.75", "0.1", "12345678901234567.89", "7"])
def test_amounts_arrive_as_exact_decimals(ask: Ask, server: ScriptedServer, wire: str) -> None:
    body = json.dumps({"data": balances("AMOUNT")}).replace('"AMOUNT"', wire).encode()
    server.script(Answer(200, body))
    value = ask(lambda trilho: trilho.providers.get(UUID)).balances[0].available_balance
    assert isinstance(value, Decimal)
    assert str(value) == wire


def test_an_amount_that_may_be_null_is_an_exact_decimal_too(ask: Ask, server: ScriptedServer) -> None:
    server.script(Answer(200, {"data": {**balances(0), "max_per_transfer": 0.1}}))
    assert repr(ask(lambda trilho: trilho.providers.get(UUID)).max_per_transfer) == "Decimal('0.1')"


def test_a_newer_api_is_understood(ask: Ask, server: ScriptedServer) -> None:
    server.script(Answer(200, {"data": {**pix_key("a"), "type": "IBAN", "colour": "blue"}}))
    key = ask(lambda trilho: trilho.pix_keys.get("a"))
    assert (key.type, key.colour) == ("IBAN", "blue")
    assert key.created_at == datetime(2026, 11, 21, 12, tzinfo=timezone.utc)


def test_an_error_has_all_its_parts(ask: Ask, server: ScriptedServer) -> None:
    body = error("validation_failed", errors={"splits.0.value": ["is required"]}, data={"value": 0.1})
    server.script(Answer(422, body))
    with pytest.raises(ValidationError) as caught:
        ask(lambda trilho: trilho.payments.refund(UUID))
    refused = caught.value
    assert (refused.status, refused.code, refused.request_id) == (422, "validation_failed", "request-1")
    assert refused.errors == {"splits.0.value": ["is required"]}
    assert refused.data == {"value": Decimal("0.1")}
    assert str(refused) == (
        "422 validation_failed: For people.; splits.0.value is required; request_id request-1"
    )


def test_an_error_of_a_proxy_is_an_error_of_its_status(ask: Ask, server: ScriptedServer) -> None:
    server.script(Answer(404, b"<html>", {"x-request-id": "proxy-1"}))
    with pytest.raises(package.NotFoundError) as caught:
        ask(lambda trilho: trilho.pix_keys.get("a"))
    assert (caught.value.code, caught.value.request_id) == (None, "proxy-1")


@pytest.mark.parametrize("uuid", ["", ".", "..", None])
def test_a_path_never_names_something_else(ask: Ask, server: ScriptedServer, uuid: Any) -> None:
    with pytest.raises(ValueError, match="uuid"):
        ask(lambda trilho: trilho.webhooks.delete(uuid))
    assert server.received == []


def test_filters_are_written_as_the_api_reads_them(ask: Ask, server: ScriptedServer) -> None:
    meta = {
        "current_page": 1,
        "from": 0,
        "last_page": 1,
        "per_page": 15,
        "to": 0,
        "total": 0,
        "next_cursor": None,
    }
    server.script(Answer(200, {"data": [], "meta": meta}))
    ask(
        lambda trilho: trilho.payments.list(
            status=["PAID", "EXPIRED"],
            date_from=date(2026, 11, 1),
            date_to="2026-11-30",
            value_min=Decimal("0.50"),
        )
    )
    ask(lambda trilho: trilho.meds.list(status="PENDING", open=True))
    assert [httpx.URL(request.path).params for request in server.received] == [
        httpx.QueryParams(
            status="PAID,EXPIRED", date_from="2026-11-01", date_to="2026-11-30", value_min="0.50"
        ),
        httpx.QueryParams(status="PENDING", open="true"),
    ]


def test_an_iterator_follows_the_cursors(server: ScriptedServer) -> None:
    def page_of(name: str, next_cursor: str | None) -> Answer:
        return Answer(200, {"data": [pix_key(name)], "meta": {"per_page": 1, "next_cursor": next_cursor}})

    pages = [page_of("a", "c/1"), page_of("b", "c2"), page_of("c", None)]
    server.script(*pages, Answer(500))
    with Trilho(TOKEN, base_url=server.url) as client:
        sync_keys = [key.key for key in client.pix_keys.iterate(type="EMAIL", per_page=1)]

    async def collect() -> list[str]:
        async with AsyncTrilho(TOKEN, base_url=server.url) as client:
            return [key.key async for key in client.pix_keys.iterate(type="EMAIL", per_page=1)]

    server.script(*pages, Answer(500))
    assert sync_keys == anyio.run(collect) == ["a", "b", "c"]
    expected = [{"per_page": "1", "type": "EMAIL", "cursor": cursor} for cursor in ("", "c/1", "c2")]
    assert [dict(httpx.URL(request.path).params) for request in server.received] == expected * 2


def test_a_page_by_number_has_a_total(ask: Ask, server: ScriptedServer) -> None:
    meta = {
        "current_page": 1,
        "from": 1,
        "last_page": 9,
        "per_page": 1,
        "to": 1,
        "total": 9,
        "next_cursor": "c2",
    }
    server.script(Answer(200, {"data": [pix_key("a")], "meta": meta}))
    page = ask(lambda trilho: trilho.pix_keys.list(page=1, per_page=1))
    assert (len(page), page.total, page.next_cursor) == (1, 9, "c2")
    assert [key.key for key in page] == ["a"]


def test_a_reply_sends_its_files_as_a_form(ask: Ask, server: ScriptedServer, tmp_path: Path) -> None:
    server.script(Answer(422, error("validation_failed")))
    proof = tmp_path / "proof.pdf"
    proof.write_bytes(b"%PDF-1")
    with pytest.raises(ValidationError):
        ask(
            lambda trilho: trilho.meds.reply(
                UUID, accept=False, analysis="Delivered; não", attachments=[proof, ("b.png", b"PNG")]
            )
        )
    form = server.received[0]
    assert form.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert len(form.headers["idempotency-key"]) == 36
    for part in (
        b'name="accept"\r\n\r\nfalse\r\n',
        'name="analysis"\r\n\r\nDelivered; não\r\n'.encode(),
        b'name="attachments[0][file]"; filename="proof.pdf"\r\nContent-Type: application/pdf\r\n\r\n%PDF-1\r\n',
        b'name="attachments[1][file]"; filename="b.png"\r\nContent-Type: image/png\r\n\r\nPNG\r\n',
    ):
        assert part in form.body


def test_a_time_without_a_zone_is_refused(ask: Ask, server: ScriptedServer) -> None:
    with pytest.raises(ValueError, match="time zone"):
        ask(lambda trilho: trilho.webhooks.recover(UUID, since=datetime(2026, 11, 21)))
    assert server.received == []


@pytest.mark.parametrize("fault", [None, "close"])
def test_the_token_is_in_no_text(
    ask: Ask, server: ScriptedServer, fault: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    server.script(Answer(503, error("unavailable"), fault=fault))
    caplog.set_level(logging.DEBUG)
    with pytest.raises(package.TrilhoError) as caught:
        ask(lambda trilho: trilho.pix_keys.get("a"))
    assert server.received[0].headers["authorization"] == f"Bearer {TOKEN}"
    texts = ["".join(traceback.format_exception(caught.value)), repr(caught.value), caplog.text]
    with Trilho(TOKEN, base_url=server.url) as client:
        texts += [repr(client), str(client), repr(client._transport.settings)]
    assert "pix_keys" not in caplog.text
    assert all(TOKEN not in text for text in texts)


@pytest.mark.parametrize("token", ["", "two words", "line\n", "é"])
def test_a_token_that_is_none_is_refused_without_its_text(token: str) -> None:
    with pytest.raises(ValueError, match="token") as caught:
        Trilho(token, base_url="http://localhost")
    assert not token or token not in str(caught.value)


def test_the_address_is_required_and_may_have_the_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRILHO_BASE_URL", raising=False)
    with pytest.raises(ValueError, match="base_url"):
        Trilho("t")
    with pytest.raises(ValueError, match="base_url"):
        Trilho("t", base_url="pix.example.com")
    monkeypatch.setenv("TRILHO_TOKEN", "t")
    monkeypatch.setenv("TRILHO_BASE_URL", "https://pix.example.com/api/v1/")
    with Trilho() as client:
        assert repr(client) == "Trilho(base_url='https://pix.example.com')"


def test_a_client_of_ones_own_stays_open(server: ScriptedServer) -> None:
    server.script(Answer(200, {"data": pix_key("a")}))
    with httpx.Client() as own:
        for _ in range(2):
            with Trilho(TOKEN, base_url=server.url, http_client=own) as client:
                client.pix_keys.get("a")
        assert not own.is_closed


def test_the_version_is_that_of_the_api() -> None:
    version = json.loads((ROOT / "package.json").read_text())["version"]
    assert package.__version__ == version
    assert f'version = "{version}"' in (ROOT / "sdk/python/pyproject.toml").read_text()


def test_every_event_of_the_document_has_a_type() -> None:
    document = json.loads((ROOT / "openapi.json").read_text())
    mapping = document["components"]["schemas"]["Event"]["discriminator"]["mapping"]
    assert set(package.events.MODELS) == set(mapping)
