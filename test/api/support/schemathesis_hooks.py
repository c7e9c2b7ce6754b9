"""Hooks of the runs that create: they make a valid request of a generated one, and leave what the schema can express."""

import os
import uuid

import schemathesis
import schemathesis_checks  # noqa: F401, registers the check

DOCUMENTS = ("11222333000181", "52998224725")
LARGEST_VALUE = 10


@schemathesis.hook
def map_case(_context, case):
    """Repairs what depends on other fields, on check digits or on what the account has."""
    body = {**case.body, "value": round(case.body["value"] % LARGEST_VALUE + 1, 2)}
    body.pop("scheduled_for", None)
    if "provider_uuid" in body:
        body["provider_uuid"] = os.environ["PROVIDER_UUID"]
    if "splits" in body:
        body["splits"] = repair_splits(body["splits"])
    if "document" in body:
        body["document"] = repair_document(body["document"])
    if "pix_key" in body and body["pix_key"].isalnum():
        body["pix_key"] = repair_document(body["pix_key"])
    if "final_beneficiary" in body:
        name, document = body["final_beneficiary"]["name"], body["final_beneficiary"]["document"]
        body["final_beneficiary"] = {"name": f"Loja {name}"[:140], "document": repair_document(document)}
    case.body = body
    return case


@schemathesis.hook
def before_call(_context, case, _kwargs):
    """Gives every request a key of its own: a generated one repeats, and a repeat creates nothing."""
    case.headers["Idempotency-Key"] = str(uuid.uuid4())


def repair_splits(splits):
    """One split of each type, all to an account that exists, of less than the smallest charge together."""
    by_type = {split["type"].upper(): split for split in splits}
    values = {"PERCENTAGE": 12.5, "FIXED": 0.01}
    return [
        {**split, "value": values[kind], "recipient_account_uuid": os.environ["RECIPIENT_UUID"]}
        for kind, split in by_type.items()
    ]


def repair_document(text):
    """A document whose check digits are right, in the place of one of random digits."""
    return DOCUMENTS[len(text) % len(DOCUMENTS)]
