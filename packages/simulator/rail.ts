import type { ProviderName } from '../../src/domain/providers/provider.ts'
import type { SimulatorStore } from './store.ts'

type MovementKind = 'payment' | 'deposit' | 'transfer' | 'refund' | 'return' | PanelMovement

/** Movements other than PIX, which no API call orders. A block keeps money in the account but not in its balance. */
export const PANEL_MOVEMENTS = ['tariff', 'withdrawal', 'credit', 'block', 'unblock'] as const
export type PanelMovement = (typeof PANEL_MOVEMENTS)[number]

/** One settled movement of one account. */
export type RailMovement = {
  accountId: string
  kind: MovementKind
  /** Id chosen by the caller of the provider API, if any. */
  id: string | null
  /** `E…`, or `D…` of a return; null if the movement is not a PIX. */
  endToEnd: string | null
  /** Of a return: the returned PIX. Of a tariff or block: the PIX that it is about. */
  originalEndToEnd: string | null
  cents: number
  at: string
}

/** A movement in its account's ledger: `sequence` orders them, and a block has no direction. */
export type StatementMovement = RailMovement & { sequence: number; direction: 'in' | 'out' | 'none' }

/**
 * Moves the money of the simulated accounts. Only the rail changes a balance, in one transaction with the movement,
 * so that always balance + held + blocked = opening + Σ in − Σ out.
 */
export type Rail = {
  /** Credits a received movement to the balance. */
  credit(movement: RailMovement): void
  /** Moves money from the balance to held for a transfer or refund; false if the balance does not cover it. */
  hold(accountId: string, cents: number): boolean
  /** Moves held money back to the balance: its transfer or refund was rejected. */
  release(accountId: string, cents: number): void
  /** Moves at most `cents` from the balance to blocked for a dispute; returns the blocked amount. */
  block(accountId: string, cents: number): number
  /** Moves blocked money back to the balance: its dispute is closed. */
  unblock(accountId: string, cents: number): void
  /** Debits held money: its transfer or refund has settled. */
  debitHeld(movement: RailMovement): void
  /**
   * Moves money other than by PIX; false, without a movement, if the balance or the blocked amount does not cover it.
   */
  moveEntry(entry: PanelEntry): boolean
  /** Sums the amounts blocked by court orders, without those of disputes. */
  judicialBlockCents(accountId: string): number
  /** Lists the settled movements of one account, blocks included, oldest first. */
  listEntries(accountId: string): StatementMovement[]
  /** Lists the settled movements of one account, one provider or all, without blocks, oldest first. */
  listStatement(filter: { accountId?: string; provider?: ProviderName }): StatementMovement[]
}

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

  const judicialBlockCents = (accountId: string) =>
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
        if (kind === 'unblock' && judicialBlockCents(accountId) < cents) return false
        const { direction, balance, blocked } = BALANCE_EFFECTS[kind]
        const changedRows = store.run(
          `UPDATE account SET balanceCents = balanceCents + ?, blockedCents = blockedCents + ?
           WHERE id = ? AND balanceCents + ? >= 0`,
          balance * cents,
          blocked * cents,
          accountId,
          balance * cents,
        )
        if (changedRows === 1) record(direction, entry)
        return changedRows === 1
      }),
    judicialBlockCents,
    listEntries: accountId =>
      store.all<StatementMovement>('SELECT * FROM movement WHERE accountId = ? ORDER BY sequence', accountId),
    listStatement: ({ accountId, provider }) =>
      store.all<StatementMovement>(
        `SELECT movement.* FROM movement JOIN account ON account.id = movement.accountId
         WHERE movement.accountId = coalesce(?, movement.accountId) AND provider = coalesce(?, provider)
           AND direction <> 'none'
         ORDER BY sequence`,
        accountId ?? null,
        provider ?? null,
      ),
  }
}

/** Effect of each kind on the balance and the blocked amount, as a factor of its amount. */
const BALANCE_EFFECTS = {
  tariff: { direction: 'out', balance: -1, blocked: 0 },
  withdrawal: { direction: 'out', balance: -1, blocked: 0 },
  credit: { direction: 'in', balance: 1, blocked: 0 },
  block: { direction: 'none', balance: -1, blocked: 1 },
  unblock: { direction: 'none', balance: 1, blocked: -1 },
} as const satisfies Record<PanelMovement, object>
