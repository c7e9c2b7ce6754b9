"""The names of the client: a resource and a method for each operation of the API."""

from __future__ import annotations

import re

#: Operations whose method is not simply their verb.
METHODS = {
    "approveTransferBatch": "transfer_batches.approve",
    "cancelTransferBatch": "transfer_batches.cancel",
    "checkReceipt": "receipts.check",
    "createAccountTransfer": "transfers.create_to_account",
    "createCodeTransfer": "transfers.pay_code",
    "createPixKeyAuthCode": "pix_keys.request_auth_code",
    "createTransferBatch": "transfer_batches.create",
    "exportLedgerCsv": "ledger.export_csv",
    "exportLedgerOfx": "ledger.export_ofx",
    "getCodeReading": "qr_codes.get_reading",
    "getDefaultProviders": "providers.get_defaults",
    "getLedgerBalances": "ledger.get_balances",
    "getLimitUsage": "limits.get_usage",
    "getLiveness": "health.get_liveness",
    "getMedEvidencePdf": "meds.get_evidence_pdf",
    "getPaymentQrPng": "payments.get_qr_png",
    "getPaymentQrSvg": "payments.get_qr_svg",
    "getPaymentReceipt": "payments.get_receipt",
    "getPaymentReceiptPdf": "payments.get_receipt_pdf",
    "getPaymentRefund": "payments.get_refund",
    "getPaymentRefundReceipt": "payments.get_refund_receipt",
    "getPaymentRefundReceiptPdf": "payments.get_refund_receipt_pdf",
    "getPixKeyLookup": "pix_keys.get_lookup",
    "getQrCodeQrPng": "qr_codes.get_qr_png",
    "getQrCodeQrSvg": "qr_codes.get_qr_svg",
    "getReportSchedules": "reports.get_schedules",
    "getReadiness": "health.get_readiness",
    "getRecurrenceQrPng": "recurrences.get_qr_png",
    "getRecurrenceQrSvg": "recurrences.get_qr_svg",
    "getTransferBatch": "transfer_batches.get",
    "getTransferReceipt": "transfers.get_receipt",
    "getTransferReceiptPdf": "transfers.get_receipt_pdf",
    "listLedgerLines": "ledger.list",
    "listPaymentRefunds": "payments.list_refunds",
    "listQrCodePayments": "qr_codes.list_payments",
    "listReconciliationDifferences": "reconciliations.list_differences",
    "listTransferBatches": "transfer_batches.list",
    "listTransferBatchItems": "transfer_batches.list_items",
    "listWebhookDeliveries": "webhooks.list_deliveries",
    "lookUpPixKey": "pix_keys.look_up",
    "refundPayment": "payments.refund",
    "rejectTransferBatch": "transfer_batches.reject",
    "replaceDefaultProviders": "providers.replace_defaults",
    "replaceReportSchedules": "reports.replace_schedules",
    "replyToMed": "meds.reply",
    "resendWebhookDelivery": "webhooks.resend_delivery",
    "returnDeposit": "deposits.return_to_payer",
    "rotateWebhookToken": "webhooks.rotate_token",
}


def method_of(operation_id: str, tag: str) -> tuple[str, str]:
    """Returns the resource and the method of an operation: `createPayment` is `payments.create`."""
    named = METHODS.get(operation_id)
    if named is not None:
        resource, _, method = named.partition(".")
        return resource, method
    resource, words = tag.replace("-", "_"), snake_case(operation_id)
    verb, _, noun = words.partition("_")
    return resource, verb if noun in (resource, resource.removesuffix("s")) else words


def snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
