import { randomUUID } from 'node:crypto'
import { keepAccountEntries } from '../db/account-entries.ts'
import { BEGUN } from '../db/connections.ts'
import type { Connection } from '../db/entities/connection.ts'
import { Notice } from '../db/entities/notice.ts'
import type { EntityManager } from '../db/orm.ts'
import { databaseNow } from '../db/unexplained.ts'
import type { StatementEntry } from '../domain/provider.ts'
import { compare, type Difference, type HeldBalance, isOf } from '../domain/reconciliation.ts'
import { scaled } from '../domain/waits.ts'
import { handOver } from '../engine/notices.ts'
import type { Engine } from '../engine/start.ts'
import { sha256 } from '../sealing.ts'
import { bookAccountEntries } from './account-entries.ts'
import { checkBalance } from './balance-checks.ts'
import { type ComparedPeriod, comparedMovements } from './compared-movements.ts'
import { reach } from './connections.ts'
import type { Dependencies } from './dependencies.ts'
import { keepDifferences } from './differences.ts'
import { throwIfToEnd, unlessToEnd } from './ending.ts'
import { repairMeds } from './med-reconciliation.ts'
import { bookPanelPix } from './panel-pix.ts'
import { listQuarantined } from './quarantine.ts'

/** What one provider account's statement and ours came to. */
export type Reconciled = {
  providerAccountUuid: string
  matched: number
  /** Told to their lives, because a notice of them must have been lost. */
  repaired: number
  differences: number
  /** Moved at the provider without us, and booked from its statement by this run. */
  booked?: number
  /** Entries that are no PIX and that nothing accounts for yet. */
  entriesLeft?: number
  /** What the provider says it holds, beside the ledger, in centavos; absent where it did not say. */
  balance?: HeldBalance
  /** Why it was not compared, where it was not: the provider did not answer, or the look at it broke off. */
  noAnswer?: string
  /** Why its disputes were not listed, where the provider did not answer. */
  medsNoAnswer?: string
}

export type ReconciliationOrder = { providerAccountUuid: string; from: string; to: string }

/** The younger end of a statement may still be on its way to us. */
const SETTLING_MS = 2 * 60_000

/**
 * Until when after its opening a dispute may still change: what it returns goes back within 90 days of the disputed PIX
 * (Res. BCB 103/2021, art. 41-A), and one day is left for clocks. After a restore all of them are to be found again.
 */
const DISPUTED_MS = 91 * 24 * 60 * 60_000

/** Every provider account: what moves there is ours, whatever became of its connections. */
export function providerAccounts({ orm }: Dependencies) {
  return async (): Promise<string[]> => {
    const rows: { uuid: string }[] = await orm.em
      .fork()
      .execute(`select distinct provider_account_uuid as uuid from connection where ${BEGUN} order by 1`)
    return rows.map(row => row.uuid)
  }
}

/**
 * Compares a provider's statement with our movements (SPEC §6). What is missing here is told to the life it belongs to,
 * through the inbox like any notice; what remains different is kept for the operator until it is gone. Periods of which
 * items could not be read are listed again.
 */
export function reconcile(dependencies: Dependencies, engine: Engine) {
  const comparePeriod = comparing(dependencies, engine)
  return async (order: ReconciliationOrder): Promise<Reconciled> => {
    const em = dependencies.orm.em.fork()
    const { providerAccountUuid } = order
    const seenBefore = await databaseNow(em)
    const compared = await comparePeriod(order)
    if (compared.noAnswer !== undefined) return compared
    const quarantine = { providerAccountUuid, seenBefore }
    await listQuarantined(em, { ...quarantine, operation: 'statement' }, async ({ from, to }) => {
      const again = await comparePeriod({ providerAccountUuid, from, to: settledBy(to) })
      compared.repaired += again.repaired
      return again.noAnswer === undefined
    })
    await listQuarantined(
      em,
      { ...quarantine, operation: 'listMeds' },
      async ({ from, to, connectionUuid }) => {
        const reached = await reach(dependencies, em, connectionUuid)
        const again = await repairMeds(engine, em, { ...reached, from, to, tellsAgain: true })
        compared.repaired += again.repaired
        return again.noAnswer === undefined
      },
    )
    return { ...compared, ...(await bookFromStatement(dependencies, engine, compared)) }
  }
}

/** The end of a period by which what was on its way at its end has settled. */
function settledBy(to: string): string {
  return new Date(Math.min(Date.now(), Date.parse(to) + 2 * SETTLING_MS)).toISOString()
}

