import { randomUUID } from 'node:crypto'
import { LockMode } from '@mikro-orm/core'
import { Attempt } from '../db/entities/attempt.ts'
import { Movement } from '../db/entities/movement.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { post } from '../db/post.ts'
import { referenceOf } from '../domain/identifiers.ts'
import { returnFailed, returnHeld, returnSettled } from '../domain/ledger.ts'
import type { Sending } from '../domain/provider.ts'
import { announceMovement, type LeftToDo, leftToDo } from './announce.ts'
import { tellBreaker } from './breaker.ts'
import { reach } from './connections.ts'
import type { Dependencies } from './dependencies.ts'

/** What is known of money on its way out. */
export type Sent =
  | (LeftToDo & { kind: 'settled' })
  | { kind: 'in_process' }
  | { kind: 'rejected'; code: string }
  | { kind: 'unreachable'; code: string }
  /** It may have arrived: only the same provider can tell, asked by our id. */
  | { kind: 'unknown'; code: string }
export type Asked = Sent | { kind: 'absent'; settleWindowMs: number }

/** `again`: its absence at the provider is proved, so the same id may be sent once more. */
export type ReturnOrder = { movementUuid: string; again: boolean }

/**
 * Sends an unmatched PIX back to its payer, through the provider that received it (SPEC §2). The attempt and its hold
 * are stored before the call; an attempt found in the middle of one is never sent again, only asked about.
 */
export function sendReturn(dependencies: Dependencies) {
  return async ({ movementUuid, again }: ReturnOrder): Promise<Sent> => {
    const em = dependencies.orm.em.fork()
    const { begun, original, attempt } = await inTransaction(dependencies.orm, tx =>
      begin(tx, { movementUuid, again }),
    )
    if (!begun) return { kind: 'unknown', code: 'interrupted' }
    const { provider } = await reach(dependencies, em, attempt.connectionUuid)
    const outcome = await provider.refund({
      id: attempt.reference,
      endToEnd: original.endToEnd!,
      cents: original.valueCents,
    })
    await tellBreaker(em, attempt.connectionUuid, outcome)
    if (outcome.kind === 'accepted') return record(dependencies, movementUuid, outcome.sending)
    return inTransaction(dependencies.orm, async tx => {
      const stored = await lockReturn(tx, movementUuid)
      stored.attempt.state = outcome.kind
      stored.attempt.code = outcome.code
      stored.attempt.message = outcome.message
      if (outcome.kind === 'unknown') stored.attempt.unknownSince ??= new Date()
      else await release(tx, stored, outcome.kind === 'rejected' ? 'not_returned' : 'held')
      return { kind: outcome.kind, code: outcome.code }
    })
  }
}

/** Asks the provider what became of a return, by our id. */
export function askReturn(dependencies: Dependencies) {
  return async ({ movementUuid }: { movementUuid: string }): Promise<Asked> => {
    const em = dependencies.orm.em.fork()
    const original = await em.findOneOrFail(Movement, movementUuid)
    const attempt = await em.findOne(Attempt, { operation: 'return', subjectUuid: movementUuid })
    if (!attempt) return { kind: 'unreachable', code: 'never_begun' }
    const { connection, provider } = await reach(dependencies, em, attempt.connectionUuid)
    const found = await provider.findRefund({ id: attempt.reference, endToEnd: original.endToEnd! })
    await tellBreaker(em, attempt.connectionUuid, found)
    if (found.kind === 'no_answer') return { kind: 'unknown', code: found.code }
    if (found.kind === 'not_found') return { kind: 'absent', settleWindowMs: connection.settleWindowMs }
    return record(dependencies, movementUuid, found.sending)
  }
}

type Return = { original: Movement; out: Movement; attempt: Attempt }

