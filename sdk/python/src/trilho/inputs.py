"""Types of what calls send. Made from openapi.json by `npm run sdk:python`; do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, Required, TypedDict

from ._amounts import Amount

CreatePaymentType: TypeAlias = Literal["PIX"]


class FinalBeneficiary(TypedDict):
    name: Required[str]
    document: Required[str]


SplitInputType: TypeAlias = Literal["PERCENTAGE", "FIXED"]


class SplitInput(TypedDict):
    type: Required[SplitInputType]
    value: Required[Amount]
    recipient_account_uuid: Required[str]


class DebtorAddress(TypedDict):
    street: Required[str]
    number: NotRequired[str]
    complement: NotRequired[str]
    neighborhood: NotRequired[str]
    city: Required[str]
    state: Required[str]
    zip_code: Required[str]


class Debtor(TypedDict):
    name: Required[str]
    document: Required[str]
    email: NotRequired[str]
    address: NotRequired[DebtorAddress]


CreatePaymentPayerKind: TypeAlias = Literal["PERSON", "COMPANY"]

CreatePaymentMatch: TypeAlias = Literal["FULL", "ROOT"]

DueFineType: TypeAlias = Literal["FIXED", "PERCENTAGE"]


class DueFine(TypedDict):
    type: Required[DueFineType]
    value: Required[Amount]


DueInterestType: TypeAlias = Literal["FIXED", "PERCENTAGE"]

DueInterestPer: TypeAlias = Literal["DAY", "MONTH", "YEAR"]

DueInterestDays: TypeAlias = Literal["CALENDAR", "BUSINESS"]


class DueInterest(TypedDict):
    type: Required[DueInterestType]
    per: Required[DueInterestPer]
    days: Required[DueInterestDays]
    value: Required[Amount]


DueAbatementType: TypeAlias = Literal["FIXED", "PERCENTAGE"]


class DueAbatement(TypedDict):
    type: Required[DueAbatementType]
    value: Required[Amount]


DueDiscountType: TypeAlias = Literal["FIXED", "PERCENTAGE"]


class DueDiscountUntil(TypedDict):
    on: Required[date | str]
    value: Required[Amount]


DueDiscountPerDayDays: TypeAlias = Literal["CALENDAR", "BUSINESS"]


class DueDiscountPerDay(TypedDict):
    days: Required[DueDiscountPerDayDays]
    value: Required[Amount]


class DueDiscount(TypedDict):
    type: Required[DueDiscountType]
    until: NotRequired[Sequence[DueDiscountUntil]]
    per_day: NotRequired[DueDiscountPerDay]


class Due(TypedDict):
    on: Required[date | str]
    payable_days_after: NotRequired[int]
    fine: NotRequired[DueFine]
    interest: NotRequired[DueInterest]
    abatement: NotRequired[DueAbatement]
    discount: NotRequired[DueDiscount]


class AdditionalInfoInput(TypedDict):
    name: Required[str]
    value: Required[str]


ListPaymentsStatus: TypeAlias = Literal[
    "UNDEFINED",
    "PENDING",
    "PAID",
    "FAILED",
    "REFUNDED",
    "PARTIALLY_REFUNDED",
    "CANCELLED",
    "EXPIRED",
    "PROCESSING",
]

ListPaymentsType: TypeAlias = Literal["UNDEFINED", "PIX"]

CreateQrCodeOnPayment: TypeAlias = Literal["KEEP", "RETURN"]

ListQrCodesStatus: TypeAlias = Literal["ACTIVE", "DISABLED"]

ListQrCodePaymentsStatus: TypeAlias = Literal[
    "UNDEFINED",
    "PENDING",
    "PAID",
    "FAILED",
    "REFUNDED",
    "PARTIALLY_REFUNDED",
    "CANCELLED",
    "EXPIRED",
    "PROCESSING",
]

CreateRecurrenceFrequency: TypeAlias = Literal["WEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUAL", "ANNUAL"]


class RecurrenceDebtor(TypedDict):
    name: Required[str]
    document: Required[str]
    address: NotRequired[DebtorAddress]


CreateRecurrenceRetryPolicy: TypeAlias = Literal["NOT_ALLOWED", "THREE_IN_SEVEN_DAYS"]

CreateRecurrenceJourney: TypeAlias = Literal["REQUEST", "QR", "QR_WITH_PAYMENT", "PAYMENT_THEN_OFFER"]

FirstChargeType: TypeAlias = Literal["PIX"]

FirstChargePayerKind: TypeAlias = Literal["PERSON", "COMPANY"]

FirstChargeMatch: TypeAlias = Literal["FULL", "ROOT"]


class FirstCharge(TypedDict):
    value: Required[Amount]
    type: Required[FirstChargeType]
    external_ref: NotRequired[str]
    final_beneficiary: NotRequired[FinalBeneficiary]
    splits: NotRequired[Sequence[SplitInput]]
    debtor: NotRequired[Debtor]
    verify_sender: NotRequired[bool]
    payer_kind: NotRequired[FirstChargePayerKind]
    match: NotRequired[FirstChargeMatch]
    expires_in: NotRequired[int]
    due: NotRequired[Due]
    message: NotRequired[str]
    additional_info: NotRequired[Sequence[AdditionalInfoInput]]
    metadata: NotRequired[Mapping[str, Any]]


class PayerAccount(TypedDict):
    ispb: Required[str]
    agency: NotRequired[str]
    account: Required[str]


CreateRecurrenceGenerate: TypeAlias = Literal["AUTOMATIC", "MANUAL"]

ListRecurrencesStatus: TypeAlias = Literal[
    "PENDING", "PROCESSING", "ACTIVE", "REJECTED", "EXPIRED", "CANCELLED", "ENDED", "FAILED"
]

ListRefundsStatus: TypeAlias = Literal["PROCESSING", "COMPLETED", "FAILED"]

ListMedsStatus: TypeAlias = Literal["PENDING", "PROCESSING", "ACCEPTED", "REJECTED", "CANCELLED", "UNDEFINED"]

ListMedsMedType: TypeAlias = Literal["RECEIVED_MED", "REQUESTED_MED"]

ListMedsDisputeType: TypeAlias = Literal[
    "UNDEFINED", "SCAM", "WRONG_TRANSACTION", "COERCION_CRIME", "UNAUTHORIZED_ACCESS"
]

RequestMedDisputeType: TypeAlias = Literal[
    "UNDEFINED", "SCAM", "WRONG_TRANSACTION", "COERCION_CRIME", "UNAUTHORIZED_ACCESS"
]

GetMedEvidencePdfLanguage: TypeAlias = Literal["pt-BR", "en"]

CreateTransferBatchMode: TypeAlias = Literal["ALL_VALID", "EACH"]

CreateTransferBatchOnShortBalance: TypeAlias = Literal["WAIT", "FAIL"]

AccountReceiverAccountType: TypeAlias = Literal["CHECKING", "PAYMENT", "SAVINGS", "SALARY"]


class AccountReceiver(TypedDict):
    name: Required[str]
    document: Required[str]
    ispb: NotRequired[str]
    bank_code: NotRequired[str]
    agency: Required[str]
    account: Required[str]
    account_type: Required[AccountReceiverAccountType]


class TransferBatchItemOrder(TypedDict):
    value: Required[Amount]
    pix_key: NotRequired[str]
    receiver: NotRequired[AccountReceiver]
    payload: NotRequired[str]
    document: NotRequired[str]
    external_ref: Required[str]
    final_beneficiary: NotRequired[FinalBeneficiary]
    allow_duplicate: NotRequired[bool]
    description: NotRequired[str]


ListTransferBatchesStatus: TypeAlias = Literal["DRAFT", "PROCESSING", "COMPLETED", "CANCELLED"]

ListTransferBatchItemsStatus: TypeAlias = Literal[
    "PENDING", "PAID", "FAILED", "REFUNDED", "PARTIALLY_REFUNDED", "CANCELLED", "EXPIRED", "PROCESSING"
]

CreateTransferType: TypeAlias = Literal["PIX"]

CreateTransferOnMismatch: TypeAlias = Literal["REFUSE", "WARN"]

ListTransfersStatus: TypeAlias = Literal[
    "UNDEFINED",
    "PENDING",
    "PAID",
    "FAILED",
    "REFUNDED",
    "PARTIALLY_REFUNDED",
    "CANCELLED",
    "EXPIRED",
    "PROCESSING",
]

ListTransfersType: TypeAlias = Literal["UNDEFINED", "PIX"]

CreateAccountTransferType: TypeAlias = Literal["PIX"]

CreateCodeTransferType: TypeAlias = Literal["PIX"]

CreateCodeTransferOnMismatch: TypeAlias = Literal["REFUSE", "WARN"]

GetPaymentReceiptPdfLanguage: TypeAlias = Literal["pt-BR", "en"]

GetTransferReceiptPdfLanguage: TypeAlias = Literal["pt-BR", "en"]

GetPaymentRefundReceiptPdfLanguage: TypeAlias = Literal["pt-BR", "en"]

NightHours = TypedDict("NightHours", {"from": Required[str], "to": Required[str]})


class ReplaceLimitsNewReceiver(TypedDict):
    value: Required[Amount]
    hours: Required[int]


class TrustedHolder(TypedDict):
    document: Required[str]


class TrustedKey(TypedDict):
    pix_key: Required[str]


class ReplaceLimitsDuplicateGuard(TypedDict):
    seconds: Required[int]


class ApprovalRule(TypedDict):
    above: Required[Amount]
    count: NotRequired[Amount]
    expires_hours: NotRequired[int]
    callout_url: NotRequired[str | None]


CreatePixKeyAuthCodeType: TypeAlias = Literal["EMAIL", "PHONE"]

CreatePixKeyType: TypeAlias = Literal["DOCUMENT", "EMAIL", "PHONE", "RANDOM"]

ListPixKeysType: TypeAlias = Literal["DOCUMENT", "EMAIL", "PHONE", "RANDOM"]

ListProvidersStatus: TypeAlias = Literal[
    "UNDEFINED",
    "ACTIVE",
    "INFORMATION_PENDING",
    "KYC_PENDING",
    "KYC_ANALYSIS",
    "KYC_REJECTED",
    "LIVENESS_PENDING",
    "LIVENESS_APPROVED",
    "LIVENESS_REJECTED",
    "CONFIGURATION_PENDING",
    "BLOCKED",
    "INACTIVE",
]

ReplaceDefaultProvidersPaymentType: TypeAlias = Literal["PIX"]

CreateWebhookEvent: TypeAlias = Literal[
    "PAYMENT", "TRANSFER", "REFUND", "MED", "PIX_TRANSACTION", "BATCH", "RECURRENCE", "REPORT"
]

UpdateWebhookEvent: TypeAlias = Literal[
    "PAYMENT", "TRANSFER", "REFUND", "MED", "PIX_TRANSACTION", "BATCH", "RECURRENCE", "REPORT"
]

UpdateWebhookStatus: TypeAlias = Literal["ACTIVE", "DISABLED"]

ListWebhookDeliveriesStatus: TypeAlias = Literal["PENDING", "DELIVERED", "FAILED", "CANCELLED"]

ListWebhookDeliveriesType: TypeAlias = Literal[
    "PAYMENT", "TRANSFER", "REFUND", "MED", "PIX_TRANSACTION", "BATCH", "RECURRENCE", "REPORT", "TEST"
]

ListEventsType: TypeAlias = Literal[
    "PAYMENT", "TRANSFER", "REFUND", "MED", "PIX_TRANSACTION", "BATCH", "RECURRENCE", "REPORT", "TEST"
]

ListLedgerLinesType: TypeAlias = Literal[
    "EXTERNAL_TRANSFER", "EXTERNAL_REFUND", "SPLIT", "FEE", "HOLD", "ADJUSTMENT", "REVERSAL", "SHORTFALL"
]

ListLedgerLinesOperationType: TypeAlias = Literal[
    "CHARGE", "SPLIT", "TRANSFER", "REFUND", "DISPUTE", "DEPOSIT", "RETURN", "PROVIDER_ENTRY", "ADJUSTMENT"
]

ExportLedgerCsvType: TypeAlias = Literal[
    "EXTERNAL_TRANSFER", "EXTERNAL_REFUND", "SPLIT", "FEE", "HOLD", "ADJUSTMENT", "REVERSAL", "SHORTFALL"
]

ExportLedgerCsvOperationType: TypeAlias = Literal[
    "CHARGE", "SPLIT", "TRANSFER", "REFUND", "DISPUTE", "DEPOSIT", "RETURN", "PROVIDER_ENTRY", "ADJUSTMENT"
]

ExportLedgerCsvDecimal: TypeAlias = Literal["POINT", "COMMA"]

CreateReportKind: TypeAlias = Literal[
    "LEDGER", "PAYMENTS", "TRANSFERS", "REFUNDS", "MEDS", "FEES", "RECURRENCES", "RECONCILIATION"
]

CreateReportFormat: TypeAlias = Literal["CSV", "JSONL", "OFX"]

CreateReportDecimal: TypeAlias = Literal["POINT", "COMMA"]

ListReportsKind: TypeAlias = Literal[
    "LEDGER", "PAYMENTS", "TRANSFERS", "REFUNDS", "MEDS", "FEES", "RECURRENCES", "RECONCILIATION"
]

ListReportsStatus: TypeAlias = Literal["PENDING", "READY", "FAILED", "EXPIRED"]

ReportScheduleOrderKind: TypeAlias = Literal[
    "LEDGER", "PAYMENTS", "TRANSFERS", "REFUNDS", "MEDS", "FEES", "RECURRENCES", "RECONCILIATION"
]

ReportScheduleOrderFormat: TypeAlias = Literal["CSV", "JSONL", "OFX"]

ReportScheduleOrderDecimal: TypeAlias = Literal["POINT", "COMMA"]

ReportScheduleOrderFrequency: TypeAlias = Literal["DAILY", "WEEKLY", "MONTHLY"]


class ReportScheduleOrder(TypedDict):
    kind: Required[ReportScheduleOrderKind]
    format: Required[ReportScheduleOrderFormat]
    provider_uuid: NotRequired[str]
    decimal: NotRequired[ReportScheduleOrderDecimal]
    frequency: Required[ReportScheduleOrderFrequency]
    weekday: NotRequired[int | None]
    hour: Required[int]


ListReconciliationDifferencesKind: TypeAlias = Literal[
    "MISSING_HERE", "MISSING_THERE", "VALUE_DIFFERS", "STATUS_DIFFERS"
]

ListReconciliationDifferencesStatus: TypeAlias = Literal["OPEN", "SETTLED", "CLOSED"]
