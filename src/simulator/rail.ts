import type { ProviderName } from '../domain/providers/provider.ts'
import type { SimulatorStore } from './store.ts'

/** What a settled movement was. */
type MovementKind = 'payment' | 'deposit' | 'transfer' | 'refund' | 'return' | PanelMovement

/** Movements that are no PIX, which no API call orders: a block keeps money in the account, out of the balance. */
export const PANEL_MOVEMENTS = ['tariff', 'withdrawal', 'credit', 'block', 'unblock'] as const
export type PanelMovement = (typeof PANEL_MOVEMENTS)[number]

/** One settled movement of one account; `id` is the one its caller chose, where there was one. */
export type RailMovement = {
  accountId: string
  kind: MovementKind
  id: string | null
  /** `E…`, or `D…` where money comes or goes back; null of what is no PIX. */
  endToEnd: string | null
  /** Of what goes or comes back: the PIX that is returned. Of a tariff or block: the PIX that it is about. */
  originalEndToEnd: string | null
  cents: number
  at: string
}

/**
 * The money of the simulated accounts. Every balance moves here and nowhere else, in one transaction with the
 * movement it belongs to: at all times balance + held + blocked = opening + Σ in − Σ out.
 */
export type Rail = {
  /** Money arrives. */
  credit(movement: RailMovement): void
  /** Takes money out of the balance for what is in process; false where the balance does not cover it. */
  hold(accountId: string, cents: number): boolean
  /** Gives held money back: what was in process was rejected. */
  release(accountId: string, cents: number): void
  /** Takes what the balance has, at most so much, for a dispute; answers how much that is. */
  block(accountId: string, cents: number): number
  /** A dispute is over: what was blocked for it is free. */
  unblock(accountId: string, cents: number): void
  /** Held money leaves for good. */
  debitHeld(movement: RailMovement): void
  /** Moves money that is no PIX; false, and nothing moves, where the balance, or what is blocked, does not cover it. */
  moveEntry(entry: PanelEntry): boolean
  /** What is blocked by court orders, and not for disputes. */
  judicialBlockCents(accountId: string): number
  /** What an account's own statement lists: its settled movements, blocks included. */
  listEntries(accountId: string): RailMovement[]
  /** Every settled movement in the order they settled, of one account, of one provider or of all. */
  listStatement(filter: { accountId?: string; provider?: ProviderName }): RailMovement[]
}

/** A movement that is no PIX. */
type PanelEntry = RailMovement & { kind: PanelMovement }

export function createRail(store: SimulatorStore): Rail {
  const record = (direction: 'in' | 'out' | 'none', movement: RailMovement) =>
    store.insert('movement', { ...movement, direction })
  const move = (accountId: string, change: { balance: number; held: number }) =>
    store.run(
      'UPDATE account SET balanceCents = balanceCents + ?, heldCents = heldCents + ? WHERE id = ?',
      change.balance,
      change.held,
      accountId,
    )

  const moveBlocked = (accountId: string, cents: number) =>
    store.run(
      'UPDATE account SET balanceCents = balanceCents - ?, blockedCents = blockedCents + ? WHERE id = ?',
      cents,
      cents,
      accountId,
    )

  const judicialCents = (accountId: string) =>
    store.first<{ cents: number }>(
      `SELECT coalesce(sum(CASE kind WHEN 'block' THEN cents ELSE -cents END), 0) AS cents
       FROM movement WHERE accountId = ? AND direction = 'none'`,
      accountId,
    )!.cents

  return {
    credit: movement =>
      store.inTransaction(() => {
        record('in', movement)
        move(movement.accountId, { balance: movement.cents, held: 0 })
      }),
    hold: (accountId, cents) =>
      store.run(
        `UPDATE account SET balanceCents = balanceCents - ?, heldCents = heldCents + ?
         WHERE id = ? AND balanceCents >= ?`,
        cents,
        cents,
        accountId,
        cents,
      ) === 1,
    block: (accountId, cents) =>
      store.inTransaction(() => {
        const { balanceCents } = store.first<{ balanceCents: number }>(
          'SELECT balanceCents FROM account WHERE id = ?',
          accountId,
        )!
        const blocked = Math.min(cents, balanceCents)
        moveBlocked(accountId, blocked)
        return blocked
      }),
    unblock: (accountId, cents) => void moveBlocked(accountId, -cents),
    release: (accountId, cents) => void move(accountId, { balance: cents, held: -cents }),
    debitHeld: movement =>
      store.inTransaction(() => {
        record('out', movement)
        move(movement.accountId, { balance: 0, held: -movement.cents })
      }),
    moveEntry: entry =>
      store.inTransaction(() => {
        const { accountId, kind, cents } = entry
        if (kind === 'unblock' && judicialCents(accountId) < cents) return false
        const { direction, balance, blocked } = BALANCE_EFFECTS[kind]
        const moved = store.run(
          `UPDATE account SET balanceCents = balanceCents + ?, blockedCents = blockedCents + ?
           WHERE id = ? AND balanceCents + ? >= 0`,
          balance * cents,
          blocked * cents,
          accountId,
          balance * cents,
        )
        if (moved === 1) record(direction, entry)
        return moved === 1
      }),
    judicialBlockCents: judicialCents,
    listEntries: accountId =>
      store.all<RailMovement>('SELECT * FROM movement WHERE accountId = ? ORDER BY sequence', accountId),
    listStatement: ({ accountId, provider }) =>
      store.all<RailMovement>(
        `SELECT movement.* FROM movement JOIN account ON account.id = movement.accountId
         WHERE movement.accountId = coalesce(?, movement.accountId) AND provider = coalesce(?, provider)
           AND direction <> 'none'
         ORDER BY sequence`,
        accountId ?? null,
        provider ?? null,
      ),
  }
}

/** What each kind does to the balance and to what is blocked, as a factor of its value. */
const BALANCE_EFFECTS = {
  tariff: { direction: 'out', balance: -1, blocked: 0 },
  withdrawal: { direction: 'out', balance: -1, blocked: 0 },
  credit: { direction: 'in', balance: 1, blocked: 0 },
  block: { direction: 'none', balance: -1, blocked: 1 },
  unblock: { direction: 'none', balance: 1, blocked: -1 },
} as const satisfies Record<PanelMovement, object>
