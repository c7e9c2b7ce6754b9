import type { ProviderApi } from '../../src/domain/providers/provider.ts'
import type { SimulatedAccount, SimulatedAccounts } from './accounts.ts'
import type { IdGenerator } from './ids.ts'
import type { Rail } from './rail.ts'
import type { Receipts } from './receipts.ts'
import { computeReceiptRefundableCents, type SimulatedRefunds } from './refunds.ts'
import { type DisputeReturnNature, type SimulatedReturns, sumReturns } from './returns.ts'
import { SETTLED_OUTCOME } from './scripted-outcome.ts'
import type { SimulatorStore } from './store.ts'
import type { SimulatedTransfers } from './transfers.ts'

/** DICT's SituationType. */
export type DictSituation = 'SCAM' | 'ACCOUNT_TAKEOVER' | 'COERCION' | 'FRAUDULENT_ACCESS' | 'OTHER'
export type DisputeDecision = 'agreed' | 'disagreed' | 'cancelled'

/** A dispute of one account; both sides of one PIX have the same id. */
export type SimulatedDispute = {
  accountId: string
  id: string
  /** `received`: about a PIX that the account received; `requested`: about one that it sent. */
  side: DisputeSide['side']
  endToEnd: string
  /** Number that the provider gives it. */
  protocol: number
  cents: number
  situation: DictSituation
  status: 'open' | 'replied' | DisputeDecision
  /** Amount that the provider blocked when the dispute was opened. */
  blockedCents: number
  openedAt: string
  /** Deadline of replies. */
  dueAt: string
  changedAt: string
  decidedAt: string | null
  /** Text of the account that has requested it. */
  details: string | null
}
/** A dispute was opened or decided. */
export type DisputeRailEvent = { kind: 'dispute'; account: SimulatedAccount; dispute: SimulatedDispute }
/** A stored reply; `accept` is null if the provider API has no such field; `documents` is JSON. */
export type SimulatedDisputeReply = { accept: 0 | 1 | null; text: string; documents: string; at: string }

type DisputeOpening = {
  endToEnd: string
  cents?: number
  situation: DictSituation
  dueAt?: string
  details?: string
}
type DisputeOpeningResult =
  | { kind: 'opened'; id: string }
  | { kind: 'no_such_pix' }
  | { kind: 'already_disputed' }
  | { kind: 'over_the_pix' }
type DisputeReplyInput = { accept: boolean | null; text: string; documents: unknown[] }
type DisputeReplyResult = 'accepted' | 'no_such_dispute' | 'already_replied' | 'too_late'

export type SimulatedDisputes = {
  open(opening: DisputeOpening): DisputeOpeningResult
  /** Opens a dispute about a PIX that an account has sent, as that account requests it of its bank. */
  request(accountId: string, request: Omit<DisputeOpening, 'cents' | 'dueAt'>): DisputeOpeningResult
  /**
   * Decides a dispute once; undefined if there is no such dispute. `nature`: of the returns that follow; default: fraud. `returned`:
   * what the accounts that the money has reached return of a transfer to a recipient that is not simulated; default: one returns all.
   */
  decide(
    id: string,
    decision: DisputeDecision,
    returns?: { nature?: DisputeReturnNature | undefined; returned?: number[] | undefined },
  ): 'decided' | 'already_decided' | undefined
  /** Stores a reply; `allowsRepeat`: a provider API that accepts further replies. */
  reply(
    dispute: Pick<SimulatedDispute, 'accountId' | 'id'>,
    reply: DisputeReplyInput,
    options: { allowsRepeat: boolean },
  ): DisputeReplyResult
  /** Finds a dispute by its id or by the end-to-end id of its PIX. */
  find(accountId: string, idOrEndToEnd: string): SimulatedDispute | undefined
  listById(id: string): SimulatedDispute[]
  listReplies(dispute: SimulatedDispute): SimulatedDisputeReply[]
  /** Lists the disputes opened in [from, to], both ISO 8601 UTC, oldest first. */
  listBetween(accountId: string, range: { from: string; to: string }): SimulatedDispute[]
}

/** Days for a reply where a provider gives no fewer: an analysis takes at most seven. Woovi accepts evidence for three. */
const ANALYSIS_DAYS = 7
const REPLY_DAYS: Partial<Record<ProviderApi, number>> = { woovi: 3 }
const DAY_MS = 86_400_000

