<?php

// Made from openapi.json by `npm run sdk:php`; do not edit.

declare(strict_types=1);

namespace Trilho;

/** Codes of the API's errors. */
final class ErrorCode
{
    public const ACCOUNT_BLOCKED = 'account_blocked';
    public const ADDRESS_NOT_ALLOWED = 'address_not_allowed';
    public const APPROVER_IS_MAKER = 'approver_is_maker';
    public const APPROVER_NOT_ALLOWED = 'approver_not_allowed';
    public const BATCH_NOT_CANCELLABLE = 'batch_not_cancellable';
    public const BATCH_TOO_LARGE = 'batch_too_large';
    public const BODY_TOO_LARGE = 'body_too_large';
    public const CANCELLATION_UNKNOWN = 'cancellation_unknown';
    public const CHARGE_NOT_CANCELLABLE = 'charge_not_cancellable';
    public const CHARGE_NOT_REFUNDABLE = 'charge_not_refundable';
    public const CHARGE_NOT_RETRYABLE = 'charge_not_retryable';
    public const CHARGE_NOT_REVISABLE = 'charge_not_revisable';
    public const CODE_UNDELIVERABLE = 'code_undeliverable';
    public const CONTEST_PERIOD_OVER = 'contest_period_over';
    public const CYCLE_ALREADY_CHARGED = 'cycle_already_charged';
    public const DEPOSIT_NOT_ASSIGNABLE = 'deposit_not_assignable';
    public const DEPOSIT_NOT_RETURNABLE = 'deposit_not_returnable';
    public const DEPOSIT_SPENT = 'deposit_spent';
    public const DISPUTE_NOT_SUPPORTED = 'dispute_not_supported';
    public const EXTERNAL_REF_IN_USE = 'external_ref_in_use';
    public const IDEMPOTENCY_KEY_REUSED = 'idempotency_key_reused';
    public const INSUFFICIENT_BALANCE = 'insufficient_balance';
    public const INSUFFICIENT_SCOPE = 'insufficient_scope';
    public const INTERNAL_ERROR = 'internal_error';
    public const ISSUING = 'issuing';
    public const KEY_BLOCKED_FOR_FRAUD = 'key_blocked_for_fraud';
    public const KEY_IN_USE = 'key_in_use';
    public const KEY_NOT_REGISTERED = 'key_not_registered';
    public const KEY_NOT_SUPPORTED = 'key_not_supported';
    public const LIMITS_CHANGED = 'limits_changed';
    public const LOOKUP_BUDGET_LOW = 'lookup_budget_low';
    public const LOOKUP_NOT_SUPPORTED = 'lookup_not_supported';
    public const MALFORMED_JSON = 'malformed_json';
    public const MALFORMED_MULTIPART = 'malformed_multipart';
    public const MED_ALREADY_ANSWERED = 'med_already_answered';
    public const MED_ALREADY_ASKED = 'med_already_asked';
    public const MED_NOT_ANSWERABLE = 'med_not_answerable';
    public const MED_NOT_CANCELLABLE = 'med_not_cancellable';
    public const MED_NOT_CONTESTABLE = 'med_not_contestable';
    public const MED_PERIOD_OVER = 'med_period_over';
    public const NO_PROVIDER_AVAILABLE = 'no_provider_available';
    public const NOT_CONFIRMED = 'not_confirmed';
    public const NOT_FOUND = 'not_found';
    public const NOT_FOUND_AFTER_RESTORE = 'not_found_after_restore';
    public const NOT_STARTED = 'not_started';
    public const NOT_WAITING_FOR_APPROVAL = 'not_waiting_for_approval';
    public const OVER_LIMIT = 'over_limit';
    public const OVERLOADED = 'overloaded';
    public const PAUSED = 'paused';
    public const PAYMENT_LINK_EXISTS = 'payment_link_exists';
    public const PIX_KEY_ALREADY_REGISTERED = 'pix_key_already_registered';
    public const PIX_KEY_LIMIT = 'pix_key_limit';
    public const PIX_KEY_UNKNOWN = 'pix_key_unknown';
    public const POSSIBLE_DUPLICATE = 'possible_duplicate';
    public const PROVIDER_REJECTED = 'provider_rejected';
    public const QR_CHANGED = 'qr_changed';
    public const QR_CODE_DOES_NOT_FIT = 'qr_code_does_not_fit';
    public const QR_INVALID = 'qr_invalid';
    public const QR_NOT_PAYABLE = 'qr_not_payable';
    public const QR_UNREADABLE = 'qr_unreadable';
    public const QR_VALUE_MISMATCH = 'qr_value_mismatch';
    public const RATE_LIMITED = 'rate_limited';
    public const RECEIPT_NOT_READY = 'receipt_not_ready';
    public const RECEIVER_CHANGED = 'receiver_changed';
    public const RECEIVER_MISMATCH = 'receiver_mismatch';
    public const RECOVERY_IN_PROGRESS = 'recovery_in_progress';
    public const RECURRENCE_NOT_ACTIVE = 'recurrence_not_active';
    public const RECURRENCE_NOT_CANCELLABLE = 'recurrence_not_cancellable';
    public const REFERENCE_IN_USE = 'reference_in_use';
    public const REFUND_IN_PROGRESS = 'refund_in_progress';
    public const REFUND_MED_OPEN = 'refund_med_open';
    public const REFUND_PERIOD_OVER = 'refund_period_over';
    public const REPORT_LIMIT = 'report_limit';
    public const REPORT_NOT_READY = 'report_not_ready';
    public const RESEND_IN_PROGRESS = 'resend_in_progress';
    public const RETURN_IN_PROGRESS = 'return_in_progress';
    public const RETURN_MED_OPEN = 'return_med_open';
    public const RETURN_PERIOD_OVER = 'return_period_over';
    public const REVISION_IN_PROGRESS = 'revision_in_progress';
    public const REVISION_UNKNOWN = 'revision_unknown';
    public const TOKEN_BOUND_TO_PROVIDER = 'token_bound_to_provider';
    public const TOO_MANY_ATTEMPTS = 'too_many_attempts';
    public const TOO_MANY_LOOKUPS = 'too_many_lookups';
    public const TRANSFER_NOT_CANCELLABLE = 'transfer_not_cancellable';
    public const TRANSFER_NOT_DISPUTABLE = 'transfer_not_disputable';
    public const UNAUTHENTICATED = 'unauthenticated';
    public const UNAVAILABLE = 'unavailable';
    public const UNSUPPORTED_MEDIA_TYPE = 'unsupported_media_type';
    public const UPLOAD_TOO_LARGE = 'upload_too_large';
    public const VALIDATION_FAILED = 'validation_failed';
    public const WEBHOOK_DISABLED = 'webhook_disabled';
    public const WEBHOOK_LIMIT = 'webhook_limit';
}
