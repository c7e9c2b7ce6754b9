"""Resources of the API. Made from openapi.json by `npm run sdk:python`; do not edit."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AnyUrl, AwareDatetime, Field

from trilho._model import Model


class FinalBeneficiaryShown(Model):
    name: str
    document: str


class DebtorAddress(Model):
    """
    Needed by some providers for a charge with a due date
    """

    street: str
    number: str | None = None
    complement: str | None = None
    neighborhood: str | None = None
    city: str
    state: str
    zip_code: str
    """
    CEP, without formatting
    """


class SplitRecipient(Model):
    uuid: str
    name: str


class StatusChange(Model):
    status: (
        Literal[
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
        | str
    )
    created_at: AwareDatetime


class ProviderShown(Model):
    """
    The connection that carries this resource
    """

    uuid: str
    provider: Literal["PROVIDER_A", "PROVIDER_B", "PROVIDER_C", "PROVIDER_D"] | str


class ChargeCycle(Model):
    uuid: str
    cycle: int


class ChargeErrorAttempt(Model):
    provider: str
    outcome: str
    code: str


class Bank(Model):
    code: str
    """
    COMPE code; empty where the bank has none
    """
    name: str
    ispb: str


class AdditionalInfo(Model):
    name: str
    value: str


class ChargeTransaction(Model):
    uuid: str
    value: Decimal
    """
    Reais as a decimal string with two decimals
    """
    movement_type: Literal["IN", "OUT"] | str
    type: Literal["EXTERNAL_TRANSFER", "EXTERNAL_REFUND"] | str
    status: Literal["PENDING", "SETTLED", "FAILED"] | str
    end_to_end: str
    """
    End-to-end id of the PIX, 32 characters; empty until its provider reports it
    """
    settled_at: AwareDatetime | None
    """
    UTC, six fractional digits
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class DueAmount(Model):
    type: Literal["FIXED", "PERCENTAGE"] | str
    value: Decimal
    """
    Reais, at most two decimals
    """


class DueInterest(Model):
    type: Literal["FIXED", "PERCENTAGE"] | str
    per: Literal["DAY", "MONTH", "YEAR"] | str
    days: Literal["CALENDAR", "BUSINESS"] | str
    value: Decimal
    """
    Reais, at most two decimals
    """


class AmountDue(Model):
    value: Decimal
    """
    Reais, at most two decimals
    """
    on: date
    is_forecast: Literal[True]


class PaidParts(Model):
    value: Decimal
    """
    Reais, at most two decimals
    """
    fine: Decimal | None = None
    """
    Reais, at most two decimals
    """
    interest: Decimal | None = None
    """
    Reais, at most two decimals
    """
    discount: Decimal | None = None
    """
    Reais, at most two decimals
    """
    abatement: Decimal | None = None
    """
    Reais, at most two decimals
    """


class DebitTry(Model):
    on: date
    kind: Literal["FIRST", "RETRY", "SAME_DAY"] | str
    """
    FIRST on the due day, RETRY on a later one, SAME_DAY where the bank is asked again on the day of one that failed
    """
    status: Literal["REQUESTED", "SCHEDULED", "PAID", "CANCELLED", "REJECTED", "EXPIRED"] | str
    code: str | None
    """
    Why it was rejected, a code of the rail
    """
    end_to_end: str | None


class Attempt(Model):
    provider: str
    outcome: (
        Literal[
            "preparing", "calling", "accepted", "settled", "rejected", "unreachable", "unknown", "duplicate"
        ]
        | str
    )
    code: str
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class GivenApproval(Model):
    by: str
    at: AwareDatetime
    """
    UTC, six fractional digits
    """


class GivenRejection(Model):
    by: str
    at: AwareDatetime
    """
    UTC, six fractional digits
    """
    reason: str | None


class ApprovalCallout(Model):
    """
    What your server has answered, which must approve it too
    """

    approved: bool | None
    """
    null until the call-out has ended
    """
    at: AwareDatetime | None
    """
    When it ended
    """
    requests: int
    """
    Requests made, at most three
    """
    code: (
        Literal[
            "callout_refused",
            "callout_timeout",
            "callout_unreachable",
            "callout_bad_status",
            "callout_bad_answer",
            "callout_interrupted",
        ]
        | str
        | None
    )
    """
    Why it does not approve; before it ends, why the last request has no answer
    """


class TransferErrorAttempt(Model):
    provider: str
    outcome: (
        Literal[
            "preparing", "calling", "accepted", "settled", "rejected", "unreachable", "unknown", "duplicate"
        ]
        | str
    )
    code: str


class RefundError(Model):
    code: str
    message: str
    provider_code: str | None = None
    limit: (
        Literal[
            "allowed_receivers_only",
            "per_transfer",
            "new_receiver",
            "per_receiver_per_day",
            "per_night",
            "per_day",
        ]
        | str
        | None
    ) = None
    """
    Of `over_limit`: which limit
    """
    left: Decimal | None = None
    """
    Of `over_limit`: reais that the limit still allowed
    """
    resets_at: AwareDatetime | None = None
    """
    Of `over_limit`: when the limit allows more; null where time alone changes nothing
    """


class Attachment(Model):
    uuid: str
    url: AnyUrl
    """
    Signed; it expires
    """


class DisputeFailure(Model):
    code: str
    message: str


class RecoveryEvent(Model):
    stage: (
        Literal["CREATED", "TRACKED", "AWAITING_ANALYSIS", "ANALYSED", "REFUNDING", "COMPLETED", "CANCELLED"]
        | str
    )
    at: AwareDatetime


class Contest(Model):
    status: Literal["PENDING", "PROCESSING", "ACCEPTED", "REJECTED"] | str
    """
    PENDING until it was handed to the provider, PROCESSING until its decision
    """
    analysis: str
    protocol: str | None = None
    """
    Reference of the provider
    """
    value: Decimal | None = None
    """
    What came back by it
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class TransferBatchCounts(Model):
    """
    Items by their status; together they are `total`
    """

    pending: int
    """
    Not started, or scheduled
    """
    processing: int
    paid: int
    partially_refunded: int
    refunded: int
    failed: int
    cancelled: int
    expired: int


class RecurrenceDebtorShown(Model):
    name: str
    document: str
    address: DebtorAddress | None = None


class RecurrenceSplit(Model):
    type: Literal["PERCENTAGE", "FIXED"] | str
    value: Decimal
    """
    Percent where PERCENTAGE, reais where FIXED
    """
    recipient_account_uuid: str


class FirstChargeReference(Model):
    uuid: str


class RecurrenceReason(Model):
    """
    Why it was rejected or cancelled: a code of the rail, or `first_charge_not_paid` or `request_expired`, for which it was cancelled by itself
    """

    code: str
    by: Literal["payer", "receiver"] | str | None


class SkippedCycle(Model):
    """
    A cycle whose charge could not be created in time
    """

    cycle: int
    due_on: date
    created_at: AwareDatetime


class RecurrenceStatusChange(Model):
    status: (
        Literal["PENDING", "PROCESSING", "ACTIVE", "REJECTED", "EXPIRED", "CANCELLED", "ENDED", "FAILED"]
        | str
    )
    created_at: AwareDatetime


class RecurrenceError(Model):
    code: str
    message: str
    provider_code: str | None = None
    provider: str | None = None


class Report(Model):
    uuid: str
    kind: (
        Literal["LEDGER", "PAYMENTS", "TRANSFERS", "REFUNDS", "MEDS", "FEES", "RECURRENCES", "RECONCILIATION"]
        | str
    )
    format: Literal["CSV", "JSONL", "OFX"] | str
    date_from: date
    """
    The first day, by the clocks of Brasília
    """
    date_to: date
    """
    The last day, by the clocks of Brasília
    """
    provider_uuid: str | None
    """
    Null: all providers
    """
    decimal: Literal["POINT", "COMMA"] | str
    status: Literal["PENDING", "READY", "FAILED", "EXPIRED"] | str
    """
    READY: its file can be downloaded
    """
    failure: Literal["cancelled", "too_many_lines", "not_built"] | str | None
    """
    Why it FAILED; `not_built`: order it again
    """
    is_partial: bool | None
    """
    Whether its last day was not over when it was built; null before
    """
    lines: int | None
    size_bytes: int | None
    sha256: str | None
    """
    Of the file, in hexadecimal; kept when the file is gone
    """
    built_at: AwareDatetime | None
    """
    UTC, six fractional digits
    """
    expires_at: AwareDatetime | None
    """
    Until when the file is kept
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class Webhook(Model):
    uuid: str
    url: AnyUrl
    token: str
    """
    Whole where it is created or replaced, masked where it is read
    """
    previous_token_expires_at: AwareDatetime | None = None
    """
    Until then the token before this one signs as well
    """
    status: Literal["ACTIVE", "DISABLED"] | str
    disabled_reason: str | None = None
    events: list[
        Literal["PAYMENT", "TRANSFER", "REFUND", "MED", "PIX_TRANSACTION", "BATCH", "RECURRENCE", "REPORT"]
        | str
    ]
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class PageMeta(Model):
    """
    Of a numbered page
    """

    current_page: int
    from_: Annotated[int, Field(alias="from")]
    """
    Number of the first row of the page, from 1; 0 without rows
    """
    last_page: int
    per_page: int
    to: int
    """
    Number of the last row of the page; 0 without rows
    """
    total: int
    next_cursor: str | None
    """
    The `cursor` of the next page, for 24 hours; null on the last one
    """