type DisputeDependencies = {
  store: SimulatorStore
  rail: Rail
  accounts: SimulatedAccounts
  receipts: Receipts
  refunds: SimulatedRefunds
  returns: SimulatedReturns
  transfers: SimulatedTransfers
  ids: IdGenerator
  now: () => Date
  onRailEvent: (event: DisputeRailEvent) => void
}

export function simulateDisputes(dependencies: DisputeDependencies): SimulatedDisputes {
  const { store, rail, accounts, ids, now, onRailEvent } = dependencies
  const listById = (id: string) =>
    store.all<SimulatedDispute>('SELECT * FROM dispute WHERE id = ? ORDER BY rowid', id)
  const listReplies = ({ accountId, id }: Pick<SimulatedDispute, 'accountId' | 'id'>) =>
    store.all<SimulatedDisputeReply>(
      'SELECT accept, text, documents, at FROM disputeReply WHERE accountId = ? AND disputeId = ? ORDER BY rowid',
      accountId,
      id,
    )
  const find = (accountId: string, idOrEndToEnd: string) =>
    store.first<SimulatedDispute>(
      'SELECT * FROM dispute WHERE accountId = ? AND (id = ? OR endToEnd = ?)',
      accountId,
      idOrEndToEnd,
      idOrEndToEnd,
    )
  const change = (dispute: SimulatedDispute, fields: Partial<SimulatedDispute>) => {
    const changed = { ...dispute, ...fields, changedAt: now().toISOString() }
    store.run(
      'UPDATE dispute SET status = ?, blockedCents = ?, changedAt = ?, decidedAt = ? WHERE accountId = ? AND id = ?',
      ...[changed.status, changed.blockedCents, changed.changedAt, changed.decidedAt],
      ...[dispute.accountId, dispute.id],
    )
    return changed
  }

  const open: SimulatedDisputes['open'] = ({ endToEnd, cents, situation, dueAt, details = null }) =>
    store.inTransaction(() => {
      const sides = findDisputeSides(dependencies, endToEnd)
      if (sides.length === 0) return { kind: 'no_such_pix' }
      if (sides.some(({ accountId }) => find(accountId, endToEnd))) return { kind: 'already_disputed' }
      const claimedCents = cents ?? sides[0]!.cents
      if (claimedCents > sides[0]!.cents) return { kind: 'over_the_pix' }
      const id = ids.disputeId()
      const openedAt = now().toISOString()
      for (const { accountId, side } of sides) {
        const account = accounts.find(accountId)!
        const replyDays = REPLY_DAYS[account.dialect] ?? ANALYSIS_DAYS
        const defaultDueAt = new Date(Date.parse(openedAt) + replyDays * DAY_MS)
        const dispute: SimulatedDispute = {
          accountId,
          id,
          side,
          endToEnd,
          protocol: store.nextCount('disputeProtocol'),
          cents: claimedCents,
          situation,
          status: 'open',
          blockedCents: side === 'received' ? rail.block(accountId, claimedCents) : 0,
          openedAt,
          dueAt: dueAt ?? defaultDueAt.toISOString(),
          changedAt: openedAt,
          decidedAt: null,
          details,
        }
        store.insert('dispute', dispute)
        onRailEvent({ kind: 'dispute', account, dispute })
      }
      return { kind: 'opened', id }
    })

  return {
    find,
    listById,
    listReplies,
    listBetween: (accountId, { from, to }) =>
      store.all<SimulatedDispute>(
        'SELECT * FROM dispute WHERE accountId = ? AND openedAt BETWEEN ? AND ? ORDER BY openedAt, rowid',
        accountId,
        from,
        to,
      ),

    open,

    request: (accountId, request) => {
      const sides = findDisputeSides(dependencies, request.endToEnd)
      const isSender = sides.some(one => one.side === 'requested' && one.accountId === accountId)
      return isSender ? open(request) : { kind: 'no_such_pix' }
    },

    decide: (id, decision, { nature = 'MED_FRAUDE', returned } = {}) =>
      store.inTransaction(() => {
        const disputes = listById(id)
        if (disputes.length === 0) return undefined
        if (disputes.some(({ decidedAt }) => decidedAt !== null)) return 'already_decided'
        for (const dispute of disputes) {
          const { accountId, blockedCents } = dispute
          rail.unblock(accountId, blockedCents)
          const decidedAt = now().toISOString()
          const decided = change(dispute, { status: decision, blockedCents: 0, decidedAt })
          onRailEvent({ kind: 'dispute', account: accounts.find(accountId)!, dispute: decided })
        }
        if (decision === 'agreed') returnDisputedMoney(dependencies, disputes, { nature, returned })
        return 'decided'
      }),

    reply: ({ accountId, id }, { accept, text, documents }, { allowsRepeat }) =>
      store.inTransaction(() => {
        const dispute = find(accountId, id)
        if (dispute?.side !== 'received') return 'no_such_dispute'
        if (!allowsRepeat && listReplies(dispute).length > 0) return 'already_replied'
        if (dispute.decidedAt !== null || now() > new Date(dispute.dueAt)) return 'too_late'
        store.insert('disputeReply', {
          accountId,
          disputeId: id,
          text,
          at: now().toISOString(),
          accept: accept === null ? null : Number(accept),
          documents: JSON.stringify(documents),
        })
        change(dispute, { status: 'replied' })
        return 'accepted'
      }),
  }
}

