import { randomUUID } from 'node:crypto'
import { Attempt } from '../db/entities/attempt.ts'
import { Charge, Split } from '../db/entities/charge.ts'
import { Connection } from '../db/entities/connection.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import type { ChargeState } from '../domain/charge.ts'
import { feeOf } from '../domain/money.ts'
import type { IssuedCharge } from '../domain/provider.ts'
import type { ChargeDetails, ChargeOrder } from '../workflows/messages.ts'
import { announceCharge, type LeftToDo, leftToDo } from './announce.ts'
import { inOrderOfTrust, tellBreaker } from './breaker.ts'
import { partyOf, reach } from './connections.ts'
import type { Dependencies } from './dependencies.ts'
import { beginAttempt, leaveCandidate, orphanTheRest } from './issue-attempts.ts'
import { lockCharge, moveCharge } from './move.ts'

/** Where a charge stands after issuing; `orphans` are attempts whose payload may exist and must be cancelled. */
export type Issued = LeftToDo & {
  state: ChargeState
  connectionUuid: string
  /** ISO 8601 UTC, null where nobody could issue. */
  expiresAt: string | null
  orphans: string[]
}

/**
 * Stores the charge, then asks its candidates in order for a payload until one gives it (SPEC §2). Each candidate's
 * attempt is a row before its call. An unknown outcome does not stop the next provider, because a payload that nobody
 * was shown cannot be paid: the attempt becomes an orphan. Safe to repeat after a crash: the same id asks again.
 */
export function issueCharge(dependencies: Dependencies) {
  return async (order: ChargeOrder): Promise<Issued> => {
    const em = dependencies.orm.em.fork()
    const candidates = await inOrderOfTrust(em, order.candidates)
    const charge = await storeOrder(em, order, dependencies.sealer.open<ChargeDetails>(order.details))
    if (charge.state !== 'issuing') return issuedAs(em, charge)
    for (const connectionUuid of candidates) {
      const issued = await issueThrough(dependencies, { charge, connectionUuid })
      if (issued) return issued
    }
    return inTransaction(dependencies.orm, tx => giveUp(tx, order.uuid))
  }
}

/** Writes the charge, its splits and nothing else; a repeat finds them there. */
async function storeOrder(em: EntityManager, order: ChargeOrder, details: ChargeDetails): Promise<Charge> {
  const stored = await em.findOne(Charge, order.uuid, { populate: ['connection'] })
  if (stored) return stored
  const at = new Date()
  const connection = await em.findOneOrFail(Connection, order.candidates[0]!)
  const charge = em.create(Charge, {
    uuid: order.uuid,
    accountUuid: order.accountUuid,
    connection,
    providerAccountUuid: connection.providerAccountUuid,
    state: 'issuing',
    valueCents: order.valueCents,
    totalCents: order.valueCents,
    externalRef: details.externalRef,
    beneficiaryName: details.finalBeneficiary?.name,
    beneficiaryDocument: details.finalBeneficiary?.document,
    paymentUuid: randomUUID(),
    expiresInSeconds: order.expiresInSeconds,
    history: [],
    requestId: order.requestId,
    fingerprint: details.fingerprint,
    createdAt: at,
    updatedAt: at,
  })
  details.splits.forEach((split, position) => {
    em.create(Split, {
      uuid: randomUUID(),
      charge,
      position,
      type: split.type,
      amount: split.amount,
      recipient: split.recipientAccountUuid,
    })
  })
  await em.flush()
  return charge
}

type Candidate = { charge: Charge; connectionUuid: string }