class CursorPageMeta(Model):
    """
    Of a page by `cursor`
    """

    per_page: int
    next_cursor: str | None
    """
    The `cursor` of the next page, for 24 hours; null on the last one
    """


class QrCodeSplit(Model):
    type: Literal["PERCENTAGE", "FIXED"] | str
    value: Decimal
    """
    Percent where PERCENTAGE, reais where FIXED
    """
    recipient_account_uuid: str


class QrCodeReceived(Model):
    """
    The charges that were paid to the code, refunded ones too
    """

    count: int
    value: Decimal
    """
    Reais, at most two decimals
    """


class CodeValue(Model):
    original: Decimal
    """
    Reais, at most two decimals
    """
    due_now: Decimal
    """
    Reais to be paid on `pay_on`, or today
    """
    fine: Decimal
    """
    Reais, at most two decimals
    """
    interest: Decimal
    """
    Reais, at most two decimals
    """
    discount: Decimal
    """
    Reais, at most two decimals
    """
    abatement: Decimal
    """
    Reais, at most two decimals
    """
    open: bool
    """
    The payer chooses the value; `due_now` may propose one
    """


class PaymentLinkPlaces(Model):
    paid: int
    """
    Charges that were paid, refunded ones too
    """
    open: int
    """
    Charges that can be paid, or are being created
    """


class DepositReturnError(Model):
    code: str
    message: str
    provider_code: str | None = None


class OrderedReceiver(Model):
    """
    Who is paid, and the account
    """

    name: str
    document: str
    ispb: str
    bank_code: str | None = None
    agency: str
    account: str
    account_type: Literal["CHECKING", "PAYMENT", "SAVINGS", "SALARY"] | str


class TransferBatchItemError(Model):
    code: str
    message: str
    provider_code: str | None = None
    limit: (
        Literal[
            "allowed_receivers_only",
            "per_transfer",
            "new_receiver",
            "per_receiver_per_day",
            "per_night",
            "per_day",
        ]
        | str
        | None
    ) = None
    """
    Of `over_limit`: which limit
    """
    left: Decimal | None = None
    """
    Of `over_limit`: reais that the limit still allowed
    """
    resets_at: AwareDatetime | None = None
    """
    Of `over_limit`: when the limit allows more; null where time alone changes nothing
    """
    transfer_uuid: str | None = None
    """
    Of `possible_duplicate`: the earlier transfer
    """


class ReceiptReturn(Model):
    uuid: str
    """
    The movement
    """
    value: Decimal
    """
    Reais, at most two decimals
    """
    end_to_end: str
    settled_at: AwareDatetime | None
    """
    UTC, six fractional digits
    """


class ReceiptCheck(Model):
    mode: Literal["live", "test"] | str
    """
    `test`: simulated, no money has moved
    """
    value: Decimal
    """
    Reais, at most two decimals
    """
    day: date
    """
    Day of the settlement in Brasília, `YYYY-MM-DD`
    """
    sender: str
    """
    Initials; empty where the name is unknown
    """
    receiver: str
    """
    Initials; empty where the name is unknown
    """
    returned_value: Decimal
    """
    Sum of all that went back since
    """


class ShownTrustedHolder(Model):
    document: str


class ShownTrustedKey(Model):
    pix_key: str


class ShownApprovalRule(Model):
    above: Decimal
    """
    Reais, at most two decimals
    """
    count: Literal[1, 2]
    expires_hours: int
    callout_url: AnyUrl | None


class ListedBank(Model):
    ispb: str
    code: str
    """
    COMPE code
    """
    name: str