type DisputeSideDependencies = {
  store: SimulatorStore
  accounts: SimulatedAccounts
  receipts: Receipts
  refunds: SimulatedRefunds
  returns: SimulatedReturns
  transfers: SimulatedTransfers
  ids: IdGenerator
}
/** A simulated account of a disputed PIX: its recipient, or its sender, who requests the money back. */
type DisputeSide = { accountId: string; side: 'received' | 'requested'; cents: number }

/**
 * Finds the simulated accounts of a disputed PIX: its recipient, its sender, or both. An account that sent to itself
 * is only the recipient.
 */
function findDisputeSides(
  { store, transfers }: Pick<DisputeSideDependencies, 'store' | 'transfers'>,
  endToEnd: string,
): DisputeSide[] {
  const received = store.all<DisputeSide>(
    `SELECT accountId, 'received' AS side, cents FROM receipt WHERE endToEnd = ?`,
    endToEnd,
  )
  const transfer = transfers.findByEndToEnd(endToEnd)
  const isToItself = received.some(({ accountId }) => accountId === transfer?.accountId)
  if (transfer?.status !== 'settled' || isToItself) return received
  return [...received, { accountId: transfer.accountId, side: 'requested', cents: transfer.cents }]
}

/**
 * Returns the money of an accepted dispute. A simulated recipient returns up to its balance, and the return of the rest
 * fails: no more follows. With an empty balance the refund is accepted and then rejected. Of any other recipient the whole
 * amount comes back, or what `returned` says.
 */
function returnDisputedMoney(
  { accounts, receipts, refunds, returns, transfers, ids }: DisputeSideDependencies,
  disputes: (DisputeSide & { endToEnd: string })[],
  { nature, returned }: { nature: DisputeReturnNature; returned: number[] | undefined },
): void {
  const received = disputes.find(({ side }) => side === 'received')
  if (!received) {
    const { endToEnd, cents } = disputes[0]!
    const transfer = transfers.findByEndToEnd(endToEnd)!
    const unreturnedCents = transfer.cents - sumReturns(returns.listReturns(transfer))
    for (const returnedCents of returned ?? [Math.min(cents, unreturnedCents)])
      returns.creditReturn({ endToEnd, cents: returnedCents, nature })
    return
  }
  const { accountId, endToEnd } = received
  const receipt = receipts.find(accountId, endToEnd)!
  const refundable = computeReceiptRefundableCents(receipt, refunds.listByReceipt(receipt))
  const claimedCents = Math.min(received.cents, refundable)
  const cents = Math.min(claimedCents, accounts.find(accountId)!.balanceCents) || claimedCents
  if (cents > 0)
    refunds.accept({
      accountId,
      endToEnd,
      id: ids.token(),
      cents,
      outcome: SETTLED_OUTCOME,
      nature,
    })
  const restCents = received.cents - cents
  if (restCents > 0) refunds.refuse({ accountId, endToEnd, id: ids.token(), cents: restCents, nature })
}
