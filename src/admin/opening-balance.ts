import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { Connection } from '../db/entities/connection.ts'
import { Movement } from '../db/entities/movement.ts'
import { writePostings } from '../db/ledger/post.ts'
import { lockProviderAccount } from '../db/locks.ts'
import { ensureServiceAccount } from '../db/repositories/provider-account-owners.ts'
import { depositLegs, uncoveredOutflowLegs } from '../domain/ledger/legs.ts'
import type { MovementReason } from '../domain/ledger/movement.ts'
import { entryIdentityOf } from '../domain/reconciliation/account-entry.ts'
import type { Provider } from '../providers/port.ts'

/** Balance of a provider account at a time: earlier movements are part of it, later ones are credited. */
export type OpeningBalance = { cents: number; creditedSince: Date }

/** `creditedSince` of a connection that is not active yet: no earlier movement is credited. */
export const NOT_CREDITED_YET = new Date('9999-12-31T00:00:00Z')

/** Period of the statement that is read before and after the balance. */
const LOOKBACK_MS = 15 * 60_000
const MAX_READS = 5

/**
 * Reads a provider's balance with its statement before and after. Where both statements list the same movements, none
 * came in between: the time is just after the last of them, or the beginning of the statement where it lists none, so
 * that no difference between the provider's clock and ours counts a movement twice or drops one.
 * Null where the provider reports no balance or no statement. Throws where money moves during every comparison.
 */
export async function readOpeningBalance(provider: Provider): Promise<OpeningBalance | null> {
  for (let attempt = 1; attempt <= MAX_READS; attempt += 1) {
    const from = new Date(Date.now() - LOOKBACK_MS)
    const before = await readMovementsSince(provider, from)
    const balances = before && (await provider.balances())
    if (balances?.kind !== 'found') return null
    const after = await readMovementsSince(provider, from)
    if (!after) return null
    if (before!.names !== after.names) continue
    const { availableCents, blockedCents } = balances.balance
    const creditedSince = after.lastAt === null ? from : new Date(Date.parse(after.lastAt) + 1)
    return { cents: availableCents + blockedCents, creditedSince }
  }
  throw new Error(
    'the balance at the provider changed during every comparison; try again, or give it by --opening-balance',
  )
}

async function readMovementsSince(provider: Provider, from: Date) {
  const statement = await provider.statement(from.toISOString(), new Date().toISOString())
  if (statement.kind === 'no_answer') return null
  const { entries, accountEntries = [] } = statement
  const names = [
    ...entries.map(one => `${one.direction}/${one.endToEnd}`),
    ...accountEntries.map(entryIdentityOf),
  ]
  const times = [...entries, ...accountEntries].map(({ at }) => at)
  return { names: names.sort().join(' '), lastAt: times.sort().at(-1) ?? null }
}

export type OpeningOutcome =
  | { kind: 'opened'; cents: number }
  /** This or another connection has already opened it. */
  | { kind: 'already_open' }
  | { kind: 'balance_unknown' }

/**
 * Opens the provider account of a connection that is not active yet: its balance is booked to the account of a NOMINAL
 * connection, to the service's own for a POOL. Of several connections to one provider account the first opens it, and the
 * others are credited since the same time; `read` is called for the first only. Where the provider does not report its
 * balance, it opens with nothing and is credited from now on: too little can be spent, and an operator adjusts. May be
 * repeated.
 */
export async function openProviderAccount(
  em: EntityManager,
  connection: Connection,
  read: () => Promise<OpeningBalance | null>,
): Promise<OpeningOutcome> {
  const isFirst = (await findEarlierConnection(em.fork(), connection)) === undefined
  const balance = isFirst ? await read() : null
  const opening = balance ?? { cents: 0, creditedSince: new Date() }
  return em.fork().transactional(async tx => {
    const { uuid, providerAccountUuid } = connection
    await lockProviderAccount(tx, providerAccountUuid, 'for update')
    const { creditedSince } = await tx.findOneOrFail(Connection, uuid)
    if (creditedSince && creditedSince < NOT_CREDITED_YET) return { kind: 'already_open' }
    const earlier = await findEarlierConnection(tx, connection)
    if (earlier) {
      await tx.nativeUpdate(Connection, uuid, { creditedSince: earlier.creditedSince ?? null })
      return { kind: 'already_open' }
    }
    await tx.nativeUpdate(Connection, uuid, { creditedSince: opening.creditedSince })
    const isOwn = connection.type === 'NOMINAL'
    const accountUuid = isOwn ? connection.accountUuid : await ensureServiceAccount(tx, providerAccountUuid)
    const { cents } = opening
    await postOpeningMovement(tx, { accountUuid, connection, cents, reason: 'opening_balance' })
    return balance ? { kind: 'opened', cents: balance.cents } : { kind: 'balance_unknown' }
  })
}

/** Finds the oldest other active connection to the same provider account. */
async function findEarlierConnection(em: EntityManager, { uuid, providerAccountUuid }: Connection) {
  const [earlier] = await em.find(
    Connection,
    { providerAccountUuid, uuid: { $ne: uuid }, status: { $ne: 'CONFIGURATION_PENDING' } },
    { orderBy: { createdAt: 'asc' }, limit: 1 },
  )
  return earlier
}

type OpeningMovementInput = {
  accountUuid: string
  connection: Connection
  cents: number
  reason: MovementReason | null
}

/**
 * Books the opening balance of a provider account, outside → available, in the caller's transaction.
 * An overdrawn account opens with a shortfall of the service.
 */
export async function postOpeningMovement(
  em: EntityManager,
  { accountUuid, connection, cents, reason }: OpeningMovementInput,
): Promise<void> {
  if (cents === 0) return
  const { providerAccountUuid } = connection
  const at = new Date()
  const movement = em.create(Movement, {
    ...{ uuid: randomUUID(), accountUuid, providerAccountUuid, connectionUuid: connection.uuid },
    ...{ type: 'ADJUSTMENT', reason, status: 'SETTLED' },
    movementType: cents > 0 ? 'IN' : 'OUT',
    valueCents: Math.abs(cents),
    settledAt: at,
    createdAt: at,
    updatedAt: at,
  })
  await em.flush()
  const legs =
    cents > 0
      ? depositLegs(accountUuid, cents)
      : uncoveredOutflowLegs(accountUuid, { cents: -cents, availableCents: 0 })
  await writePostings(em, [{ providerAccountUuid, movementUuid: movement.uuid, legs }])
}