class AuthCode(Model):
    auth_code_id: str
    expires_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class PixKey(Model):
    key: str
    type: Literal["DOCUMENT", "EMAIL", "PHONE", "RANDOM"] | str
    is_active: bool
    """
    false while its provider has not confirmed a removal
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    provider: ProviderShown


class LookupBudget(Model):
    capacity: Decimal
    """
    Tokens of a full budget
    """
    left: int
    """
    Tokens that are left, as the provider reported them last, and computed since
    """
    refill_per_minute: Decimal
    cost: int
    """
    Tokens that this look-up took: 0 where the answer was known. Of a provider: what a look-up takes that finds its key; one of a key that does not exist takes 20
    """
    resets_at: AwareDatetime
    """
    When the budget is full again, if nothing is looked up
    """


class VirtualAccount(Model):
    """
    The account that the provider holds for the account holder
    """

    type: Literal["NOMINAL", "POOL"] | str
    name: str
    document: str
    """
    CPF or CNPJ; masked (`***982247**`) where it is another’s
    """
    account_number: str
    account_agency: str
    bank: Bank
    account_type: Literal["CHECKING", "PAYMENT", "SAVINGS", "SALARY"] | str


class Balance(Model):
    available_balance: Decimal
    """
    Reais, at most two decimals
    """
    pending_balance: Decimal
    """
    Reais, at most two decimals
    """
    blocked_balance: Decimal
    """
    Reais, at most two decimals
    """
    retained_balance: Decimal
    """
    Reais, at most two decimals
    """
    provisioned_balance: Decimal
    """
    Reais, at most two decimals
    """
    shortfall_balance: Decimal
    """
    What the service has advanced and the next inflows repay: a debt, in none of the others
    """
    currency: Literal["BRL"] | str


class DefaultProvider(Model):
    uuid: str
    """
    The value of a `provider_uuid`
    """
    status: (
        Literal[
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
        | str
    )
    provider: Literal["PROVIDER_A", "PROVIDER_B", "PROVIDER_C", "PROVIDER_D"] | str
    type: Literal["NOMINAL", "POOL"] | str
    is_operational: bool
    """
    ACTIVE and the integration is healthy
    """
    is_public: bool
    """
    Whether calls may name it
    """
    max_per_transfer: Decimal | None
    """
    Reais that one transfer through it may send at most; null where no limit is set
    """
    virtual_account: VirtualAccount | None
    """
    null for POOL
    """


class ProviderDetails(Model):
    uuid: str
    """
    The value of a `provider_uuid`
    """
    status: (
        Literal[
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
        | str
    )
    provider: Literal["PROVIDER_A", "PROVIDER_B", "PROVIDER_C", "PROVIDER_D"] | str
    type: Literal["NOMINAL", "POOL"] | str
    is_operational: bool
    """
    ACTIVE and the integration is healthy
    """
    is_public: bool
    """
    Whether calls may name it
    """
    max_per_transfer: Decimal | None
    """
    Reais that one transfer through it may send at most; null where no limit is set
    """
    virtual_account: VirtualAccount | None
    """
    null for POOL
    """
    balances: list[Balance]
    lookup_budget: LookupBudget | None
    """
    Look-ups of PIX keys that the account has left there; null where the provider does not tell
    """


class EventReference(Model):
    id: str
    type: (
        Literal[
            "PAYMENT", "TRANSFER", "REFUND", "MED", "PIX_TRANSACTION", "BATCH", "RECURRENCE", "REPORT", "TEST"
        ]
        | str
    )


class DeliveryAttempt(Model):
    number: int
    at: AwareDatetime
    """
    UTC, six fractional digits
    """
    status: int | None
    """
    The HTTP status; null where there was no answer
    """
    failure: str | None = None
    """
    Why there was none: refused_address, no_connection, timeout, broken
    """
    duration_ms: int
    answer: str
    """
    The beginning of the answer, at most 1 kB
    """


class LedgerCounterparty(Model):
    """
    Who paid or was paid; unknown texts are empty
    """

    name: str
    document: str
    """
    Masked
    """


class ReportSchedule(Model):
    kind: (
        Literal["LEDGER", "PAYMENTS", "TRANSFERS", "REFUNDS", "MEDS", "FEES", "RECURRENCES", "RECONCILIATION"]
        | str
    )
    format: Literal["CSV", "JSONL", "OFX"] | str
    provider_uuid: str | None
    """
    Null: all providers
    """
    decimal: Literal["POINT", "COMMA"] | str
    frequency: Literal["DAILY", "WEEKLY", "MONTHLY"] | str
    weekday: int | None
    hour: int
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class Reconciliation(Model):
    uuid: str
    """
    That of the provider
    """
    provider: ProviderShown
    checked_at: AwareDatetime | None
    """
    When its balance was last read; null: never
    """
    provider_balance: Decimal | None
    """
    What the provider reported then
    """
    ledger_balance: Decimal | None
    """
    What the ledger had then, in all buckets
    """
    in_transit: Decimal | None
    """
    What of it may not have left, or not have arrived, at the provider: it explains as much
    """
    differs_since: AwareDatetime | None
    """
    Since when nothing in transit explains the difference; null: it is explained
    """
    open_differences: int
    """
    Differences about single PIX that are OPEN
    """


class ReconciliationDifference(Model):
    uuid: str
    kind: Literal["MISSING_HERE", "MISSING_THERE", "VALUE_DIFFERS", "STATUS_DIFFERS"] | str
    """
    MISSING_HERE: only the statement of the provider has the PIX. MISSING_THERE: only the ledger has it. The others: both have it, with another value or status
    """
    movement_type: Literal["IN", "OUT"] | str
    end_to_end: str
    """
    Empty where the provider names none
    """
    provider_value: Decimal | None
    """
    As the statement has it
    """
    value: Decimal | None
    """
    As the ledger has it
    """
    movement_status: Literal["PENDING", "SETTLED", "FAILED"] | str | None
    """
    As the ledger has it
    """
    status: Literal["OPEN", "SETTLED", "CLOSED"] | str
    """
    SETTLED: a later comparison has not found it any more. CLOSED: by the operator
    """
    waits_for: Literal["SERVICE", "OPERATOR"] | str | None
    """
    Who ends it while it is OPEN: SERVICE by itself, in time
    """
    found_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    ended_at: AwareDatetime | None
    """
    UTC, six fractional digits
    """
    provider: ProviderShown


class Health(Model):
    status: Literal["ok"] | str


class GetDefaultProvidersResult(Model):
    PIX: list[DefaultProvider]


class Until(Model):
    on: date
    value: Decimal
    """
    Reais, at most two decimals
    """


class DueDiscountPerDay(Model):
    days: Literal["CALENDAR", "BUSINESS"] | str
    value: Decimal
    """
    Reais, at most two decimals
    """


class HistoryEntry(Model):
    status: Literal["DRAFT", "PROCESSING", "COMPLETED", "CANCELLED"] | str
    created_at: AwareDatetime


class Night(Model):
    from_: Annotated[str, Field(alias="from")]
    to: str


class NewReceiver(Model):
    value: Decimal
    """
    Reais, at most two decimals
    """
    hours: int


class DuplicateGuard(Model):
    seconds: int


class LimitUsagePerDay(Model):
    limit: Decimal | None
    """
    Reais, at most two decimals
    """
    used: Decimal
    """
    Reais that were let through, and have not come back as failed
    """
    left: Decimal | None
    """
    null where there is no limit
    """
    resets_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class PerNight(Model):
    limit: Decimal | None
    """
    Reais, at most two decimals
    """
    used: Decimal
    """
    Reais that were let through, and have not come back as failed
    """
    left: Decimal | None
    """
    null where there is no limit
    """
    resets_at: AwareDatetime | None
    """
    End of the night; null in daytime
    """


class Total(Model):
    type: (
        Literal[
            "EXTERNAL_TRANSFER",
            "EXTERNAL_REFUND",
            "SPLIT",
            "FEE",
            "HOLD",
            "ADJUSTMENT",
            "REVERSAL",
            "SHORTFALL",
        ]
        | str
    )
    in_: Annotated[Decimal, Field(alias="in")]
    """
    What the lines IN add
    """
    out: Decimal
    """
    What the lines OUT take, never negative
    """
    lines: int


class DebtorShown(Model):
    name: str
    document: str
    email: str | None = None
    address: DebtorAddress | None = None


class Split(Model):
    uuid: str
    type: Literal["PERCENTAGE", "FIXED"] | str
    value: Decimal
    """
    Percent where PERCENTAGE, reais where FIXED
    """
    status: Literal["PENDING", "CREDITED", "FAILED"] | str
    recipient_account: SplitRecipient


class ChargeError(Model):
    code: str
    message: str
    provider_code: str | None = None
    provider: str | None = None
    attempts: list[ChargeErrorAttempt]


class Party(Model):
    """
    Sender or receiver of a PIX; unknown texts are empty
    """

    name: str
    document: str
    """
    CPF or CNPJ; masked (`***982247**`) where it is another’s
    """
    account_number: str
    account_agency: str
    bank: Bank
    account_type: Literal["CHECKING", "PAYMENT", "SAVINGS", "SALARY"] | str


class DueDiscount(Model):
    type: Literal["FIXED", "PERCENTAGE"] | str
    until: list[Until] | None = None
    per_day: DueDiscountPerDay | None = None


class KeyInitiation(Model):
    sender: Party | None
    receiver: Party
    txid: str | None
    """
    Of a PIX code that names one
    """
    value: Decimal
    """
    Reais, at most two decimals
    """
    type: Literal["KEY", "MANUAL", "QR_DYNAMIC", "QR_STATIC"] | str
    """
    MANUAL: to a bank account, without a key. QR_DYNAMIC, QR_STATIC: by a PIX code, whose key is `pix_key`
    """
    pix_key: str
    """
    Key of the recipient; empty for a bank account
    """
    status: Literal["PENDING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"] | str
    expires_at: AwareDatetime | None
    """
    UTC, six fractional digits
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class TransferApproval(Model):
    """
    Approvals of persons who have not ordered it; `by` is the e-mail of a user, also of who made a token, or the name of an operator; `callout` of a call-out that rejects
    """

    needed: int
    """
    Persons who must approve it
    """
    given: list[GivenApproval]
    rejected: GivenRejection | None = None
    callout: ApprovalCallout | None = None
    expires_at: AwareDatetime
    """
    Until then it waits; afterwards it is EXPIRED
    """