function comparing(dependencies: Dependencies, engine: Engine) {
  return async (order: ReconciliationOrder): Promise<Reconciled> => {
    const em = dependencies.orm.em.fork()
    const { providerAccountUuid } = order
    const { connection, provider } = await reach(dependencies, em, await oneOf(em, providerAccountUuid))
    const said = await unlessToEnd(provider.statement(order.from, order.to))
    if (said.kind === 'no_answer')
      return { providerAccountUuid, matched: 0, repaired: 0, differences: 0, noAnswer: said.code }
    const settledBefore = Date.parse(order.to) - scaled(SETTLING_MS, engine.timeScale)
    const isCompared = isCreditedAndSettled(connection, settledBefore)
    const theirs = said.entries.filter(isCompared)
    const period = {
      providerAccountUuid,
      settledAfter: Date.parse(order.from) + SETTLING_MS,
      settledBefore,
      theirs,
    }
    const { matched, differences } = compare(theirs, await comparedMovements(em, period))
    const meds = await repairMeds(engine, em, {
      ...{ connection, provider, to: order.to, tellsAgain: true },
      from: new Date(Date.parse(order.to) - DISPUTED_MS).toISOString(),
    })
    let { repaired } = meds
    const left: Difference[] = []
    for (const difference of differences) {
      throwIfToEnd()
      if (await repair(engine, em, { connection, difference })) repaired += 1
      else left.push(difference)
    }
    await keepDifferences(em, { providerAccountUuid, left, covers: difference => covers(period, difference) })
    await keepAccountEntries(em, providerAccountUuid, (said.accountEntries ?? []).filter(isCompared))
    const compared = { providerAccountUuid, matched, repaired, differences: left.length }
    return meds.noAnswer === undefined ? compared : { ...compared, medsNoAnswer: meds.noAnswer }
  }
}

/** Books what moved at the provider without us and compares the balance that it then should have. */
async function bookFromStatement(
  dependencies: Dependencies,
  { timeScale }: Engine,
  { providerAccountUuid, differences }: Reconciled,
): Promise<Pick<Reconciled, 'differences' | 'booked' | 'entriesLeft' | 'balance'>> {
  const { orm } = dependencies
  const em = orm.em.fork()
  const pix = await bookPanelPix(dependencies, { providerAccountUuid, timeScale })
  const entries = await bookAccountEntries(dependencies, { providerAccountUuid, timeScale })
  const { provider } = await reach(dependencies, em, await oneOf(em, providerAccountUuid))
  const balance = await checkBalance(em, { provider, providerAccountUuid })
  return {
    differences: Math.max(0, differences - pix.booked),
    booked: pix.booked + entries.booked,
    entriesLeft: entries.left,
    ...(balance && { balance }),
  }
}

/** The younger end may still be on its way to us; what is older than the opening balance is part of it. */
function isCreditedAndSettled({ creditedSince }: Connection, settledBefore: number) {
  return ({ at }: { at: string }) => {
    const movedAt = Date.parse(at)
    return movedAt <= settledBefore && (!creditedSince || movedAt >= creditedSince.getTime())
  }
}

/** The connection that is asked: one that is not ACTIVE any more where there is no other. */
async function oneOf(em: EntityManager, providerAccountUuid: string): Promise<string> {
  const [row] = await em.execute<{ uuid: string }[]>(
    `select uuid from connection where provider_account_uuid = ? and ${BEGUN}
     order by status = 'ACTIVE' desc, created_at limit 1`,
    [providerAccountUuid],
  )
  return row!.uuid
}

/** By when it moved, and not by when it was found; what the statement names is looked at whatever its time. */
function covers({ settledAfter, settledBefore, theirs }: ComparedPeriod, difference: Difference): boolean {
  const movedAt = Date.parse(difference.entry?.at ?? difference.ours?.settledAt ?? '')
  return (
    (movedAt >= settledAfter && movedAt <= settledBefore) || theirs.some(entry => isOf(entry, difference))
  )
}

type Found = { connection: Connection; difference: Difference }

/**
 * A lost notice is written into the inbox once. One that is nobody's is not repaired, nor one that was handed over before
 * and still differs: it is shown, and told to its life again, which may have asked before the provider's own look-ups
 * knew of it.
 */
async function repair(
  engine: Engine,
  em: EntityManager,
  { connection, difference }: Found,
): Promise<boolean> {
  const { kind, entry } = difference
  if (!entry || (kind !== 'missing_here' && kind !== 'status_differs')) return false
  const body = JSON.stringify({ reconciliation: entry })
  const digest = sha256(body)
  const before = await em.findOne(Notice, { connectionUuid: connection.uuid, digest })
  if (before) await handOver(engine, em, before)
  if (before) return false
  const notice = em.create(Notice, {
    uuid: randomUUID(),
    connectionUuid: connection.uuid,
    digest,
    kind: kindOf(entry),
    reference: entry.reference,
    endToEnd: entry.returnOf ?? entry.endToEnd,
    body,
    requestId: randomUUID(),
  })
  await em.flush()
  return (await handOver(engine, em, notice)) !== 'foreign'
}

/** A return is told by the PIX that it returns: one that we received, or one that we sent. */
function kindOf({ direction, returnOf }: StatementEntry): Notice['kind'] {
  if (returnOf !== undefined) return direction === 'OUT' ? 'refund' : 'transfer'
  return direction === 'IN' ? 'payment' : 'transfer'
}
