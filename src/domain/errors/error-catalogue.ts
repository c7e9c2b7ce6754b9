/**
 * The catalogue of refusals: one stable code, one HTTP status, one sentence for people (SPEC §1).
 * Everything that is not here is a bug of ours and answers 500 without its internals.
 */
export const ERROR_CATALOGUE = {
  malformed_request: { status: 400, message: 'The request is not valid HTTP.' },
  malformed_json: { status: 400, message: 'The body is not valid JSON.' },
  malformed_multipart: { status: 400, message: 'The body is not valid multipart/form-data.' },
  provider_rejected: { status: 400, message: 'The provider refused the operation.' },
  unauthenticated: { status: 401, message: 'The access token is missing, unknown, revoked or expired.' },
  sign_in_refused: { status: 401, message: 'E-mail or password is wrong.' },
  account_blocked: { status: 403, message: 'The account is blocked.' },
  form_expired: { status: 403, message: 'The form is not of this session, or older than it; send it again.' },
  token_bound_to_provider: {
    status: 403,
    message: 'This operation is not allowed for provider-bound tokens.',
  },
  second_operator_needed: {
    status: 403,
    message: 'Another operator than the one who proposed it has to approve it.',
  },
  link_expired: { status: 403, message: 'This link is not valid any more; read its resource for a new one.' },
  not_found: { status: 404, message: 'There is no such resource.' },
  method_not_allowed: { status: 405, message: 'This path does not take that method.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  nothing_waits: { status: 409, message: 'This operation was already settled.' },
  act_stale: { status: 409, message: 'This has changed since the page was loaded; nothing was done.' },
  charge_not_cancellable: { status: 409, message: 'Only a PENDING charge can be cancelled.' },
  charge_not_refundable: {
    status: 409,
    message: 'Only a PAID or PARTIALLY_REFUNDED charge can be refunded.',
  },
  refund_in_progress: { status: 409, message: 'Another refund of this charge is on its way.' },
  refund_med_open: { status: 409, message: 'A dispute is open on this charge.' },
  refund_period_over: { status: 409, message: 'A charge can be refunded within 90 days of its settlement.' },
  med_already_answered: { status: 409, message: 'This dispute has been answered already.' },
  med_not_answerable: {
    status: 409,
    message: 'Only a PENDING dispute about money received takes a reply.',
  },
  insufficient_balance: { status: 409, message: 'The available balance does not cover value and fees.' },
  transfer_not_cancellable: {
    status: 409,
    message: 'Only a transfer that waits for its time can be cancelled.',
  },
  external_ref_taken: { status: 409, message: 'Another transfer of the account has this external_ref.' },
  not_found_after_restore: {
    status: 409,
    message:
      'It was ordered before the database was restored, and no provider has it; it will not be carried out.',
  },
  not_taken: { status: 503, message: 'It was not accepted in time; no provider was called.' },
  webhook_disabled: {
    status: 409,
    message: 'The webhook is DISABLED; set its status to ACTIVE first.',
  },
  pix_key_taken: { status: 409, message: 'This PIX key is registered already.' },
  key_in_use: {
    status: 409,
    message: 'This PIX key collects for a provider, or an open charge is paid to it.',
  },
  webhook_limit: { status: 409, message: 'An account has at most 20 webhooks.' },
  body_too_large: { status: 413, message: 'The body is larger than 100 kB.' },
  upload_too_large: { status: 413, message: 'The files together are larger than 100 MiB.' },
  unsupported_media_type: {
    status: 415,
    message:
      'The body must have the content type of this operation: application/json unless it says otherwise.',
  },
  headers_too_large: { status: 431, message: 'URL and headers together are larger than 16 kB.' },
  validation_failed: { status: 422, message: 'The request is not valid.' },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used with another body or token.',
  },
  pix_key_limit: { status: 422, message: 'An account has at most 3 PIX keys of a type.' },
  key_not_supported: { status: 422, message: 'The provider does not make PIX keys of this type.' },
  too_many_attempts: { status: 429, message: 'An account asks for a PIX key at most 3 times in 60 seconds.' },
  rate_limited: { status: 429, message: 'Too many requests for this token.' },
  too_many_sign_ins: { status: 429, message: 'Too many attempts to sign in; wait a few minutes.' },
  internal_error: { status: 500, message: 'Something went wrong on our side.' },
  unavailable: { status: 503, message: 'The service is not available right now; nothing was started.' },
  paused: { status: 503, message: 'New operations are paused; running ones continue.' },
  not_confirmed: {
    status: 503,
    message:
      'It is not known yet whether this was accepted; read data.uuid or repeat with the same Idempotency-Key.',
  },
  issuing: { status: 503, message: 'The charge is still being issued; read data.uuid.' },
  no_provider_available: { status: 503, message: 'No provider could be reached.' },
  code_undeliverable: { status: 503, message: 'Codes cannot be sent to addresses of this type here.' },
  pix_key_unknown: {
    status: 503,
    message:
      'The provider has not answered and is polled until it does; list the keys, or repeat with the same Idempotency-Key.',
  },
  cancellation_unknown: {
    status: 503,
    message: 'The provider has not answered and is polled until it does; the charge stays PENDING.',
  },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof ERROR_CATALOGUE