class TransferError(Model):
    code: str
    message: str
    provider_code: str | None = None
    limit: (
        Literal[
            "allowed_receivers_only",
            "per_transfer",
            "new_receiver",
            "per_receiver_per_day",
            "per_night",
            "per_day",
        ]
        | str
        | None
    ) = None
    """
    Of `over_limit`: which limit
    """
    left: Decimal | None = None
    """
    Of `over_limit`: reais that the limit still allowed
    """
    resets_at: AwareDatetime | None = None
    """
    Of `over_limit`: when the limit allows more; null where time alone changes nothing
    """
    transfer_uuid: str | None = None
    """
    Of `possible_duplicate`: the earlier transfer
    """
    provider: str | None = None
    attempts: list[TransferErrorAttempt]


class Initiation(Model):
    sender: Party | None
    receiver: Party
    txid: str | None
    """
    Id of the charge at its provider; null for transfers and refunds
    """
    value: Decimal
    """
    Reais, at most two decimals
    """
    type: Literal["QR_DYNAMIC", "QR_STATIC", "KEY", "MANUAL", "AUTOMATIC", "REFUND"] | str
    pix_key: str | None = None
    status: Literal["PENDING", "COMPLETED", "FAILED"] | str
    expires_at: AwareDatetime | None
    """
    UTC, six fractional digits
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class DisputeInitiation(Model):
    sender: Party | None
    receiver: Party
    txid: str | None
    """
    Id of the charge at its provider; null for transfers and refunds
    """
    value: Decimal
    """
    Reais as a decimal string with two decimals
    """
    type: Literal["QR_DYNAMIC", "QR_STATIC", "KEY", "MANUAL", "AUTOMATIC", "REFUND"] | str
    pix_key: str
    additional_info: list[AdditionalInfo]
    status: Literal["PENDING", "COMPLETED", "FAILED"] | str
    expires_at: AwareDatetime | None
    """
    UTC, six fractional digits
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class Recovery(Model):
    stage: (
        Literal["CREATED", "TRACKED", "AWAITING_ANALYSIS", "ANALYSED", "REFUNDING", "COMPLETED", "CANCELLED"]
        | str
    )
    events: list[RecoveryEvent]
    """
    The oldest first
    """


