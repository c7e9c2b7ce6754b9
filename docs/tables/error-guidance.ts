import type { ErrorCode } from '../../src/domain/errors/error-catalogue.ts'

/**
 * When the API answers each error of the catalogue, and what the client does next. Printed into docs/errors.md.
 * A code without guidance does not compile.
 */
export const ERROR_GUIDANCE: Record<ErrorCode, string> = {
  malformed_request:
    'The request is not HTTP, its headers contradict each other, or it has no or several Host headers, which `errors` names. Use an HTTP library to build it.',
  malformed_json:
    'The body is not JSON, is incomplete, or contains a field twice, which `errors` names. Correct it and send it again.',
  malformed_multipart:
    'The form of a dispute reply cannot be parsed, or its content type has no boundary. Use an HTTP library to build it.',
  provider_rejected:
    'Every provider that was called rejected the operation; no money moved. `data.error` has the reason (below). The result is final for its Idempotency-Key: use a new key to try again.',
  unauthenticated:
    'The `Authorization` header is missing, the token is unknown, revoked or expired. Use a valid token.',
  sign_in_refused:
    'Dashboard only: e-mail or password is wrong, or the user does not exist. Correct them, or ask an administrator for a new password.',
  code_refused:
    'Dashboard only: the code of the second factor is wrong or was used before. Wait for the next code, or use a recovery code.',
  last_owner:
    'Dashboard only: an account keeps one owner who can sign in. Give another user the role of owner first.',
  totp_already_enabled:
    'Dashboard only: the user has a second factor already. Disable it before another is enabled.',
  user_limit: 'Dashboard only: the account has 100 users and open invitations. Remove or revoke one first.',
  account_blocked:
    'The operator has blocked the account: charges, transfers, refunds and PIX keys are refused, and nothing was started; reads, cancellations, replies to disputes and webhooks work. With `data`: the account was blocked after the transfer was requested and before it was sent; the transfer is FAILED and no provider was called. In the dashboard: the credentials are right, and the account is blocked. Contact the operator of the service.',
  form_expired:
    'Dashboard only: the form was submitted from another site or after its session ended. Reload the page and submit the form again.',
  token_bound_to_provider:
    'The operation concerns the whole account, and the token is bound to one provider. Use a token without a provider.',
  insufficient_scope:
    'The token lacks the scope of the operation. `data.scopes` lists the scopes that allow it; one is enough. Use another token, or change the scopes of this one.',
  address_not_allowed:
    'The token has a list of IP addresses, and the request came from another one. Call from an address of the list, or change the list.',
  second_operator_needed:
    'Dashboard only: an adjustment of the ledger needs two operators. Ask another operator to approve it.',
  approver_is_maker:
    'Who has ordered it neither approves nor rejects it, by whatever token, dashboard or command: the person behind the token counts. Ask another person; the maker can cancel it.',
  approver_not_allowed:
    'No person who may send money stands behind the token: a program made it, or the user who made it was removed, was disabled, or has another role. Use a token of a user who may send transfers.',
  role_not_allowed:
    'Dashboard only: the role of the user lacks the permission. Ask a user whose role has it, or an owner of the account for another role.',
  link_expired:
    'The signed link of an attachment has expired, or was changed. Read the dispute again for a new link.',
  not_found:
    'The path or the resource does not exist, the id is not a UUID, or the token has no access to the resource. Check the path and the token.',
  key_not_registered:
    'DICT has no such key. The same key is not looked up again for ten minutes. Ask the receiver for the right one.',
  method_not_allowed: 'The path exists, and not for this method. The `Allow` header lists the methods.',
  request_timeout: 'The request did not arrive completely in time; it was not processed. Send it again.',
  act_stale:
    'Dashboard only: the data of the form changed after the page was loaded; nothing was done. Check the new state and decide again.',
  already_settled:
    'Dashboard only: the operation was settled before the operator’s action; nothing was done. Reload the page.',
  charge_not_cancellable:
    'The charge is already paid, expired or cancelled. Read its `status`: CANCELLED also where an earlier request with a lost response cancelled it.',
  charge_not_refundable: 'The charge was never paid, or is completely refunded. Read its `status`.',
  receipt_not_ready:
    'The money of the charge, the transfer or the refund has not settled: it is under way, or did not move. Wait for the event, then read the receipt.',
  charge_not_retryable:
    'A retry of a debit was asked for that its recurrence does not allow, or not now: `data.reason` says why, such as `try_pending`. Nothing was done. Read the charge for its tries.',
  recurrence_not_active:
    'The recurrence is not ACTIVE: its payer has not authorized it yet, or it is over. Nothing was debited. Read the recurrence.',
  cycle_already_charged:
    'The day belongs to a cycle that has a charge, paid or not. Nothing was debited. Use a day of another cycle.',
  recurrence_not_cancellable:
    'The recurrence is over, was not created yet, or its provider refuses to cancel it. Read the recurrence.',
  charge_not_revisable:
    'The charge has no due date, its provider changes no charge, or it is being paid or has ended; a payment that had started came first. Read the charge. For other terms cancel it and create another one.',
  revision_in_progress:
    'An earlier change of the charge was sent to its provider and has no answer yet. Wait for Retry-After, then read the charge and send the change that is still needed.',
  refund_in_progress:
    'Another refund of the charge is PENDING, or has just used the amount that was left. Wait for its REFUND event, then refund what is left.',
  refund_med_open:
    'The amount is blocked by an open dispute. Wait for the MED event that closes it; accepting the dispute also returns the money.',
  refund_period_over:
    'PIX returns a payment within 90 days of its settlement. Pay the payer by a transfer instead.',
  deposit_not_returnable:
    'Some of the deposit was returned already, its provider has refused its return, or an operator decides about it (`return.status` REVIEW). Read the deposit; a part of it is not returned.',
  return_in_progress:
    'The deposit is being returned, perhaps by another request. Read the deposit, or wait for the PIX_TRANSACTION event of the return.',
  return_med_open:
    'The amount is claimed by an open dispute. Wait for the MED event that closes it; accepting the dispute also returns the money.',
  return_period_over: 'PIX returns a payment within 90 days of its settlement.',
  deposit_not_assignable:
    'Read the deposit: `charge_uuid` names the charge that it pays. One that was returned in part, or whose return was ordered, stays a deposit; a disputed one may be assigned once its dispute is closed.',
  qr_code_does_not_fit:
    'Choose an active code of the key that received the deposit, with an open amount or its value, or the code of a PENDING charge that its payer may pay.',
  deposit_spent:
    'The money of the deposit was spent meanwhile. Assign it once the balance at this provider covers the fee and the splits.',
  med_already_answered: 'A dispute accepts one reply. Read the dispute for the reply that was sent.',
  med_not_answerable:
    'The dispute is no longer PENDING, or the account opened it against its own transfer. No reply is needed.',
  med_already_asked:
    'A dispute of the transfer exists, of an earlier request or of the panel of its provider; also a cancelled one counts. List the disputes with `med_type=REQUESTED_MED`.',
  med_period_over:
    'PIX allows a dispute within 80 days of the settlement. Nothing can be asked back by this way any more.',
  med_not_contestable:
    'Nothing was returned by the dispute, it is about a transfer of the account, or its return was contested already. Read the dispute.',
  contest_period_over:
    'PIX allows a return to be contested for 80 days. `contestable_until` of the dispute says until when.',
  transfer_not_disputable:
    'The transfer has not settled, has failed, or came back in whole. Read the transfer.',
  med_not_cancellable:
    'The dispute is closed, is about a payment that was received, or its provider has not accepted the request yet, or refuses to cancel it. Read the dispute.',
  insufficient_balance:
    'The available balance at the provider of the charge is less than the refund plus its fee. Wait for incoming payments, or refund less. A transfer without balance is `provider_rejected` with this code in `data.error.code`.',
  batch_not_cancellable:
    'The batch is COMPLETED or CANCELLED already. Read its `status`: CANCELLED also where an earlier request with a lost response cancelled it.',
  transfer_not_cancellable:
    'The transfer was not scheduled, or was already sent, cancelled or failed. A transfer that was sent cannot be cancelled. Read its `status`: CANCELLED also where an earlier request with a lost response cancelled it.',
  external_ref_in_use:
    'The account requires a unique `external_ref`. Find the existing transfer by its `external_ref` before you send another.',
  over_limit:
    'The transfer or refund exceeds a limit of the account, and no provider was called. `error` of `data` names the `limit`, what was `left` of it, and when it `resets_at`. The result is final for its Idempotency-Key: send less, or later, with a new key. `GET /limits/usage` has what is left.',
  possible_duplicate:
    'A transfer of the same value to the same key was ordered within the seconds of `duplicate_guard`; `data.error.transfer_uuid` is that transfer, and no provider was called for this one. Where both are meant, send the request with `allow_duplicate` and a new Idempotency-Key.',
  not_waiting_for_approval:
    'It was approved, rejected or cancelled already, its time is over, or it never needed an approval. Read its `status`.',
  limits_changed:
    'The limits have another `version` than the request, or do not allow what waits for its approval any more: they were changed meanwhile, and nothing was done. Of an approval `data` names the `limit`. Read them, and decide again.',
  not_found_after_restore:
    'The service was restored from a backup, and every provider confirmed that it does not have the operation. It is FAILED and will not be executed. Send a new request if it is still wanted.',
  receiver_changed:
    'The owner of the key is another one than that of `lookup_uuid`. Look the key up again and decide anew. With `data`: the provider named the other owner before anything was sent, and the transfer is FAILED.',
  receiver_mismatch:
    'The document of the request, or document or name of the look-up, is not the owner’s. Nothing was started. Check whom you pay; `on_mismatch` WARN sends all the same.',
  qr_not_payable:
    '`data.reason`: the code is PAID, REMOVED, EXPIRED or TOO_EARLY by its receiver’s bank; it asks for a recurrence (RECURRENCE, COMPOSITE); or its KEY is no PIX key. Nothing was started. Ask the receiver for another code.',
  qr_changed:
    '`data.changed` names what is not as `read_uuid` has shown it: `receiver`, `value` or `txid`. Nothing was started. Read the code again and decide anew.',
  key_blocked_for_fraud:
    'DICT has marked the key for fraud: look-ups show no owner, and no provider pays it. With `data`: the provider refused the transfer of a look-up, which is FAILED. Use another key.',
  not_started:
    'No worker accepted the operation before its deadline. It is FAILED and will not be executed. Send a new request.',
  resend_in_progress:
    'An attempt of this delivery is being made, or will be within a minute. Read it with `GET …/deliveries`.',
  recovery_in_progress:
    'An earlier recovery of this webhook is running. Repeat the request after it, if events are still missing.',
  webhook_disabled:
    'The endpoint was disabled after an answer 410, after five days without a success, or by its owner. Correct the endpoint, set `status` to ACTIVE with `PATCH`, then repeat the request.',
  lookup_not_supported:
    'The provider of the request, or of the token, or none of the default ones, looks up keys of others. Name another one, or send the transfer without a look-up.',
  too_many_lookups:
    'A token may look up thirty keys in 60 seconds, and an account 3,000 on a day of Brasília, repeats included. Wait for `Retry-After`.',
  lookup_budget_low:
    'The provider gives each account a number of look-ups, and a key that does not exist takes twenty of them. The budget of the provider is shown by `GET /providers/{uuid}`. Wait for `Retry-After`.',
  pix_key_already_registered:
    'The key is registered for this account, for another account, or at another bank. Use another key: portability and ownership claims are not part of this API.',
  key_in_use:
    'A connection receives charges with this key, or an open charge or an active QR code is paid to it. Wait until those charges end, disable the codes, or configure the connection with another key.',
  reference_in_use:
    'Another QR code of this provider account has the reference, which is the txid of its PIX; a disabled code keeps its own. Use another reference, or none.',
  payment_link_exists:
    'The charge has a link that works, which `GET /payment-links?charge_uuid=` shows. Use it, or revoke it and create another.',
  report_limit: 'The account has 20 PENDING reports. Wait for one, or delete one that is not needed.',
  report_not_ready:
    'The report is PENDING, FAILED or EXPIRED, so that it has no file. Read it: after PENDING download again, else order it again.',
  webhook_limit: 'The account has 20 webhooks. Delete one that is not used.',
  body_too_large: 'The JSON body is larger than 100 kB. Send a smaller one.',
  batch_too_large:
    'The batch is larger than 5 MB, JSON or CSV. Split its items into several batches, each with its own Idempotency-Key.',
  upload_too_large: 'The files of a dispute reply exceed the limit together. Send fewer or smaller files.',
  unsupported_media_type:
    'The content type is not the one of the operation, or the body is compressed. Send `application/json` without compression; send replies to disputes as `multipart/form-data`.',
  expectation_failed:
    'The request has an `Expect` header other than `100-continue`; it was not processed. Remove the header.',
  headers_too_large:
    'The request line or a header is too long; the request was not processed. Use fewer filters.',
  validation_failed:
    '`errors` lists every invalid field of path, query, headers and body. Correct them. Nothing was stored, and the Idempotency-Key can be used again, unless the answer has `Idempotent-Replayed: true`.',
  idempotency_key_reused:
    'The key belongs to another request: the body or the provider of the token differs. Use a new key for a new operation, and exactly the same body for a repeat.',
  qr_invalid:
    'The PIX code is broken, or its location does not show a signed charge that can be paid; `errors.payload` says what is wrong. Ask the receiver for another code.',
  qr_unreadable:
    'The bank that shows the charge of the PIX code did not answer in time. Nothing is known of the code. Send the request again after `Retry-After`.',
  qr_value_mismatch:
    'The code has a value of its own, and `value` is another one. Nothing was started. `value` is needed only where the payer chooses it.',
  pix_key_limit: 'The account has 3 keys of this type. Delete one first.',
  dispute_not_supported:
    'The API of the provider that sent the transfer takes no requests for money. Ask it there: in its app, its panel, or of its support.',
  key_not_supported:
    'The API of the provider does not register keys of this type. Use another `type` or another `provider_uuid`.',
  too_many_attempts:
    'The account requested three keys within 60 seconds (failed requests count) or five codes within 60 seconds, or five codes went to the address within an hour. Wait for `Retry-After`.',
  rate_limited:
    'The token used all its requests; `RateLimit` and `RateLimit-Policy` show the limit. Wait for `Retry-After`.',
  too_many_sign_ins:
    'Dashboard only: too many failed sign-ins within 15 minutes for this e-mail or from this network. Wait for `Retry-After`, or use a device that has signed in before.',
  internal_error:
    'A bug of the service; the details are in its log. Repeat with the same Idempotency-Key, and report the `request_id`.',
  unavailable:
    'PostgreSQL, Temporal or the file storage is not reachable. Wait for `Retry-After` and repeat with the same Idempotency-Key.',
  overloaded:
    'More operations are in progress than the service completes in time; reads still work. This request started nothing and left its Idempotency-Key as it was: wait for `Retry-After` and repeat with the same key.',
  paused:
    'An operator paused the service, the account or the provider. Operations that already run continue. Wait for `Retry-After` and repeat.',
  not_confirmed:
    'The operation may have started: the service did not get the result in time. `data` has its ids, where the success response has them: read `data.uuid`, or the refund `data.refund.uuid`; the default providers of the request are `data.PIX`. Read the resource, or repeat with the same Idempotency-Key. Do not send it with a new key.',
  issuing:
    'No provider issued the charge by the deadline of the request (5 s), and the service keeps trying. Read `data.uuid`, or wait for the PAYMENT event.',
  no_provider_available:
    'No provider could be reached; no money moved. The operation is FAILED and final for its Idempotency-Key. After `Retry-After` send a new request with a new key.',
  code_undeliverable:
    'No carrier for this type of key is configured (`TRILHO_SMTP_URL` for e-mail, `TRILHO_SMS_URL` for phone). Use another type of key, or ask the operator of the service.',
  pix_key_unknown:
    'The provider received the request and did not answer. The service polls it until the result is known. List the keys, or repeat with the same Idempotency-Key.',
  revision_unknown:
    'The provider received the change and did not answer. The charge asks what it asked before until the result is known; the provider is asked on. Repeat with the same key, or read the charge: `revision` counts the changes that its provider has accepted.',
  cancellation_unknown:
    'The provider received the cancellation and did not answer. The charge stays PENDING until the result is known. Wait for the CANCELLED event, or cancel again: 409 `charge_not_cancellable` then says that the charge has ended; read its `status`.',
}
