import { connectionBy } from '../db/connections.ts'
import type { Connection } from '../db/entities/connection.ts'
import { type Failure, Transfer } from '../db/entities/transfer.ts'
import type { EntityManager } from '../db/orm.ts'
import { all, type Question, question } from '../db/questions.ts'
import { REFUSALS } from '../domain/errors.ts'
import { shownInstant } from '../domain/time.ts'
import type { TransferDetails, TransferOrder } from '../workflows/messages.ts'
import type { PixOut } from './move.ts'
import { endUnsent } from './transfers.ts'

/** How a transfer's row is first written. */

/** What is to be known before a transfer's row is written: who is tried first, and whether it comes too late. */
export function openingOf(em: EntityManager, order: TransferOrder): Question<Opening> {
  return all(connectionBy(em, order.candidates[0]!), isTooLate(order))
}
type Opening = [first: Connection | undefined, isTooLate: boolean]

/** Writes its row; one that comes too late or takes a reference twice is FAILED from the beginning. */
export async function openTransfer(
  em: EntityManager,
  order: TransferOrder,
  details: TransferDetails,
  [connection, tooLate]: Opening,
): Promise<PixOut> {
  const why = await whyNotTaken(em, order, { ...details, tooLate })
  const out = { transfer: create(em, order, details, connection!), attempts: [] }
  await em.flush()
  if (why) await endUnsent(em, out, 'not_taken', failureOf(why))
  return out
}

async function whyNotTaken(
  em: EntityManager,
  order: TransferOrder,
  { externalRef, tooLate }: Pick<TransferDetails, 'externalRef'> & { tooLate: boolean },
) {
  if (order.restored) return null // It was taken long ago.
  if (tooLate) return 'not_taken'
  return externalRef !== undefined && (await isTaken(em, order, externalRef)) ? 'external_ref_taken' : null
}

function create(
  em: EntityManager,
  order: TransferOrder,
  details: TransferDetails,
  connection: Connection,
): Transfer {
  const at = new Date(order.restored?.orderedAt ?? Date.now())
  return em.create(Transfer, {
    uuid: order.uuid,
    accountUuid: order.accountUuid,
    connection,
    providerAccountUuid: connection.providerAccountUuid,
    state: 'created',
    valueCents: order.valueCents,
    pixKey: details.pixKey,
    document: details.document,
    externalRef: details.externalRef,
    beneficiaryName: details.finalBeneficiary?.name,
    beneficiaryDocument: details.finalBeneficiary?.document,
    scheduledFor: order.scheduledFor ? new Date(order.scheduledFor) : null,
    history: [{ status: 'PENDING', created_at: shownInstant(at) }],
    requestId: order.requestId,
    fingerprint: details.fingerprint,
    createdAt: at,
    updatedAt: at,
  })
}

/** By PostgreSQL's clock, which the request asked as well. */
function isTooLate({ takeBefore }: TransferOrder): Question<boolean> {
  const sql = 'select now() > ?::timestamptz as late'
  return question(sql, [takeBefore ?? null], ([row]) => row!.late === true)
}

/** SPEC §4, `unique_external_ref`: the account's row is locked, so that of two at once the second finds the first. */
async function isTaken(em: EntityManager, { accountUuid }: TransferOrder, externalRef: string) {
  const policy: object[] = await em.execute(
    'select from account where uuid = ? and unique_external_ref for no key update',
    [accountUuid],
  )
  return policy.length > 0 && (await em.count(Transfer, { accountUuid, externalRef })) > 0
}

/** Why it failed, in the words of the API. */
export function failureOf(
  code:
    | 'not_taken'
    | 'external_ref_taken'
    | 'insufficient_balance'
    | 'no_provider_available'
    | 'not_found_after_restore'
    | 'paused',
): Failure {
  return { code, message: REFUSALS[code].message }
}