class TransferBatch(Model):
    uuid: str
    status: Literal["DRAFT", "PROCESSING", "COMPLETED", "CANCELLED"] | str
    name: str | None = None
    mode: Literal["ALL_VALID", "EACH"] | str
    on_short_balance: Literal["WAIT", "FAIL"] | str
    total: int
    """
    Number of items
    """
    value: Decimal
    """
    Reais that all items together send, without fees
    """
    counts: TransferBatchCounts
    scheduled_for: AwareDatetime | None = None
    """
    UTC, six fractional digits
    """
    waiting_for: (
        Literal[
            "approval", "scheduled", "account_blocked", "paused", "insufficient_balance", "unfinished_items"
        ]
        | str
        | None
    ) = None
    """
    Why no further item is started now; absent where one may be
    """
    approval: TransferApproval | None = None
    """
    Of a batch that waits, or has waited, for approvals
    """
    cancel_reason: Literal["item_failed", "rejected", "approval_expired"] | str | None = None
    """
    Of a batch that was not cancelled by a request
    """
    history: list[HistoryEntry]
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class Recurrence(Model):
    uuid: str
    status: (
        Literal["PENDING", "PROCESSING", "ACTIVE", "REJECTED", "EXPIRED", "CANCELLED", "ENDED", "FAILED"]
        | str
    )
    value: Decimal | None = None
    """
    Reais of each charge; absent where it varies
    """
    total_value: Decimal | None = None
    """
    Reais that the payer is debited each time: `value` and `fees`
    """
    fees: Decimal
    """
    Reais that the payer pays on top of a fixed `value`
    """
    minimum_value: Decimal | None = None
    """
    Reais, at most two decimals
    """
    frequency: Literal["WEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUAL", "ANNUAL"] | str
    starts_on: date
    ends_on: date | None = None
    contract: str
    subject: str | None = None
    debtor: RecurrenceDebtorShown
    retry_policy: Literal["NOT_ALLOWED", "THREE_IN_SEVEN_DAYS"] | str
    journey: Literal["REQUEST", "QR", "QR_WITH_PAYMENT", "PAYMENT_THEN_OFFER"] | str
    request_expires_at: AwareDatetime | None = None
    """
    UTC, six fractional digits
    """
    generate: Literal["AUTOMATIC", "MANUAL"] | str
    days_before: int
    splits: list[RecurrenceSplit]
    external_ref: str | None = None
    metadata: dict[str, str]
    rail_id: str | None
    """
    Id of the recurrence on the rail (idRec)
    """
    payload: str | None
    """
    The code by which the payer authorizes it, and pays its first charge; null of the journey REQUEST
    """
    first_charge: FirstChargeReference | None = None
    """
    The charge that the code also pays, as `GET /payments/{uuid}` shows it
    """
    next_charge_on: date | None
    """
    Due day of the next charge that is created for it; null where none is
    """
    is_past_due: bool
    """
    Its last due charge is not paid
    """
    reason: RecurrenceReason | None = None
    skipped: list[SkippedCycle]
    history: list[RecurrenceStatusChange]
    provider: ProviderShown
    error: RecurrenceError | None = None
    """
    Only on a FAILED recurrence: why no provider created it
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class ReportEventData(Report):
    sequence: int
    """
    Counts the events of this resource, from 1; a lower one that comes later is older news
    """


class TestEventData(Webhook):
    sequence: int
    """
    Counts the events of this resource, from 1; a lower one that comes later is older news
    """


class QrCode(Model):
    uuid: str
    status: Literal["ACTIVE", "DISABLED"] | str
    payload: str
    """
    The copy-and-paste PIX code, which does not expire
    """
    value: Decimal
    """
    Reais that each charge is of; 0 where the payer chooses
    """
    total_value: Decimal
    """
    Reais that the payload asks: `value` and `fees`; 0 where the payer chooses
    """
    fees: Decimal
    """
    Reais that each payer pays on top of `value`
    """
    reference: str
    """
    The txid of every PIX to the code
    """
    pix_key: str
    description: str | None = None
    external_ref: str | None = None
    splits: list[QrCodeSplit]
    on_payment: Literal["KEEP", "RETURN"] | str
    metadata: dict[str, str]
    received: QrCodeReceived
    provider: ProviderShown
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class CodeReading(Model):
    uuid: str
    kind: Literal["STATIC", "DYNAMIC", "DUE", "RECURRENCE", "COMPOSITE"] | str
    """
    STATIC: a key, with or without a value. DYNAMIC: a charge at the receiver’s bank, DUE: one with a due date. RECURRENCE: an authorization of Pix Automático. COMPOSITE: a charge and a recurrence, of which the charge is shown
    """
    receiver: Party
    txid: str | None
    value: CodeValue
    status: Literal["PAYABLE", "PAID", "REMOVED", "EXPIRED", "TOO_EARLY"] | str
    """
    What the receiver’s bank says of it at this moment. A static code is PAYABLE: its key is looked up when it is paid
    """
    expires_at: AwareDatetime | None
    """
    Of a charge with a due date: the end of its last day, weekends counted and holidays not
    """
    signature: Literal["VERIFIED", "UNVERIFIED"] | str
    """
    VERIFIED: the certificate that signed the charge is of the trust store of this installation. UNVERIFIED: its chain was not checked, or the code is static
    """
    own_charge_uuid: str | None = None
    """
    The charge of this account that has the code
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class PaymentLink(Model):
    uuid: str
    status: Literal["ACTIVE", "FULL", "EXPIRED", "REVOKED"] | str
    """
    FULL: every place is taken, by charges that are paid or can be paid; ACTIVE again once one of them ends unpaid
    """
    url: AnyUrl
    """
    The page of the payer, which needs no token
    """
    charge_uuid: str | None = None
    """
    Only of a link that shows one charge
    """
    message: str | None = None
    value: Decimal | None = None
    """
    Only of a link that creates charges, as are the fields below
    """
    external_ref: str | None = None
    provider_uuid: str | None = None
    splits: list[QrCodeSplit] | None = None
    expires_in: int | None = None
    """
    Seconds until a charge of the link expires
    """
    metadata: dict[str, str] | None = None
    max_payments: int | None = None
    payments: PaymentLinkPlaces | None = None
    """
    What takes the places. `GET /payments?payment_link_uuid=` lists the charges
    """
    expires_at: AwareDatetime | None = None
    """
    UTC, six fractional digits
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    revoked_at: AwareDatetime | None = None
    """
    UTC, six fractional digits
    """


class DepositReturn(Model):
    status: Literal["PROCESSING", "REVIEW", "COMPLETED", "FAILED"] | str
    uuid: str | None = None
    """
    The order of its POST; absent where the account policy or an operator returns it
    """
    created_at: AwareDatetime | None = None
    """
    UTC, six fractional digits
    """
    error: DepositReturnError | None = None


class TransferBatchItem(Model):
    line: int
    """
    Place in the batch, from 1
    """
    status: (
        Literal[
            "PENDING",
            "PAID",
            "FAILED",
            "REFUNDED",
            "PARTIALLY_REFUNDED",
            "CANCELLED",
            "EXPIRED",
            "PROCESSING",
        ]
        | str
    )
    value: Decimal
    """
    Reais, at most two decimals
    """
    pix_key: str | None = None
    receiver: OrderedReceiver | None = None
    payload: str | None = None
    """
    The PIX code that it pays; `pix_key` is its key
    """
    document: str | None = None
    external_ref: str
    description: str | None = None
    transfer_uuid: str | None = None
    """
    The transfer that the item has become; absent before it was started
    """
    end_to_end: str | None = None
    settled_at: AwareDatetime | None = None
    """
    UTC, six fractional digits
    """
    error: TransferBatchItemError | None = None
    """
    Why the item is FAILED
    """


class LimitValues(Model):
    per_transfer: Decimal | None
    """
    Reais, at most two decimals
    """
    per_day: Decimal | None
    """
    Reais, at most two decimals
    """
    per_night: Decimal | None
    """
    Reais, at most two decimals
    """
    night: Night
    per_receiver_per_day: Decimal | None
    """
    Reais, at most two decimals
    """
    new_receiver: NewReceiver | None
    trusted_receivers: list[ShownTrustedHolder | ShownTrustedKey]
    allowed_receivers_only: bool
    duplicate_guard: DuplicateGuard
    approvals: ShownApprovalRule | None


class LimitUsage(Model):
    """
    Counted from the first PUT of limits on
    """

    per_day: LimitUsagePerDay
    per_night: PerNight


class KeyLookup(Model):
    uuid: str
    """
    The value of `lookup_uuid` of a transfer
    """
    pix_key: str
    """
    Masked where a look-up is read again
    """
    type: Literal["DOCUMENT", "EMAIL", "PHONE", "RANDOM"] | str
    receiver: Party
    """
    The owner of the key, masked
    """
    document_match: Literal["MATCH", "MISMATCH", "UNKNOWN"] | str
    """
    Of `document`; UNKNOWN where none was sent, or the provider masks the owner’s and it does not contradict
    """
    name_match: Literal["EXACT", "PARTIAL", "NONE", "UNKNOWN"] | str
    """
    Of `name`, without regard to case and accents; UNKNOWN where none was sent, or the provider names none
    """
    provider: ProviderShown
    expires_at: AwareDatetime
    """
    A transfer may name the look-up until then
    """
    budget: LookupBudget | None
    """
    null where the provider tells none
    """


class Provider(Model):
    uuid: str
    """
    The value of a `provider_uuid`
    """
    status: (
        Literal[
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
        | str
    )
    provider: Literal["PROVIDER_A", "PROVIDER_B", "PROVIDER_C", "PROVIDER_D"] | str
    type: Literal["NOMINAL", "POOL"] | str
    is_operational: bool
    """
    ACTIVE and the integration is healthy
    """
    is_public: bool
    """
    Whether calls may name it
    """
    max_per_transfer: Decimal | None
    """
    Reais that one transfer through it may send at most; null where no limit is set
    """
    virtual_account: VirtualAccount | None
    """
    null for POOL
    """
    balances: list[Balance]


class Delivery(Model):
    uuid: str
    event: EventReference
    status: Literal["PENDING", "DELIVERED", "FAILED", "CANCELLED"] | str
    next_attempt_at: AwareDatetime | None
    """
    When the next attempt is due, or was due if it is running. Null after the last attempt, and possibly until the first has an outcome
    """
    attempts: list[DeliveryAttempt]
    """
    The latest twenty, in their order
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class LedgerLine(Model):
    uuid: str
    """
    The movement; a movement may have several lines
    """
    line_uuid: str
    """
    This line
    """
    type: (
        Literal[
            "EXTERNAL_TRANSFER",
            "EXTERNAL_REFUND",
            "SPLIT",
            "FEE",
            "HOLD",
            "ADJUSTMENT",
            "REVERSAL",
            "SHORTFALL",
        ]
        | str
    )
    """
    EXTERNAL_TRANSFER and EXTERNAL_REFUND: the PIX itself, one line in its whole value. REVERSAL: the order never left. SPLIT, FEE, HOLD and SHORTFALL (what the service advanced or was repaid) are lines of their own
    """
    movement_type: Literal["IN", "OUT"] | str
    """
    Whether this line adds or takes
    """
    value: Decimal
    """
    What this line adds or takes, never negative
    """
    balance: Decimal
    """
    The available balance at this provider after this line, as text; `balance_after` is a number
    """
    balance_after: Decimal
    """
    The available balance at this provider after this line
    """
    status: Literal["PENDING", "SETTLED", "FAILED"] | str
    """
    Of the movement. A line REVERSAL of a FAILED movement gives back what its line OUT had held
    """
    end_to_end: str
    """
    Of the PIX, on its own line; empty on all others, and until its provider reports it
    """
    external_ref: str | None = None
    """
    Of the caller's own charge or transfer
    """
    counterparty: LedgerCounterparty | None
    """
    Null for fees, holds, shortfalls and adjustments, for a share taken back from several accounts, and where the provider names no party
    """
    operation_type: (
        Literal[
            "CHARGE",
            "SPLIT",
            "TRANSFER",
            "REFUND",
            "DISPUTE",
            "DEPOSIT",
            "RETURN",
            "PROVIDER_ENTRY",
            "ADJUSTMENT",
        ]
        | str
    )
    operation_uuid: str
    """
    The charge, transfer, refund or dispute; of a SPLIT its charge; otherwise the movement
    """
    reason: (
        Literal[
            "deposit",
            "second_payment",
            "wrong_amount",
            "wrong_payer",
            "unknown_payer",
            "charge_over",
            "code_disabled",
            "orphan",
            "duplicate_settlement",
            "late_settlement",
            "provider_tariff",
            "provider_withdrawal",
            "provider_credit",
            "provider_block",
            "provider_unblock",
            "panel_transfer",
            "panel_return",
            "opening_balance",
            "adjustment",
        ]
        | str
        | None
    ) = None
    charge_uuid: str | None = None
    transfer_uuid: str | None = None
    refund_uuid: str | None = None
    dispute_uuid: str | None = None
    provider: ProviderShown
    settled_at: AwareDatetime | None
    """
    UTC, six fractional digits
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class LedgerPeriodBalance(Model):
    provider: ProviderShown
    opening_balance: Decimal
    """
    The lines before the period. Below zero only where the period begins between two that overlap
    """
    closing_balance: Decimal
    """
    The opening balance and the lines of the period
    """
    in_: Annotated[Decimal, Field(alias="in")]
    """
    What the lines IN add
    """
    out: Decimal
    """
    What the lines OUT take, never negative
    """
    lines: int
    totals: list[Total]


class ReportSchedules(Model):
    schedules: list[ReportSchedule]


class Pending(Model):
    limits: LimitValues
    effective_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class ChargePix(Model):
    sender: Party | None
    receiver: Party
    txid: str | None
    """
    Id of the charge at its provider; null for transfers and refunds
    """
    value: Decimal
    """
    Reais as a decimal string with two decimals
    """
    type: Literal["QR_DYNAMIC", "QR_STATIC", "KEY", "MANUAL", "AUTOMATIC", "REFUND"] | str
    pix_key: str
    additional_info: list[AdditionalInfo]
    transaction: ChargeTransaction | None
    status: Literal["PENDING", "COMPLETED", "FAILED", "EXPIRED", "CANCELLED"] | str
    expires_at: AwareDatetime | None
    """
    UTC, six fractional digits
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class DueShown(Model):
    on: date
    payable_days_after: int
    fine: DueAmount | None = None
    interest: DueInterest | None = None
    abatement: DueAmount | None = None
    discount: DueDiscount | None = None


