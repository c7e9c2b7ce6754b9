import { attemptsOf, type NamedAttempt } from '../db/attempts.ts'
import { Connection } from '../db/entities/connection.ts'
import { type Failure, Transfer } from '../db/entities/transfer.ts'
import { findAlone } from '../db/lock.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { REFUSALS } from '../domain/errors.ts'
import { shownInstant } from '../domain/time.ts'
import { transfer as life, type TransferState } from '../domain/transfer.ts'
import { acceptedTransfer } from '../wire/transfer.ts'
import type { Restored, TransferDetails, TransferOrder } from '../workflows/messages.ts'
import { announceTransfer } from './announce.ts'
import type { Dependencies } from './dependencies.ts'
import { type LeftToDo, leftToDoOf } from './left-to-do.ts'
import { behindTheGate, lockTransfer, moveTransfer } from './move.ts'
import { type Outgoing, type SendOrder, type Sent, sendBy } from './outgoing.ts'
import { endUnsent, pixOut } from './transfers.ts'

/** Where a transfer stands; `lastConnection` is whom to ask about it. */
export type TransferNow = LeftToDo & { state: TransferState; connectionUuid: string }

/** `candidates`: what lives that began before were told here, those behind an open breaker last. */
export type StoredTransfer = TransferNow & { candidates?: string[] }

/** Stores a transfer's order; one that comes too late or takes a reference twice is stored FAILED: nobody is called (SPEC §4). */
export function storeTransfer({ orm, sealer }: Dependencies) {
  return (order: TransferOrder): Promise<StoredTransfer> =>
    inTransaction(orm, async em => {
      const stored = await em.findOne(Transfer, order.uuid, { populate: ['connection'] })
      if (stored) return now(em, stored)
      const transfer = await openTransfer(em, order, sealer.open(order.details))
      if (order.scheduledFor && !life.isOver(transfer.state))
        transfer.accepted = acceptedTransfer(transfer, [])
      if (order.restored) await endAsBefore(em, transfer, order.restored)
      return now(em, transfer)
    })
}

/** What a sending is told; `order` where its row may not be there yet, and is written with its first attempt. */
export type TransferSending = SendOrder & { order?: TransferOrder }

/** Sends a transfer through one provider, and stores it first where nobody has. */
export function sendTransfer(dependencies: Dependencies) {
  return ({ order, ...sending }: TransferSending): Promise<Sent> =>
    sendBy(dependencies, order ? newPixOut(dependencies, order) : pixOut)(sending)
}

/** A PIX Out whose row is written by whoever locks it first. */
function newPixOut({ sealer }: Dependencies, order: TransferOrder): Outgoing<Transfer> {
  return {
    ...pixOut,
    async lock(em, uuid) {
      const stored = await findAlone(em, Transfer, uuid)
      return behindTheGate(em, stored ?? (await openTransfer(em, order, sealer.open(order.details))))
    },
  }
}

/** Writes its row; one that comes too late or takes a reference twice is FAILED from the beginning. */
async function openTransfer(
  em: EntityManager,
  order: TransferOrder,
  details: TransferDetails,
): Promise<Transfer> {
  const why = await whyNotTaken(em, order, details)
  const transfer = await create(em, order, details)
  await em.flush()
  if (why) await endUnsent(em, transfer, 'not_taken', failureOf(why))
  return transfer
}

/** Its life had ended before anybody was called for it. */
async function endAsBefore(em: EntityManager, transfer: Transfer, { ended }: Restored): Promise<void> {
  if (ended === 'cancelled') await endUnsent(em, transfer, 'cancelled', null)
  if (ended === 'expired') await endUnsent(em, transfer, 'never_sent', null)
}

async function whyNotTaken(em: EntityManager, order: TransferOrder, { externalRef }: TransferDetails) {
  if (order.restored) return null // It was taken long ago.
  if (await isTooLate(em, order)) return 'not_taken'
  return externalRef !== undefined && (await isTaken(em, order, externalRef)) ? 'external_ref_taken' : null
}

async function create(em: EntityManager, order: TransferOrder, details: TransferDetails): Promise<Transfer> {
  const connection = await em.findOneOrFail(Connection, order.candidates[0]!)
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
async function isTooLate(em: EntityManager, { takeBefore }: TransferOrder): Promise<boolean> {
  if (!takeBefore) return false
  const [row]: { late: boolean }[] = await em.execute('select now() > ?::timestamptz as late', [takeBefore])
  return row?.late ?? false
}

/** SPEC §4, `unique_external_ref`: the account's row is locked, so that of two at once the second finds the first. */
async function isTaken(em: EntityManager, { accountUuid }: TransferOrder, externalRef: string) {
  const policy: object[] = await em.execute(
    'select from account where uuid = ? and unique_external_ref for no key update',
    [accountUuid],
  )
  return policy.length > 0 && (await em.count(Transfer, { accountUuid, externalRef })) > 0
}

/** Nobody took it: FAILED with the reason that the attempts add up to. */
export function failTransfer({ orm }: Dependencies) {
  return (uuid: string): Promise<TransferNow> =>
    inTransaction(orm, async em => {
      const transfer = await lockTransfer(em, uuid)
      if (life.accepts(transfer.state, 'refused')) {
        await endUnsent(em, transfer, 'refused', whyNobody(await attemptsOf(em, uuid)))
      }
      return now(em, transfer)
    })
}

/** Ends a transfer that was waiting for its time. */
export function endWaiting({ orm }: Dependencies) {
  return ({ uuid, event }: { uuid: string; event: 'cancelled' | 'never_sent' }): Promise<TransferNow> =>
    inTransaction(orm, async em => {
      const transfer = await lockTransfer(em, uuid)
      if (life.accepts(transfer.state, event)) {
        const at = new Date()
        moveTransfer(transfer, event, at)
        await announceTransfer(em, transfer, { at })
      }
      return now(em, transfer)
    })
}

export function transferNow({ orm }: Dependencies) {
  return async (uuid: string): Promise<TransferNow> => {
    const em = orm.em.fork()
    return now(em, await em.findOneOrFail(Transfer, uuid, { populate: ['connection'] }))
  }
}

async function now(em: EntityManager, transfer: Transfer): Promise<TransferNow> {
  return {
    state: transfer.state,
    connectionUuid: transfer.connection.uuid,
    ...(await leftToDoOf(em, transfer)),
  }
}

/** SPEC §4: unreachable anywhere is no provider; too little everywhere is the balance; else the last refusal decides. */
export function whyNobody(attempts: NamedAttempt[]): Failure {
  if (attempts.some(({ attempt }) => attempt.code === 'not_found_after_restore'))
    return failureOf('not_found_after_restore')
  const unreached = attempts.filter(({ attempt }) => attempt.state === 'unreachable')
  if (unreached.length > 0)
    return failureOf(
      unreached.every(({ attempt }) => attempt.code === 'paused') ? 'paused' : 'no_provider_available',
    )
  const refusals = attempts.filter(({ attempt }) => attempt.code !== 'insufficient_balance')
  const last = refusals.at(-1)
  if (!last) return failureOf('insufficient_balance')
  return {
    code: last.attempt.code ?? 'provider_rejected',
    message: last.attempt.message ?? REFUSALS.provider_rejected.message,
    provider: last.provider,
    ...(last.attempt.providerCode && { provider_code: last.attempt.providerCode }),
  }
}

function failureOf(
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
