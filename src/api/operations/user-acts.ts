import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import {
  type AuditedAction,
  runAuditedAction,
  toActionAuthor,
} from '../../db/repositories/audited-actions.ts'
import type { ResourceIds } from '../../http/api-error.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import type { OrderAuthor } from '../../workflows/contracts/orders.ts'
import type { CallerToken } from '../authorization/authenticate.ts'

/** What a user of the dashboard can do by an operation of the API. The dashboard names each (`act.…`). */
export type UserAction =
  | 'charge_create'
  | 'charge_cancel'
  | 'charge_revise'
  | 'charge_retry'
  | 'recurrence_create'
  | 'recurrence_cancel'
  | 'qr_code_create'
  | 'qr_code_disable'
  | 'qr_code_read'
  | 'link_create'
  | 'link_revoke'
  | 'refund_create'
  | 'deposit_return_create'
  | 'deposit_assign'
  | 'transfer_create'
  | 'transfer_cancel'
  | 'transfer_approve'
  | 'transfer_reject'
  | 'batch_create'
  | 'batch_approve'
  | 'batch_reject'
  | 'batch_cancel'
  | 'dispute_reply'
  | 'dispute_create'
  | 'dispute_cancel'
  | 'dispute_contest'
  | 'key_lookup'
  | 'pix_key_create'
  | 'pix_key_remove'
  | 'auth_code_create'
  | 'report_create'
  | 'report_delete'
  | 'report_schedules_change'
  | 'account_defaults'
  | 'limits_change'
  | 'callout_rotate'
  | 'webhook_create'
  | 'webhook_change'
  | 'webhook_rotate'
  | 'webhook_remove'
  | 'webhook_recover'
  | 'webhook_test'
  | 'webhook_resend'

/** Returns who orders by a token, as the row of the order stores it; the session of a user has the user's uuid. */
export function orderAuthorOf({ uuid, number, author }: CallerToken): OrderAuthor {
  if (author !== undefined) return { userUuid: uuid }
  return number === undefined ? {} : { tokenNumber: number }
}

/** An act, and who asks for it: the author of `token`, which an API token does not have. */
export type UserAct = {
  token: Pick<CallerToken, 'accountUuid' | 'author'>
  action: UserAction
  /** The object, as its page finds it: `charge/<uuid>`. */
  subject: string
}

/**
 * Runs the work of an act, and records the user of the dashboard who acts in its transaction; without work, in one that is
 * committed before a workflow is called. Records nothing for an API token, which the rows of its requests name
 * (`orderAuthorOf`).
 */
export function runUserAct<T = void>(
  em: EntityManager,
  { token, ...act }: UserAct & Pick<AuditedAction<T>, 'work' | 'hasChanged'>,
): Promise<T> {
  const { author, accountUuid } = token
  if (author === undefined) return Promise.resolve(act.work?.(em) as T)
  return runAuditedAction(em, { by: toActionAuthor({ email: author, accountUuid }), ...act })
}

type DirectWrite<T> = { ids: ResourceIds | null; act: UserAct; hasChanged?(result: T): boolean }

/**
 * Runs a write that no workflow makes, in one transaction. It is committed only while the request has time left (SPEC §1);
 * otherwise it is rolled back and the request fails with `unavailable`. An outage from the COMMIT on fails the request with
 * `not_confirmed` and `ids` (`RequestDeadline`). The way in which a route writes rows; its exceptions are listed in
 * test/architecture/single-writers.test.ts. `act`: what it is for a user of the dashboard, recorded in the transaction unless
 * `hasChanged` says that the write found nothing to do.
 */
export function writeDirectly<T>(
  em: EntityManager,
  { ids, act, hasChanged }: DirectWrite<T>,
  write: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  return runInTransaction(em, async tx => {
    const result = await runUserAct(tx, { ...act, work: write, ...(hasChanged && { hasChanged }) })
    await tx.flush() // The writes are answered before the deadline allows the commit.
    getRequestDeadline().markStarted(ids, 'postgres')
    return result
  })
}