class TransferRecord(Model):
    uuid: str
    """
    The movement that pays it; the transfer itself until its money is reserved
    """
    initiation: KeyInitiation
    value: Decimal
    """
    Reais, at most two decimals
    """
    movement_type: Literal["OUT"] | str
    type: Literal["EXTERNAL_TRANSFER"] | str
    status: Literal["PENDING", "SETTLED", "FAILED"] | str
    end_to_end: str
    """
    End-to-end id of the PIX, 32 characters; empty until its provider reports it
    """
    settled_at: AwareDatetime | None
    """
    UTC, six fractional digits
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class Movement(Model):
    uuid: str
    initiation: Initiation
    value: Decimal
    """
    Reais, at most two decimals
    """
    movement_type: Literal["IN", "OUT"] | str
    type: Literal["EXTERNAL_TRANSFER", "EXTERNAL_REFUND"] | str
    status: Literal["PENDING", "SETTLED", "FAILED"] | str
    end_to_end: str
    """
    End-to-end id of the PIX, 32 characters; empty until its provider reports it
    """
    charge_uuid: str | None = None
    transfer_uuid: str | None = None
    """
    The transfer that this one pays, pays again or returns
    """
    original_uuid: str | None = None
    """
    The movement that this one returns
    """
    provider: ProviderShown | None = None
    """
    The connection that carried this PIX; absent where none is known
    """
    reason: (
        Literal[
            "deposit",
            "second_payment",
            "wrong_amount",
            "wrong_payer",
            "unknown_payer",
            "charge_over",
            "code_disabled",
            "orphan",
            "duplicate_settlement",
            "late_settlement",
            "provider_tariff",
            "provider_withdrawal",
            "provider_credit",
            "provider_block",
            "provider_unblock",
            "panel_transfer",
            "panel_return",
            "opening_balance",
            "adjustment",
        ]
        | str
        | None
    ) = None
    """
    Why this PIX is not the payment of a charge, or that it settled twice or after it had failed; absent otherwise
    """
    settled_at: AwareDatetime | None
    """
    UTC, six fractional digits
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class DisputeRecord(Model):
    """
    The disputed PIX
    """

    uuid: str
    initiation: DisputeInitiation
    value: Decimal
    """
    Reais as a decimal string with two decimals
    """
    movement_type: Literal["IN", "OUT"] | str
    type: Literal["EXTERNAL_TRANSFER", "EXTERNAL_REFUND"] | str
    status: Literal["PENDING", "SETTLED", "FAILED"] | str
    end_to_end: str
    """
    End-to-end id of the PIX, 32 characters; empty until its provider reports it
    """
    settled_at: AwareDatetime | None
    """
    UTC, six fractional digits
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class PixTransactionEventData(Movement):
    sequence: int
    """
    Counts the events of this resource, from 1; a lower one that comes later is older news
    """


class BatchEventData(TransferBatch):
    sequence: int
    """
    Counts the events of this resource, from 1; a lower one that comes later is older news
    """


class RecurrenceEventData(Recurrence):
    sequence: int
    """
    Counts the events of this resource, from 1; a lower one that comes later is older news
    """


class ReportEvent(Model):
    """
    A report became READY or FAILED. Delivered only where an endpoint names it, and not read by tokens bound to a provider.
    """

    id: str
    """
    The `webhook-id` of every delivery attempt
    """
    type: Literal["REPORT"] | str
    timestamp: AwareDatetime
    """
    When it happened
    """
    data: ReportEventData


class TestEvent(Model):
    """
    The account requested a test event; `data` is the webhook.
    """

    id: str
    """
    The `webhook-id` of every delivery attempt
    """
    type: Literal["TEST"] | str
    timestamp: AwareDatetime
    """
    When it happened
    """
    data: TestEventData


class CreatedPayment(Model):
    uuid: str
    status: Literal["PENDING", "COMPLETED", "FAILED", "EXPIRED", "CANCELLED"] | str
    payload: str
    """
    The copy-and-paste PIX code; empty of the debit of a recurrence
    """
    pix: ChargePix
    expires_at: AwareDatetime | None
    """
    Null of a static code, which does not expire. Of a charge with a due date the end of its last payable day in Brasília, moved to the next business day
    """
    due: DueShown | None = None
    amount_due: AmountDue | None = None
    """
    Of a charge with a due date that can be paid: a forecast of what it costs today, by the national bank holidays. The provider computes what is paid; a state or municipal holiday where the payer lives can move the due day
    """
    paid: PaidParts | None = None
    """
    Of a paid charge with a due date: what was paid, and what that consists of where its provider reports it
    """
    tries: list[DebitTry] | None = None
    """
    Only of the debit of a recurrence: its tries, as its provider has reported them
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    value: Decimal
    """
    Reais, at most two decimals
    """
    type: Literal["PIX"] | str


class ListedRefund(Model):
    uuid: str
    status: Literal["PROCESSING", "COMPLETED", "FAILED"] | str
    value: Decimal
    """
    Reais, at most two decimals
    """
    fees: Decimal
    """
    Reais, at most two decimals
    """
    description: str | None = None
    """
    The text for the payer, where one was given
    """
    pix_original: Movement
    pix_refund: Movement
    error: RefundError | None = None
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    charge_uuid: str
    external_ref: str | None = None
    """
    Of the charge
    """
    provider: ProviderShown


