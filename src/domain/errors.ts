/**
 * The catalogue of refusals: one stable code, one HTTP status, one sentence for people (SPEC §1).
 * Everything that is not here is a bug of ours and answers 500 without its internals.
 */
export const REFUSALS = {
  malformed_json: { status: 400, message: 'The body is not valid JSON.' },
  provider_rejected: { status: 400, message: 'The provider refused the operation.' },
  unauthenticated: { status: 401, message: 'The access token is missing, unknown, revoked or expired.' },
  token_bound_to_provider: {
    status: 403,
    message: 'This operation is not allowed for provider-bound tokens.',
  },
  not_found: { status: 404, message: 'There is no such resource.' },
  method_not_allowed: { status: 405, message: 'This path does not take that method.' },
  charge_not_cancellable: { status: 409, message: 'Only a PENDING charge can be cancelled.' },
  charge_not_refundable: {
    status: 409,
    message: 'Only a PAID or PARTIALLY_REFUNDED charge can be refunded.',
  },
  refund_in_progress: { status: 409, message: 'Another refund of this charge is on its way.' },
  refund_med_open: { status: 409, message: 'A dispute is open on this charge.' },
  refund_period_over: { status: 409, message: 'A charge can be refunded within 90 days of its settlement.' },
  insufficient_balance: { status: 409, message: 'The available balance does not cover value and fees.' },
  transfer_not_cancellable: {
    status: 409,
    message: 'Only a transfer that waits for its time can be cancelled.',
  },
  external_ref_taken: { status: 409, message: 'Another transfer of the account has this external_ref.' },
  not_taken: { status: 503, message: 'The transfer was not taken in time; nobody was called.' },
  webhook_limit: { status: 409, message: 'An account has at most 20 webhooks.' },
  body_too_large: { status: 413, message: 'The body is larger than 100 kB.' },
  unsupported_media_type: { status: 415, message: 'The body must be application/json.' },
  validation_failed: { status: 422, message: 'The request is not valid.' },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used with another body or token.',
  },
  rate_limited: { status: 429, message: 'Too many requests for this token.' },
  internal_error: { status: 500, message: 'Something went wrong on our side.' },
  unavailable: { status: 503, message: 'The service cannot be reached right now; nothing was started.' },
  not_confirmed: {
    status: 503,
    message:
      'It is not known yet whether this was taken; read data.uuid or repeat with the same Idempotency-Key.',
  },
  issuing: { status: 503, message: 'The charge is still being issued; read data.uuid.' },
  no_provider_available: { status: 503, message: 'No provider could be reached.' },
  cancellation_unknown: {
    status: 503,
    message: 'The provider has not answered; the charge stays PENDING and is asked until known.',
  },
} as const satisfies Record<string, { status: number; message: string }>

export type RefusalCode = keyof typeof REFUSALS
