/**
 * Catalogue of API errors: by HTTP status a stable code and a sentence for people (SPEC §1).
 * An error that is not listed here is a bug: the API answers 500 `internal_error` and logs the details.
 */
const MESSAGES = {
  400: {
    malformed_request: 'The request is not valid HTTP.',
    malformed_json: 'The body is not valid JSON, or it contains a field twice.',
    malformed_multipart: 'The body is not valid multipart/form-data.',
    provider_rejected: 'The provider rejected the operation; see data.error.',
  },
  401: {
    unauthenticated: 'The access token is missing, unknown, revoked or expired.',
    sign_in_refused: 'The e-mail or the password is wrong.',
    code_refused: 'The code is wrong, or was used before.',
  },
  403: {
    account_blocked: 'The account is blocked; contact the operator of the service.',
    form_expired: 'The form belongs to another or an expired session; reload the page and submit it again.',
    token_bound_to_provider:
      'This operation is not allowed for provider-scoped tokens; use a token without a provider.',
    insufficient_scope: 'The token lacks the scope of this operation; one of data.scopes is needed.',
    address_not_allowed: 'The token is not allowed from the address of this request.',
    second_operator_needed:
      'The operator who proposed an adjustment cannot approve it; another operator must.',
    approver_is_maker: 'Who has ordered it cannot approve or reject it; another person must.',
    approver_not_allowed:
      'No person who may send money stands behind this token; use a token that such a user of the account has made.',
    role_not_allowed: 'The role of this user does not permit it.',
    link_expired: 'The link has expired or was changed; read the dispute again for a new one.',
  },
  404: {
    not_found: 'The resource does not exist.',
    key_not_registered: 'No account has this PIX key.',
  },
  405: {
    method_not_allowed: 'The path does not support this method; see the Allow header.',
  },
  408: {
    request_timeout: 'The request took too long to arrive; send it again.',
  },
  409: {
    last_owner: 'The account would have no owner; give another user that role first.',
    totp_already_enabled: 'The second factor is already enabled; disable it first.',
    user_limit: 'An account can have at most 100 users and open invitations; remove one first.',
    already_settled: 'The operation is already settled; reload the page.',
    act_stale: 'The data changed after the page was loaded; nothing was done. Reload the page.',
    charge_not_cancellable: 'Only a PENDING charge can be cancelled.',
    charge_not_revisable:
      'Only a PENDING charge with a due date can be changed, at a provider that changes such charges.',
    revision_in_progress:
      'Another change of the charge has no answer of its provider yet; send the request again later.',
    receipt_not_ready: 'There is no receipt yet: only money that has settled has one.',
    charge_not_retryable:
      'The debit cannot be tried again: the recurrence allows no retries, its provider retries it itself, it is paid or over, or a try is pending; data.reason says which.',
    recurrence_not_active: 'Only an ACTIVE recurrence is charged.',
    cycle_already_charged:
      'The cycle of this day has a charge already; a recurrence is charged once a cycle.',
    recurrence_not_cancellable: 'Only a PENDING, PROCESSING or ACTIVE recurrence can be cancelled.',
    charge_not_refundable: 'Only a PAID or PARTIALLY_REFUNDED charge can be refunded.',
    refund_in_progress: 'Another refund of this charge is in progress; wait for its REFUND event.',
    refund_med_open: 'The charge has an open dispute; it can be refunded after the dispute is closed.',
    refund_period_over: 'The charge was settled more than 90 days ago and can no longer be refunded.',
    deposit_not_returnable:
      'The deposit cannot be returned in whole by its account: some of it was returned already, its provider refused its return, or an operator decides about it.',
    return_in_progress:
      'The deposit is being returned already; read it, or wait for its PIX_TRANSACTION event.',
    return_med_open: 'The deposit has an open dispute; it can be returned after the dispute is closed.',
    return_period_over: 'The deposit was settled more than 90 days ago and can no longer be returned.',
    deposit_not_assignable:
      'The deposit cannot be assigned to a code: it pays a charge already, names a code itself, is or was being returned, is disputed, or was adjusted.',
    qr_code_does_not_fit:
      'The code does not fit the deposit: it has another key or value, is disabled, or its charge is not PENDING or allows other payers.',
    deposit_spent:
      'The available balance does not cover the fee and the splits that the code asks of the deposit; nothing was done.',
    med_already_answered: 'The dispute already has a reply.',
    med_not_answerable: 'Only a PENDING dispute about a received payment accepts a reply.',
    med_already_asked: 'The money of this transfer was asked back already, which PIX allows once for ever.',
    med_period_over: 'The transfer was settled more than 80 days ago and can no longer be disputed.',
    med_not_contestable:
      'Only what was returned by a dispute about a received payment can be contested, once.',
    contest_period_over: 'The money was returned more than 80 days ago; that can no longer be contested.',
    transfer_not_disputable: 'Only a PAID or PARTIALLY_REFUNDED transfer can be disputed.',
    med_not_cancellable:
      'Only a dispute that the account has requested, that its provider has accepted and that is not closed, can be cancelled.',
    insufficient_balance: 'The available balance is less than value plus fees.',
    batch_not_cancellable: 'Only a batch that is DRAFT or PROCESSING can be cancelled.',
    transfer_not_cancellable: 'Only a scheduled transfer that has not been sent can be cancelled.',
    possible_duplicate:
      'The same value was sent to the same receiver a moment ago; send the request with allow_duplicate where it is meant.',
    not_waiting_for_approval: 'It does not wait for an approval: it was decided, cancelled, or has expired.',
    limits_changed: 'The limits were changed meanwhile, and nothing was done. Read them again.',
    external_ref_in_use: 'external_ref is already used by another transfer of the account.',
    receiver_changed:
      'The PIX key belongs to another receiver than when it was looked up; nothing was sent. Look it up again.',
    receiver_mismatch:
      'The receiver of the look-up is not the one that was named; nothing was sent. Use on_mismatch WARN to send all the same.',
    qr_not_payable: 'The PIX code cannot be paid; data.reason says why. Nothing was sent.',
    qr_changed:
      'The PIX code asks something else than when it was read; data.changed names it. Nothing was sent. Read it again.',
    key_blocked_for_fraud: 'The PIX key is marked for fraud; no provider pays it.',
    not_found_after_restore:
      'The operation was requested before a database restore and no provider has it; it will not be executed.',
    webhook_disabled: 'The webhook is DISABLED; set its status to ACTIVE first.',
    resend_in_progress:
      'The event is already being sent; nothing was started. Read the delivery for the outcome of its next attempt.',
    recovery_in_progress:
      'The missed events of this webhook are already being sent; nothing was started. Send the request again later.',
    pix_key_already_registered: 'The PIX key is already registered; use another key.',
    key_in_use:
      'The PIX key is in use by a connection, an open charge or an active QR code and cannot be deleted.',
    reference_in_use: 'The reference is already used by another QR code at this provider; use another one.',
    payment_link_exists: 'The charge has a payment link already; revoke it first, or use it.',
    report_limit: 'At most 20 reports of an account can be PENDING; wait for one, or delete it.',
    report_not_ready: 'Only a READY report has a file; read the report for its status.',
    webhook_limit: 'An account can have at most 20 webhooks; delete one first.',
  },
  413: {
    body_too_large: 'The body is larger than 100 kB; send a smaller one.',
    batch_too_large: 'The batch is larger than 5 MB; split it into several.',
    upload_too_large: 'The files together are larger than 100 MiB; send fewer or smaller ones.',
  },
  415: {
    unsupported_media_type:
      'The content type is not supported; send application/json in UTF-8 (replies to disputes: multipart/form-data).',
  },
  417: {
    expectation_failed: 'The Expect header is not supported; remove it, or send 100-continue.',
  },
  422: {
    validation_failed: 'The request is not valid; see errors for the fields.',
    idempotency_key_reused: 'The Idempotency-Key was already used with another body or token; use a new key.',
    over_limit:
      'A limit of the account does not allow it now; data.error names the limit, what is left of it and when it resets.',
    qr_invalid: 'The PIX code is not valid; errors.payload says what is wrong with it.',
    qr_value_mismatch: 'The PIX code asks another value; leave value out, or send the one that it asks.',
    pix_key_limit: 'An account can have at most 3 PIX keys of each type; delete one first.',
    lookup_not_supported:
      'The provider does not look up PIX keys of others; use another provider_uuid, or none.',
    dispute_not_supported:
      'The provider of the transfer requests no disputes by its API; ask its support, or use its app or panel.',
    key_not_supported:
      'The provider does not support PIX keys of this type; use another type or provider_uuid.',
  },
  429: {
    too_many_attempts:
      'The account requested too many PIX keys or auth codes in a short time; wait for Retry-After.',
    too_many_lookups: 'Too many PIX keys were looked up; wait for Retry-After.',
    lookup_budget_low: 'The provider allows no further look-up of a PIX key now; wait for Retry-After.',
    rate_limited: 'The token exceeded its request limit; wait for Retry-After.',
    too_many_sign_ins: 'Too many sign-in attempts; wait a few minutes.',
  },
  431: {
    headers_too_large: 'The URL and headers together are larger than 16 kB; use fewer filters.',
  },
  500: {
    internal_error:
      'Internal error. Send the request again with the same Idempotency-Key, and report the request_id.',
  },
  503: {
    not_started: 'The operation did not start in time and will not be executed; no provider was called.',
    unavailable:
      'The service is temporarily unavailable. This request started nothing; send it again after Retry-After, with the same Idempotency-Key.',
    overloaded:
      'The service has more operations in progress than it completes in time. This request started nothing; send it again after Retry-After, with the same Idempotency-Key.',
    paused: 'New operations are paused; send the request again after Retry-After.',
    not_confirmed:
      'The result is not known yet; read the resource that data names, or repeat with the same Idempotency-Key.',
    issuing: 'The charge or recurrence is still being made at its provider; read data.uuid.',
    no_provider_available: 'No provider could be reached; send a new request after Retry-After.',
    qr_unreadable:
      'The bank of the PIX code did not answer, so that nothing is known of the code; send the request again after Retry-After.',
    code_undeliverable: 'The service cannot send auth codes to keys of this type; use another type.',
    pix_key_unknown:
      'The provider has not confirmed the operation yet; list the keys, or repeat with the same Idempotency-Key.',
    revision_unknown:
      'The provider has not confirmed the change yet; repeat with the same Idempotency-Key, or read the charge.',
    cancellation_unknown:
      'The provider has not confirmed the cancellation yet; nothing changes until it does.',
  },
} as const
type Messages = typeof MESSAGES

export type ErrorCode = { [Status in keyof Messages]: keyof Messages[Status] }[keyof Messages]
/** Codes of errors whose cause is not the request. */
export type ServerErrorCode = keyof Messages[500] | keyof Messages[503]

export const ERROR_CATALOGUE = Object.fromEntries(
  Object.entries(MESSAGES).flatMap(([status, messages]) =>
    Object.entries(messages).map(([code, message]) => [code, { status: Number(status), message }]),
  ),
) as Record<ErrorCode, { status: number; message: string }>

/** Describes a failure by an error of the catalogue. */
export function failureOf<Code extends ErrorCode>(code: Code): { code: Code; message: string } {
  return { code, message: ERROR_CATALOGUE[code].message }
}
