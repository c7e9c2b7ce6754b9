import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { runInTransaction } from '../db/client/transaction.ts'
import { Connection, ProviderAccountOpening } from '../db/entities/connection.ts'
import { Movement } from '../db/entities/movement.ts'
import { writePostings } from '../db/ledger/post.ts'
import { lockProviderAccount } from '../db/locks.ts'
import { sendChanges } from '../db/pipeline/query.ts'
import { ensureServiceAccount } from '../db/repositories/provider-accounts.ts'
import { depositLegs, uncoveredOutflowLegs } from '../domain/ledger/legs.ts'
import type { MovementReason } from '../domain/ledger/movement.ts'
import { type Opening, openingNameOf } from '../domain/reconciliation/opening.ts'
import type { Provider } from '../providers/port.ts'

/** Balance of a provider account, and what is part of it. */
export type OpeningBalance = Opening & { cents: number }

/** `creditedSince` of a connection that is not active yet: no earlier movement is credited. */
export const NOT_CREDITED_YET = new Date('9999-12-31T00:00:00Z')

/** Period of the statement that is read before and after the balance. */
const LOOKBACK_MS = 15 * 60_000
const MAX_READS = 5
/** How far the provider's clock may be from ours: what it dates this long after the balance was read is not part of it. A simulator has ours. */
const CLOCK_TOLERANCE_MS = 5_000

/** Returns a balance that an operator states, or that is not known: everything until now is part of it. */
export function stateOpeningBalance(cents: number): OpeningBalance {
  const now = new Date()
  return { cents, certainUntil: now, creditedSince: now, listed: [] }
}

/**
 * Reads a provider's balance with its statement before and after, until both list the same movements. These, and earlier ones
 * than the statement's, are part of the balance. A movement that the provider lists later, and dates between the beginning of
 * the statement and the reading, may be part of it or not, because its list may lag behind its balance: only two
 * operators book it. Null where the provider reports no balance or no statement. Throws where money moves during
 * every comparison.
 */
export async function readOpeningBalance(
  provider: Provider,
  { isSimulated }: Pick<Connection, 'isSimulated'>,
): Promise<OpeningBalance | null> {
  for (let attempt = 1; attempt <= MAX_READS; attempt += 1) {
    const from = new Date(Date.now() - LOOKBACK_MS)
    const listedBefore = await readMovementsSince(provider, from)
    const balances = listedBefore && (await provider.balances())
    if (balances?.kind !== 'found') return null
    const creditedSince = new Date(Date.now() + (isSimulated ? 0 : CLOCK_TOLERANCE_MS))
    const listed = await readMovementsSince(provider, from)
    if (!listed) return null
    if (listedBefore!.join(' ') !== listed.join(' ')) continue
    const { availableCents, blockedCents } = balances.balance
    return { cents: availableCents + blockedCents, certainUntil: from, creditedSince, listed }
  }
  throw new Error(
    'the balance at the provider changed during every comparison; try again, or give it by --opening-balance',
  )
}

async function readMovementsSince(provider: Provider, from: Date): Promise<string[] | null> {
  const statement = await provider.statement(from.toISOString(), new Date().toISOString())
  if (statement.kind === 'no_answer') return null
  const { entries, accountEntries = [] } = statement
  return [...entries, ...accountEntries].map(openingNameOf).sort()
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
  const opening = balance ?? stateOpeningBalance(0)
  return runInTransaction(em, async (tx): Promise<OpeningOutcome> => {
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
    const { cents, ...facts } = opening
    tx.create(ProviderAccountOpening, { providerAccountUuid, ...facts })
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
    uuid: randomUUID(),
    accountUuid,
    providerAccountUuid,
    connectionUuid: connection.uuid,
    type: 'ADJUSTMENT',
    reason,
    status: 'SETTLED',
    movementType: cents > 0 ? 'IN' : 'OUT',
    valueCents: Math.abs(cents),
    settledAt: at,
    createdAt: at,
    updatedAt: at,
  })
  await sendChanges(em)
  const legs =
    cents > 0
      ? depositLegs(accountUuid, cents)
      : uncoveredOutflowLegs(accountUuid, { cents: -cents, availableCents: 0 })
  await writePostings(em, [{ providerAccountUuid, movementUuid: movement.uuid, legs }])
}