/** Writes the attempt and the hold; `begun` is false where an earlier call may already have left. */
async function begin(em: EntityManager, { movementUuid, again }: ReturnOrder) {
  const original = await em.findOneOrFail(Movement, movementUuid, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const earlier = await em.findOne(Attempt, { operation: 'return', subjectUuid: movementUuid })
  if (original.disposition === 'returning') {
    if (again && earlier) earlier.state = 'calling'
    return { begun: again, original, attempt: earlier! }
  }
  const at = new Date()
  const attempt = earlier ?? newAttempt(em, original)
  attempt.state = 'calling'
  original.disposition = 'returning'
  original.updatedAt = at
  const out = em.create(Movement, {
    uuid: randomUUID(),
    accountUuid: original.accountUuid,
    providerAccountUuid: original.providerAccountUuid,
    connectionUuid: original.connectionUuid,
    type: 'EXTERNAL_REFUND',
    movementType: 'OUT',
    valueCents: original.valueCents,
    status: 'PENDING',
    sender: original.receiver,
    receiver: original.sender,
    chargeUuid: original.chargeUuid,
    originalUuid: original.uuid,
    createdAt: at,
    updatedAt: at,
  })
  await em.flush()
  await post(em, original.providerAccountUuid, [
    { movementUuid: out.uuid, legs: returnHeld(original.accountUuid, original.valueCents) },
  ])
  return { begun: true, original, attempt }
}

function newAttempt(em: EntityManager, original: Movement): Attempt {
  return em.create(Attempt, {
    uuid: randomUUID(),
    operation: 'return',
    subjectUuid: original.uuid,
    connectionUuid: original.connectionUuid!,
    providerAccountUuid: original.providerAccountUuid,
    position: 0,
    reference: referenceOf(original.uuid),
    state: 'calling',
  })
}

async function lockReturn(em: EntityManager, movementUuid: string): Promise<Return> {
  const original = await em.findOneOrFail(Movement, movementUuid, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const attempt = await em.findOneOrFail(Attempt, { operation: 'return', subjectUuid: movementUuid })
  const out = await em.findOneOrFail(
    Movement,
    { originalUuid: movementUuid, type: 'EXTERNAL_REFUND' },
    { orderBy: { createdAt: 'desc' } },
  )
  return { original, out, attempt }
}

/** Takes the provider's word: settled and rejected are final, in process is not. */
function record(dependencies: Dependencies, movementUuid: string, sending: Sending): Promise<Sent> {
  return inTransaction(dependencies.orm, async tx => {
    const stored = await lockReturn(tx, movementUuid)
    const { attempt, out } = stored
    if (out.status === 'SETTLED') return { kind: 'settled', ...(await leftToDo(tx, movementUuid)) }
    attempt.endToEnd = sending.endToEnd
    attempt.unknownSince = null
    switch (sending.status) {
      case 'in_process':
        attempt.state = 'accepted'
        return { kind: 'in_process' }
      case 'rejected':
        attempt.state = 'rejected'
        attempt.code = sending.code ?? 'rejected'
        if (out.status === 'PENDING') await release(tx, stored, 'not_returned')
        return { kind: 'rejected', code: attempt.code }
      case 'settled':
        await settle(tx, stored, sending)
        return { kind: 'settled', ...(await leftToDo(tx, movementUuid)) }
    }
  })
}

/** Nothing left: the money is back where it was. */
async function release(em: EntityManager, { original, out }: Return, disposition: 'held' | 'not_returned') {
  const at = new Date()
  original.disposition = disposition
  original.updatedAt = at
  out.status = 'FAILED'
  out.updatedAt = at
  await em.flush()
  await post(em, original.providerAccountUuid, [
    { movementUuid: out.uuid, legs: returnFailed(original.accountUuid, original.valueCents) },
  ])
}

async function settle(em: EntityManager, { original, out, attempt }: Return, sending: Sending) {
  const at = new Date()
  attempt.state = 'settled'
  original.disposition = 'returned'
  original.updatedAt = at
  out.status = 'SETTLED'
  out.endToEnd = sending.endToEnd
  out.settledAt = sending.at ? new Date(sending.at) : at
  out.updatedAt = at
  await em.flush()
  await post(em, original.providerAccountUuid, [
    { movementUuid: out.uuid, legs: returnSettled(original.accountUuid, original.valueCents) },
  ])
  await announceMovement(em, out, { lifeUuid: original.uuid, requestId: original.uuid, at })
}
