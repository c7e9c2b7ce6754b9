import { randomUUID } from 'node:crypto'
import { attemptNamed } from '../db/attempts.ts'
import { tellBreaker } from '../db/breaker.ts'
import type { Attempt } from '../db/entities/attempt.ts'
import type { Connection } from '../db/entities/connection.ts'
import type { EntityManager } from '../db/orm.ts'
import { ask, heardAs, inTransactionAsking } from '../db/questions.ts'
import type { IncomingPix } from '../domain/provider.ts'
import type { Engine } from '../engine/start.ts'
import { tellIssued } from '../engine/tell.ts'
import { reach } from './connections.ts'
import type { Dependencies } from './dependencies.ts'
import { type LeftToDo, leftToDo } from './left-to-do.ts'
import { setAside } from './unmatched.ts'

/** A PIX that a notice names and no charge of ours expects. */
export type Deposit = { connectionUuid: string; endToEnd: string; requestId: string; timeScale: number }
export type DepositFate =
  | (LeftToDo & { kind: 'taken' })
  /** A charge of ours expects it after all: its life was told to ask. */
  | { kind: 'expected' }
  | { kind: 'absent' }
  | { kind: 'no_answer'; code: string }

/**
 * Asks the provider for the PIX and credits it to the connection's account: a deposit (SPEC §2). Whether it names a charge
 * the provider says, and not the notice.
 */
export function takeDeposit(dependencies: Dependencies, engine: Engine) {
  return async ({ connectionUuid, endToEnd, requestId }: Deposit): Promise<DepositFate> => {
    const em = dependencies.orm.em.fork()
    const { connection, provider } = await reach(dependencies, em, connectionUuid)
    const found = await provider.findPayment(endToEnd)
    await tellBreaker(em, connection, found)
    if (found.kind === 'not_found') return { kind: 'absent' }
    if (found.kind === 'no_answer') return { kind: 'no_answer', code: found.code }
    const { payment } = found
    if (payment.status === 'failed') return { kind: 'absent' }
    if (isOfOpeningBalance(connection, payment)) return { kind: 'absent' }
    // Only a settled PIX is credited.
    if (payment.status !== 'settled') return { kind: 'no_answer', code: payment.status }
    const issuing = await attemptPaid(em, connection, payment)
    const expected = issuing && (await tellWhoExpects(engine, connection, issuing))
    if (expected) return expected
    return inTransactionAsking(dependencies.orm, async tx => {
      const movement = await setAside(tx, { connection, payment, reason: 'deposit', requestId })
      return heardAs(leftToDo(movement.uuid), left => ({ kind: 'taken', ...left }))
    })
  }
}

/** What came before the account's opening balance was taken is part of it. */
function isOfOpeningBalance({ creditedSince }: Connection, { at }: IncomingPix): boolean {
  return Boolean(creditedSince) && Date.parse(at) < creditedSince!.getTime()
}

/** The attempt to issue whose payload the PIX names. */
async function attemptPaid(
  em: EntityManager,
  { providerAccountUuid }: Connection,
  { reference }: IncomingPix,
): Promise<Attempt | undefined> {
  const attempt = await ask(em, attemptNamed(em, { reference, providerAccountUuid }))
  return attempt?.operation === 'issue' ? attempt : undefined
}

/** Null where nobody does: the provider issued no payload, whatever the PIX names. */
async function tellWhoExpects(
  engine: Engine,
  { uuid: connectionUuid }: Connection,
  attempt: Attempt,
): Promise<DepositFate | null> {
  switch (await tellIssued(engine, attempt, { noticeUuid: randomUUID(), connectionUuid })) {
    case 'told':
      return { kind: 'expected' }
    case 'issuing':
      return { kind: 'no_answer', code: 'charge_issuing' }
    case 'none':
      return null
  }
}
