/**
 * Catalogue of API errors: a stable code, its HTTP status, a sentence for people (SPEC §1).
 * An error that is not listed here is a bug: the API answers 500 `internal_error` and logs the details.
 */
export const ERROR_CATALOGUE = {
  malformed_request: { status: 400, message: 'The request is not valid HTTP.' },
  malformed_json: { status: 400, message: 'The body is not valid JSON.' },
  malformed_multipart: { status: 400, message: 'The body is not valid multipart/form-data.' },
  provider_rejected: { status: 400, message: 'The provider rejected the operation; see data.error.' },
  unauthenticated: { status: 401, message: 'The access token is missing, unknown, revoked or expired.' },
  sign_in_refused: { status: 401, message: 'The e-mail or the password is wrong.' },
  account_blocked: { status: 403, message: 'The account is blocked; contact the operator of the service.' },
  form_expired: {
    status: 403,
    message: 'The form belongs to another or an expired session; reload the page and submit it again.',
  },
  token_bound_to_provider: {
    status: 403,
    message: 'This operation is not allowed for provider-bound tokens; use a token without a provider.',
  },
  second_operator_needed: {
    status: 403,
    message: 'The operator who proposed an adjustment cannot approve it; another operator must.',
  },
  link_expired: {
    status: 403,
    message: 'The link has expired or was changed; read the dispute again for a new one.',
  },
  not_found: { status: 404, message: 'The resource does not exist.' },
  method_not_allowed: {
    status: 405,
    message: 'The path does not support this method; see the Allow header.',
  },
  request_timeout: { status: 408, message: 'The request took too long to arrive; send it again.' },
  already_settled: { status: 409, message: 'The operation is already settled; reload the page.' },
  act_stale: {
    status: 409,
    message: 'The data changed after the page was loaded; nothing was done. Reload the page.',
  },
  charge_not_cancellable: { status: 409, message: 'Only a PENDING charge can be cancelled.' },
  charge_not_refundable: {
    status: 409,
    message: 'Only a PAID or PARTIALLY_REFUNDED charge can be refunded.',
  },
  refund_in_progress: {
    status: 409,
    message: 'Another refund of this charge is in progress; wait for its REFUND event.',
  },
  refund_med_open: {
    status: 409,
    message: 'The charge has an open dispute; it can be refunded after the dispute is closed.',
  },
  refund_period_over: {
    status: 409,
    message: 'The charge was settled more than 90 days ago and can no longer be refunded.',
  },
  med_already_answered: { status: 409, message: 'The dispute already has a reply.' },
  med_not_answerable: {
    status: 409,
    message: 'Only a PENDING dispute about a received payment accepts a reply.',
  },
  insufficient_balance: { status: 409, message: 'The available balance is less than value plus fees.' },
  transfer_not_cancellable: {
    status: 409,
    message: 'Only a scheduled transfer that has not been sent can be cancelled.',
  },
  external_ref_taken: {
    status: 409,
    message: 'external_ref is already used by another transfer of the account.',
  },
  not_found_after_restore: {
    status: 409,
    message:
      'The operation was requested before a database restore and no provider has it; it will not be executed.',
  },
  not_taken: {
    status: 503,
    message: 'The operation did not start in time and will not be executed; no provider was called.',
  },
  webhook_disabled: {
    status: 409,
    message: 'The webhook is DISABLED; set its status to ACTIVE first.',
  },
  pix_key_taken: { status: 409, message: 'The PIX key is already registered; use another key.' },
  key_in_use: {
    status: 409,
    message: 'The PIX key is in use by a connection or an open charge and cannot be deleted.',
  },
  webhook_limit: { status: 409, message: 'An account can have at most 20 webhooks; delete one first.' },
  body_too_large: { status: 413, message: 'The body is larger than 100 kB; send a smaller one.' },
  upload_too_large: {
    status: 413,
    message: 'The files together are larger than 100 MiB; send fewer or smaller ones.',
  },
  unsupported_media_type: {
    status: 415,
    message:
      'The content type is not supported; send application/json (replies to disputes: multipart/form-data).',
  },
  headers_too_large: {
    status: 431,
    message: 'The URL and headers together are larger than 16 kB; use fewer filters.',
  },
  validation_failed: { status: 422, message: 'The request is not valid; see errors for the fields.' },
  idempotency_key_reused: {
    status: 422,
    message: 'The Idempotency-Key was already used with another body or token; use a new key.',
  },
  pix_key_limit: {
    status: 422,
    message: 'An account can have at most 3 PIX keys of each type; delete one first.',
  },
  key_not_supported: {
    status: 422,
    message: 'The provider does not support PIX keys of this type; use another type or provider_uuid.',
  },
  too_many_attempts: {
    status: 429,
    message: 'An account can request at most 3 PIX keys in 60 seconds; wait for Retry-After.',
  },
  rate_limited: { status: 429, message: 'The token exceeded its request limit; wait for Retry-After.' },
  too_many_sign_ins: { status: 429, message: 'Too many sign-in attempts; wait a few minutes.' },
  internal_error: {
    status: 500,
    message:
      'Internal error. Send the request again with the same Idempotency-Key, and report the request_id.',
  },
  unavailable: {
    status: 503,
    message:
      'The service is temporarily unavailable and nothing was started; send the request again after Retry-After.',
  },
  paused: { status: 503, message: 'New operations are paused; send the request again after Retry-After.' },
  not_confirmed: {
    status: 503,
    message: 'The result is not known yet; read data.uuid or repeat with the same Idempotency-Key.',
  },
  issuing: { status: 503, message: 'The charge is still being issued; read data.uuid.' },
  no_provider_available: {
    status: 503,
    message: 'No provider could be reached; send a new request after Retry-After.',
  },
  code_undeliverable: {
    status: 503,
    message: 'The service cannot send verification codes to keys of this type; use another type.',
  },
  pix_key_unknown: {
    status: 503,
    message:
      'The provider has not confirmed the operation yet; list the keys, or repeat with the same Idempotency-Key.',
  },
  cancellation_unknown: {
    status: 503,
    message: 'The provider has not confirmed the cancellation yet; the charge stays PENDING until it does.',
  },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof ERROR_CATALOGUE