class Deposit(Model):
    uuid: str
    initiation: Initiation
    value: Decimal
    """
    Reais, at most two decimals
    """
    movement_type: Literal["IN", "OUT"] | str
    type: Literal["EXTERNAL_TRANSFER", "EXTERNAL_REFUND"] | str
    status: Literal["PENDING", "SETTLED", "FAILED"] | str
    end_to_end: str
    """
    End-to-end id of the PIX, 32 characters; empty until its provider reports it
    """
    charge_uuid: str | None = None
    transfer_uuid: str | None = None
    """
    The transfer that this one pays, pays again or returns
    """
    original_uuid: str | None = None
    """
    The movement that this one returns
    """
    provider: ProviderShown | None = None
    """
    The connection that carried this PIX; absent where none is known
    """
    reason: (
        Literal[
            "deposit",
            "second_payment",
            "wrong_amount",
            "wrong_payer",
            "unknown_payer",
            "charge_over",
            "code_disabled",
            "orphan",
            "duplicate_settlement",
            "late_settlement",
            "provider_tariff",
            "provider_withdrawal",
            "provider_credit",
            "provider_block",
            "provider_unblock",
            "panel_transfer",
            "panel_return",
            "opening_balance",
            "adjustment",
        ]
        | str
        | None
    ) = None
    """
    Why this PIX is not the payment of a charge, or that it settled twice or after it had failed; absent otherwise
    """
    settled_at: AwareDatetime | None
    """
    UTC, six fractional digits
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    return_: Annotated[DepositReturn | None, Field(alias="return")]
    """
    Null while it stays with the account
    """


class Receipt(Model):
    kind: Literal["PAYMENT", "TRANSFER", "REFUND"] | str
    uuid: str
    """
    The charge, the transfer or the refund
    """
    official: bool
    """
    Whether the bank issues the PDF now; false: this service does
    """
    issuer: str | None
    """
    Name of the bank that issues the PDF; null: this service does
    """
    mode: Literal["live", "test"] | str
    """
    `test`: simulated, no money has moved
    """
    pix: Movement
    original_end_to_end: str | None = None
    """
    Of a refund: end-to-end id of the PIX that it gives back
    """
    returned_value: Decimal
    """
    Sum of all that went back since
    """
    returns: list[ReceiptReturn]
    """
    What went back since, oldest first; the newest 50
    """
    authentication: str
    """
    Code by which anybody can check the receipt, without a token
    """
    check_url: str
    """
    Page that checks it
    """
    checkable_until: AwareDatetime
    """
    UTC, six fractional digits
    """
    share_url: str
    """
    Address of the PDF for whoever has it, without a token; a new one each time the receipt is read
    """
    shared_until: AwareDatetime
    """
    When `share_url` ends: 24 hours after it was read
    """


class AccountLimits(Model):
    """
    The limits in force, null where nothing binds
    """

    per_transfer: Decimal | None
    """
    Reais, at most two decimals
    """
    per_day: Decimal | None
    """
    Reais, at most two decimals
    """
    per_night: Decimal | None
    """
    Reais, at most two decimals
    """
    night: Night
    per_receiver_per_day: Decimal | None
    """
    Reais, at most two decimals
    """
    new_receiver: NewReceiver | None
    trusted_receivers: list[ShownTrustedHolder | ShownTrustedKey]
    allowed_receivers_only: bool
    duplicate_guard: DuplicateGuard
    approvals: ShownApprovalRule | None
    callout_token: str | None = None
    """
    The secret that signs call-outs. Whole where a PUT or a rotation has made it, masked elsewhere; absent where no call-out was ever set
    """
    pending: Pending | None
    """
    What allows more, and when it takes effect; a PUT of what is in force cancels it
    """
    version: int
    """
    Counts the changes; 0 where none was made
    """
    updated_at: AwareDatetime | None
    """
    null where none was made
    """


class LedgerBalances(Model):
    date_from: date | None
    """
    Null: from the first line on
    """
    date_to: date | None
    """
    Null: up to now
    """
    time_zone: str
    balances: list[LedgerPeriodBalance]
    """
    One per provider account
    """


class Payment(Model):
    uuid: str
    status: Literal["PENDING", "COMPLETED", "FAILED", "EXPIRED", "CANCELLED"] | str
    payload: str
    """
    The copy-and-paste PIX code; empty of the debit of a recurrence
    """
    pix: ChargePix
    expires_at: AwareDatetime | None
    """
    Null of a static code, which does not expire. Of a charge with a due date the end of its last payable day in Brasília, moved to the next business day
    """
    due: DueShown | None = None
    amount_due: AmountDue | None = None
    """
    Of a charge with a due date that can be paid: a forecast of what it costs today, by the national bank holidays. The provider computes what is paid; a state or municipal holiday where the payer lives can move the due day
    """
    paid: PaidParts | None = None
    """
    Of a paid charge with a due date: what was paid, and what that consists of where its provider reports it
    """
    tries: list[DebitTry] | None = None
    """
    Only of the debit of a recurrence: its tries, as its provider has reported them
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    value: Decimal
    """
    Reais as a decimal string with two decimals
    """
    type: Literal["QR_DYNAMIC", "QR_STATIC", "AUTOMATIC"] | str
    """
    QR_STATIC where the payload is a static code of the key; AUTOMATIC of the debit of a recurrence, which has no payload
    """
    verify_sender: bool
    """
    Whether only the `debtor` may pay
    """