/** Asks one candidate, unless an earlier run of this activity has its answer. Null: the next one, please. */
async function issueThrough(dependencies: Dependencies, candidate: Candidate): Promise<Issued | null> {
  const em = dependencies.orm.em.fork()
  const { connection, provider } = await reach(dependencies, em, candidate.connectionUuid)
  const begun = await beginAttempt(dependencies, { chargeUuid: candidate.charge.uuid, connection })
  if (!begun) return issuedMeanwhile(em, candidate.charge.uuid)
  const { attempt } = begun
  if (attempt.state !== 'calling') return null
  const feeCents =
    candidate.charge.valueCents === 0 ? 0 : feeOf(candidate.charge.valueCents, connection.fees.charge)
  const outcome = await provider.issueCharge({
    reference: attempt.reference,
    totalCents: candidate.charge.valueCents + feeCents,
    expiresInSeconds: candidate.charge.expiresInSeconds,
    collectionKey: connection.collectionKey ?? null,
  })
  await tellBreaker(em, connection.uuid, outcome)
  if (outcome.kind === 'accepted')
    return inTransaction(dependencies.orm, tx => open(tx, { attempt, feeCents, issued: outcome.charge }))
  await leaveCandidate(dependencies, begun, outcome)
  return null
}

/** Another run of this activity was faster. */
async function issuedMeanwhile(em: EntityManager, chargeUuid: string): Promise<Issued> {
  return issuedAs(em, await em.findOneOrFail(Charge, chargeUuid, { populate: ['connection'], refresh: true }))
}

type Opening = { attempt: Attempt; feeCents: number; issued: IssuedCharge }

/** The payload is there: the charge is pending from here on, carried by the connection that issued it. */
async function open(
  em: EntityManager,
  { attempt: { uuid, subjectUuid }, ...opening }: Opening,
): Promise<Issued> {
  const { feeCents, issued } = opening
  const charge = await lockCharge(em, subjectUuid)
  const attempt = await em.findOneOrFail(Attempt, uuid)
  if (charge.state !== 'issuing') {
    // Another run of this activity was faster: what this one was given is not what was shown.
    if (attempt.state !== 'accepted') attempt.state = 'orphan'
    return issuedAs(em, charge)
  }
  const connection = await em.findOneOrFail(Connection, attempt.connectionUuid)
  charge.connection = connection
  charge.providerAccountUuid = connection.providerAccountUuid
  charge.feeCents = feeCents
  charge.totalCents = charge.valueCents + feeCents
  charge.payload = issued.payload
  charge.txid = issued.txid
  charge.pixKey = issued.pixKey
  charge.receiver = partyOf(connection) ?? issued.receiver
  charge.expiresAt = new Date(issued.expiresAt)
  attempt.state = 'accepted'
  await orphanTheRest(em, charge.uuid)
  moveCharge(charge, 'issued', new Date())
  return issuedAs(em, charge)
}

async function giveUp(em: EntityManager, chargeUuid: string): Promise<Issued> {
  const charge = await lockCharge(em, chargeUuid)
  if (charge.state !== 'issuing') return issuedAs(em, charge)
  await orphanTheRest(em, chargeUuid)
  const attempts = await em.find(
    Attempt,
    { operation: 'issue', subjectUuid: chargeUuid },
    { orderBy: { position: 'asc' } },
  )
  const connections = await em.find(Connection, {
    uuid: { $in: attempts.map(attempt => attempt.connectionUuid) },
  })
  const at = new Date()
  charge.failure = {
    code: attempts.every(attempt => attempt.state === 'rejected')
      ? 'provider_rejected'
      : 'no_provider_available',
    attempts: attempts.map(attempt => ({
      provider: connections.find(one => one.uuid === attempt.connectionUuid)?.provider ?? '',
      outcome: attempt.state === 'orphan' ? 'unknown' : attempt.state,
      code: attempt.code ?? '',
    })),
  }
  moveCharge(charge, 'nobody_could_issue', at)
  await announceCharge(em, charge, { at })
  return issuedAs(em, charge)
}

async function issuedAs(em: EntityManager, charge: Charge): Promise<Issued> {
  const orphans = await em.find(Attempt, { operation: 'issue', subjectUuid: charge.uuid, state: 'orphan' })
  return {
    state: charge.state,
    connectionUuid: charge.connection.uuid,
    expiresAt: charge.expiresAt?.toISOString() ?? null,
    orphans: orphans.map(orphan => orphan.uuid),
    ...(await leftToDo(em, charge.uuid)),
  }
}
