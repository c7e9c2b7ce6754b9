"""Resources as the API shows them."""

from __future__ import annotations

from typing import Any

AT = "2026-11-21T12:00:00.000000Z"
PROVIDER = {"uuid": "0d7d0c5e-6a5d-4d5e-9b53-0c1f4f7a9d21", "provider": "PROVIDER_A"}
PARTY = {
    "name": "Loja",
    "document": "",
    "account_number": "",
    "account_agency": "",
    "account_type": "PAYMENT",
    "bank": {"code": "", "name": "", "ispb": ""},
}


def pix_key(key: str) -> dict[str, Any]:
    return {"key": key, "type": "EMAIL", "is_active": True, "created_at": AT, "provider": PROVIDER}


def movement(**more: object) -> dict[str, Any]:
    initiation = {
        "sender": None,
        "receiver": PARTY,
        "txid": None,
        "value": 150.75,
        "type": "KEY",
        "status": "COMPLETED",
        "expires_at": None,
        "created_at": AT,
        "updated_at": AT,
    }
    return {
        "uuid": "6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21",
        "initiation": initiation,
        "value": 150.75,
        "movement_type": "IN",
        "type": "EXTERNAL_TRANSFER",
        "status": "SETTLED",
        "end_to_end": "E1",
        "settled_at": AT,
        "created_at": AT,
        "updated_at": AT,
        **more,
    }


def refund_result(value: object) -> dict[str, Any]:
    times = {"created_at": AT, "updated_at": AT}
    refund = {
        "uuid": "1f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21",
        "status": "PROCESSING",
        "value": value,
        "fees": 0,
        "pix_original": movement(),
        "pix_refund": movement(movement_type="OUT"),
        **times,
    }
    return {
        "uuid": "2f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21",
        "status": "PROCESSING",
        "value": value,
        "fees": 0,
        "refund": refund,
        "history": [],
        "provider": PROVIDER,
        **times,
    }


def balances(available: object) -> dict[str, Any]:
    """A provider with one balance."""
    balance = {
        f"{name}_balance": 0
        for name in ("available", "pending", "blocked", "retained", "provisioned", "shortfall")
    }
    return {
        "uuid": PROVIDER["uuid"],
        "status": "ACTIVE",
        "provider": "PROVIDER_A",
        "type": "POOL",
        "is_operational": True,
        "is_public": True,
        "max_per_transfer": None,
        "virtual_account": None,
        "lookup_budget": None,
        "balances": [{**balance, "available_balance": available, "currency": "BRL"}],
    }


def error(code: str, **more: object) -> dict[str, Any]:
    return {"message": "For people.", "code": code, "request_id": "request-1", **more}