class Transfer(Model):
    uuid: str
    value: Decimal
    """
    Reais that the recipient receives
    """
    fees: Decimal
    """
    Reais that the sender pays on top of `value`
    """
    currency: Literal["BRL"] | str
    status: (
        Literal[
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
        | str
    )
    type: Literal["PIX"] | str
    external_ref: str | None = None
    final_beneficiary: FinalBeneficiaryShown | None = None
    transfer: TransferRecord
    history: list[StatusChange]
    provider: ProviderShown
    attempts: list[Attempt]
    outcome: Literal["unknown"] | str | None = None
    """
    Only while no provider has said whether the money left; never send it again
    """
    unknown_since: AwareDatetime | None = None
    """
    Only with `outcome`
    """
    next_check_at: AwareDatetime | None = None
    """
    Only with `outcome`: when the provider is asked again
    """
    scheduled_for: AwareDatetime | None = None
    """
    Of a scheduled transfer
    """
    approval: TransferApproval | None = None
    """
    Of a transfer that waits, or has waited, for approvals
    """
    batch_uuid: str | None = None
    """
    The batch that it is an item of
    """
    error: TransferError | None = None
    """
    Why a transfer is FAILED
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class Refund(Model):
    uuid: str
    status: Literal["PROCESSING", "COMPLETED", "FAILED"] | str
    value: Decimal
    """
    Reais, at most two decimals
    """
    fees: Decimal
    """
    Reais, at most two decimals
    """
    description: str | None = None
    """
    The text for the payer, where one was given
    """
    pix_original: Movement
    pix_refund: Movement
    error: RefundError | None = None
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class Dispute(Model):
    uuid: str
    pix_in_transaction: DisputeRecord
    attachments: list[Attachment]
    med_type: Literal["RECEIVED_MED", "REQUESTED_MED"] | str
    dispute_type: (
        Literal["UNDEFINED", "SCAM", "WRONG_TRANSACTION", "COERCION_CRIME", "UNAUTHORIZED_ACCESS"] | str
    )
    status: Literal["PENDING", "PROCESSING", "ACCEPTED", "REJECTED", "CANCELLED"] | str
    details: str
    analysis: str
    """
    Of the reply, or the provider’s while there is none
    """
    reply_error: DisputeFailure | None = None
    """
    Why the provider refused the last reply; absent once there is another
    """
    error: DisputeFailure | None = None
    """
    Of a REQUESTED_MED that is REJECTED: why the provider refused the request
    """
    resolved: bool
    """
    Whether it is over. True with `PROCESSING`: no decision was published in the 91 days in which money could be returned, and nothing is blocked any more
    """
    due_at: AwareDatetime
    """
    Deadline of the reply
    """
    value: Decimal
    """
    Disputed amount
    """
    blocked_value: Decimal
    """
    Amount blocked for the dispute now
    """
    recovered_value: Decimal | None = None
    """
    Of a REQUESTED_MED: what came back by it
    """
    recovery: Recovery | None = None
    """
    Of a REQUESTED_MED whose provider shows it: how far the Central Bank has come, from bank to bank that the money has reached
    """
    contestable_until: AwareDatetime | None = None
    """
    Of money that was returned by a RECEIVED_MED: until then it may be contested
    """
    contest: Contest | None = None
    """
    Absent while what was returned has not been contested
    """
    charge_uuid: str | None = None
    transfer_uuid: str | None = None
    provider: ProviderShown
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class PixTransactionEvent(Model):
    """
    A PIX settled: money came in or went out, also where it belongs to no charge; or the return of a deposit was refused, with `status` FAILED.
    """

    id: str
    """
    The `webhook-id` of every delivery attempt
    """
    type: Literal["PIX_TRANSACTION"] | str
    timestamp: AwareDatetime
    """
    When it happened
    """
    data: PixTransactionEventData


class BatchEvent(Model):
    """
    A batch of transfers became COMPLETED or CANCELLED. Delivered only where an endpoint names it.
    """

    id: str
    """
    The `webhook-id` of every delivery attempt
    """
    type: Literal["BATCH"] | str
    timestamp: AwareDatetime
    """
    When it happened
    """
    data: BatchEventData


class RecurrenceEvent(Model):
    """
    A recurrence changed its status: its payer has decided, or it is over. Delivered only where an endpoint names it.
    """

    id: str
    """
    The `webhook-id` of every delivery attempt
    """
    type: Literal["RECURRENCE"] | str
    timestamp: AwareDatetime
    """
    When it happened
    """
    data: RecurrenceEventData


class CreatedCharge(Model):
    uuid: str
    value: Decimal
    """
    Reais that the merchant asked; 0 where the payer chooses
    """
    total_value: Decimal
    """
    Reais that the payer pays: `value` and `fees`. Of an open amount what was paid
    """
    fees: Decimal
    """
    Reais that the payer pays on top of `value`. Of an open amount they come out of it
    """
    currency: Literal["BRL"] | str
    status: (
        Literal[
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
        | str
    )
    type: Literal["PIX"] | str
    external_ref: str | None = None
    final_beneficiary: FinalBeneficiaryShown | None = None
    debtor: DebtorShown | None = None
    payer_kind: Literal["PERSON", "COMPANY"] | str | None = None
    match: Literal["FULL", "ROOT"] | str | None = None
    message: str | None = None
    metadata: dict[str, str] | None = None
    revision: int | None = None
    """
    Only of a charge with a due date: how often it was changed by PATCH
    """
    splits: list[Split]
    history: list[StatusChange]
    provider: ProviderShown
    qr_code_uuid: str | None = None
    """
    The static code of the account that it was paid to
    """
    recurrence: ChargeCycle | None = None
    """
    The recurrence whose payer it debits, and for which cycle
    """
    error: ChargeError | None = None
    """
    Only on a FAILED charge: why no provider issued it, or why its debit failed
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    payment: CreatedPayment


class Charge(Model):
    uuid: str
    value: Decimal
    """
    Reais that the merchant asked; 0 where the payer chooses
    """
    total_value: Decimal
    """
    Reais that the payer pays: `value` and `fees`. Of an open amount what was paid
    """
    fees: Decimal
    """
    Reais that the payer pays on top of `value`. Of an open amount they come out of it
    """
    currency: Literal["BRL"] | str
    status: (
        Literal[
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
        | str
    )
    type: Literal["PIX"] | str
    external_ref: str | None = None
    final_beneficiary: FinalBeneficiaryShown | None = None
    debtor: DebtorShown | None = None
    payer_kind: Literal["PERSON", "COMPANY"] | str | None = None
    match: Literal["FULL", "ROOT"] | str | None = None
    message: str | None = None
    metadata: dict[str, str] | None = None
    revision: int | None = None
    """
    Only of a charge with a due date: how often it was changed by PATCH
    """
    splits: list[Split]
    history: list[StatusChange]
    provider: ProviderShown
    qr_code_uuid: str | None = None
    """
    The static code of the account that it was paid to
    """
    recurrence: ChargeCycle | None = None
    """
    The recurrence whose payer it debits, and for which cycle
    """
    error: ChargeError | None = None
    """
    Only on a FAILED charge: why no provider issued it, or why its debit failed
    """
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    refunded_value: Decimal
    """
    Sum of the settled refunds and returns
    """
    net_value: Decimal
    """
    What the charge leaves to its account and its splits: what the payer paid, less `fees`, less `refunded_value`, less the fees of these refunds. 0 until it is paid; below 0 once more was refunded than was left
    """
    refund_uuids: list[str]
    """
    Its refunds in any status, oldest first
    """
    payment: Payment


class TransferEventData(Transfer):
    sequence: int
    """
    Counts the events of this resource, from 1; a lower one that comes later is older news
    """
    late: Literal[True] | None = None
    """
    It was paid, or settled, after a final state had been shown
    """


class RefundResult(Model):
    uuid: str
    """
    The charge
    """
    status: (
        Literal[
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
        | str
    )
    value: Decimal
    """
    Reais, at most two decimals
    """
    fees: Decimal
    """
    Reais, at most two decimals
    """
    refund: Refund
    history: list[StatusChange]
    provider: ProviderShown
    created_at: AwareDatetime
    """
    UTC, six fractional digits
    """
    updated_at: AwareDatetime
    """
    UTC, six fractional digits
    """


class MedEventData(Dispute):
    sequence: int
    """
    Counts the events of this resource, from 1; a lower one that comes later is older news
    """


class PaymentEventData(Charge):
    sequence: int
    """
    Counts the events of this resource, from 1; a lower one that comes later is older news
    """
    late: Literal[True] | None = None
    """
    It was paid, or settled, after a final state had been shown
    """


class TransferEvent(Model):
    """
    A transfer became PAID, FAILED, CANCELLED or EXPIRED, or a part of it was returned.
    """

    id: str
    """
    The `webhook-id` of every delivery attempt
    """
    type: Literal["TRANSFER"] | str
    timestamp: AwareDatetime
    """
    When it happened
    """
    data: TransferEventData


class RefundEventData(RefundResult):
    sequence: int
    """
    Counts the events of this resource, from 1; a lower one that comes later is older news
    """


class MedEvent(Model):
    """
    A dispute was opened, answered or closed.
    """

    id: str
    """
    The `webhook-id` of every delivery attempt
    """
    type: Literal["MED"] | str
    timestamp: AwareDatetime
    """
    When it happened
    """
    data: MedEventData


class PaymentEvent(Model):
    """
    A charge became PAID, FAILED, CANCELLED, EXPIRED, PARTIALLY_REFUNDED or REFUNDED.
    """

    id: str
    """
    The `webhook-id` of every delivery attempt
    """
    type: Literal["PAYMENT"] | str
    timestamp: AwareDatetime
    """
    When it happened
    """
    data: PaymentEventData


class RefundEvent(Model):
    """
    A refund was settled or has failed. `data.uuid`, `data.status` and `data.value` are those of the charge; the refund is `data.refund`.
    """

    id: str
    """
    The `webhook-id` of every delivery attempt
    """
    type: Literal["REFUND"] | str
    timestamp: AwareDatetime
    """
    When it happened
    """
    data: RefundEventData
