import type { ErrorCode } from './error-catalogue.ts'

/**
 * When each refusal of the catalogue happens, and what a caller does about it: the half of the catalogue that people read
 * (docs/errors.md). A code without a line does not compile.
 */
export const ERROR_GUIDANCE: Record<ErrorCode, string> = {
  malformed_request:
    'What came cannot be read as HTTP, or contradicts itself; nothing was done. Let an HTTP library build it.',
  malformed_json: 'The body cannot be read as JSON, or broke off. Send it again, well formed.',
  malformed_multipart:
    'The form of a dispute’s reply cannot be taken apart, or names no boundary. Let the HTTP library build it.',
  provider_rejected:
    'Every provider that was asked has definitely refused; no money moved. `data.error` says why (below). Final for its Idempotency-Key: a new try needs a new key.',
  unauthenticated:
    'No token, an unknown, revoked or expired one, or its account is blocked. Get a new token; repeating changes nothing.',
  sign_in_refused:
    'Dashboard only: e-mail, password or user is not right, and which of them is never said. Try again, or ask an administrator.',
  account_blocked:
    'The account was blocked after its transfer was ordered and before it was sent: it is stored as FAILED, and no provider was called. In the dashboard: e-mail and password are right, but the account is blocked. Ask whoever runs the service.',
  form_expired:
    'Dashboard only: the form came from another site or an older session. Open the page anew and send it again.',
  token_bound_to_provider:
    'A token that is bound to one provider called what concerns the whole account, as everything under `/webhooks` does. Use a token without a binding.',
  second_operator_needed:
    'Dashboard only: an adjustment of the ledger was approved by the operator who had proposed it. Another operator approves it.',
  link_expired:
    'The signed link to an attachment has run out, or was altered. Read the dispute again: it carries a new one.',
  not_found:
    'Wrong path, no such resource, an id that is no UUID, or one that this token may not see; which of them is never said.',
  method_not_allowed: 'The path is there, but not for this method; `Allow` names those it takes.',
  request_timeout: 'The request came too slowly to be waited for; nothing was done. Send it again.',
  act_stale:
    'Dashboard only: what an operator acted on has changed since the page was shown; nothing was done. The page says how it stands now: decide again.',
  nothing_waits:
    'Dashboard only: what an operator wanted to end or send back was settled meanwhile. Look at the page anew.',
  charge_not_cancellable: 'The charge was paid, expired or cancelled already. Read it to see which.',
  charge_not_refundable:
    'The charge was never paid, or has been refunded whole. Read it; there is nothing to give back.',
  refund_in_progress:
    'Another refund of the charge is on its way, or took the remainder a moment ago. Wait for its REFUND event, then ask again for what is left.',
  refund_med_open:
    'An open dispute holds the money. Wait until the dispute is resolved (MED events); agreeing to it returns the money too.',
  refund_period_over: 'More than 90 days since the settlement. The rail does not carry it any more.',
  med_already_answered: 'The dispute has had its one reply. Read it for what was said.',
  med_not_answerable:
    'The dispute is not PENDING any more, or is one of our own against a transfer. There is nothing to answer.',
  insufficient_balance:
    'The account cannot cover the refund with its fee at the provider that received the charge. Wait for inflows, or refund less. (A transfer without cover is `provider_rejected` with this name in `data.error.code`.)',
  transfer_not_cancellable:
    'The transfer was sent at once, has been sent, or is over. What was sent cannot be called back.',
  external_ref_taken:
    'The account asks for unique `external_ref`s, and another transfer has this one. Find that transfer by its `external_ref` before paying anything again.',
  not_found_after_restore:
    'The service was restored from a backup, and every provider says that this never reached it; it is stored as FAILED, and nobody will do it later. Order it again as a new request.',
  not_taken:
    'No worker took the order in time; it is stored as FAILED, and nobody will send it later. Send it again as a new request.',
  webhook_disabled:
    'The endpoint was disabled by 410, by five days without a success, or by its owner. Mend it, `PATCH` its status to ACTIVE, then ask again.',
  pix_key_taken:
    'Somebody holds this key already: this account, another one here, or one at another bank. A holder may claim it at the rail, not here.',
  key_in_use:
    'A connection collects by this key, or an open charge is paid to it. Wait until the charges are over, or let the connection collect by another key.',
  webhook_limit: 'Twenty endpoints are there. Delete one that nobody needs.',
  body_too_large: 'More than 100 kB of JSON. Nothing here needs as much.',
  upload_too_large: 'The files of a reply together are too large. Send fewer or smaller ones.',
  unsupported_media_type:
    'Another content type than the operation takes, or a compressed body. Send `application/json`, and the reply to a dispute as `multipart/form-data`.',
  headers_too_large:
    'The request line or a header is too long; nothing was done. Ask for less at once, as in a long list of filters.',
  validation_failed:
    'Something in the path, query, headers or body does not fit; `errors` names every field with all that is wrong. Mend it; nothing was stored, and the Idempotency-Key is still free, unless the answer is a replay.',
  idempotency_key_reused:
    'The key belongs to another request: its body or its token’s binding differs. Use a new key for a new wish, and the very same body for a repeat.',
  pix_key_limit: 'Three keys of a type are there. Remove one first.',
  key_not_supported:
    'That provider’s API does not make keys of this type. Name another provider or another type.',
  too_many_attempts:
    'Three tries for a PIX key within a minute, refused ones included. Wait for `Retry-After`.',
  rate_limited:
    'The token spent its requests; `RateLimit` and `RateLimit-Policy` say where it stands. Wait for `Retry-After`.',
  too_many_sign_ins:
    'Dashboard only: too many failures within fifteen minutes, of one e-mail on one device or from one network, or of one network. Wait for `Retry-After`, or sign in on a device that has signed in before.',
  internal_error:
    'A fault of ours. Repeat with the same Idempotency-Key, and tell us the `request_id`: our log has the rest.',
  unavailable:
    'PostgreSQL, Temporal or the storage cannot be reached. Wait for `Retry-After` and repeat, with the same Idempotency-Key where there is one.',
  paused:
    'An operator has paused the service, the account or the provider. What runs goes on. Wait for `Retry-After` and repeat.',
  not_confirmed:
    'The request may have been taken: the answer was lost on our side. Never send it anew without its key: read `data.uuid`, or repeat with the same Idempotency-Key.',
  issuing:
    'No provider has issued the charge within ten seconds, and it is still tried. Read `data.uuid`, or wait for its event.',
  no_provider_available:
    'No provider could be reached; nothing was sent. Stored as FAILED and final for its Idempotency-Key: after `Retry-After` send a new request with a new key.',
  code_undeliverable:
    'This service has no carrier for such codes (`TRILHO_SMTP_URL`, `TRILHO_SMS_URL`). Use another type of key, or ask its operator.',
  pix_key_unknown:
    'The provider got the request and gave no answer. It is asked until known: list the keys, or repeat with the same Idempotency-Key.',
  cancellation_unknown:
    'The provider gave no answer to the cancellation. The charge stays PENDING until it is known: wait for the CANCELLED event, or cancel again.',
}
