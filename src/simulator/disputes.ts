import type { SimulatedAccounts } from './accounts.ts'
import { findDisputeSides, returnDisputedMoney } from './dispute-sides.ts'
import type { IdGenerator } from './ids.ts'
import type { Rail } from './rail.ts'
import type { RailEventHandler } from './rail-events.ts'
import type { Receipts } from './receipts.ts'
import type { SimulatedRefunds } from './refunds.ts'
import type { SimulatedReturns } from './returns.ts'
import type { SimulatorStore } from './store.ts'
import type { SimulatedTransfers } from './transfers.ts'

/** DICT's SituationType. */
export type DictSituation = 'SCAM' | 'ACCOUNT_TAKEOVER' | 'COERCION' | 'FRAUDULENT_ACCESS' | 'OTHER'
export type DisputeDecision = 'agreed' | 'disagreed' | 'cancelled'

/** A dispute as one account's provider holds it; both sides of one PIX have the same id. */
export type SimulatedDispute = {
  accountId: string
  id: string
  /** `received`: against a PIX the account received; `requested`: it contests one it sent. */
  side: 'received' | 'requested'
  endToEnd: string
  /** The provider's number of it. */
  protocol: number
  cents: number
  situation: DictSituation
  status: 'open' | 'replied' | DisputeDecision
  /** What its provider took from the balance at the opening. */
  blockedCents: number
  openedAt: string
  /** Until when a reply is taken. */
  dueAt: string
  changedAt: string
  decidedAt: string | null
}
/** `accept` is null where the API does not ask for it. */
export type SimulatedDisputeReply = { accept: 0 | 1 | null; text: string; documents: string; at: string }

type DisputeOpening = { endToEnd: string; cents?: number; situation: DictSituation; dueAt?: string }
type DisputeOpeningResult =
  | { kind: 'opened'; id: string }
  | { kind: 'no_such_pix' }
  | { kind: 'already_disputed' }
  | { kind: 'over_the_pix' }
type DisputeReplyInput = { accept: boolean | null; text: string; documents: unknown[] }
type DisputeReplyResult = 'accepted' | 'no_such_med' | 'already_replied' | 'too_late'

export type SimulatedDisputes = {
  open(opening: DisputeOpening): DisputeOpeningResult
  /** What the analysis came to, once; undefined where there is no such dispute. */
  decide(id: string, decision: DisputeDecision): 'decided' | 'already_decided' | undefined
  /** `again` where more evidence may follow the first. */
  reply(
    med: Pick<SimulatedDispute, 'accountId' | 'id'>,
    answer: DisputeReplyInput,
    options: { again: boolean },
  ): DisputeReplyResult
  /** By its id or by the end-to-end id of its PIX. */
  find(accountId: string, name: string): SimulatedDispute | undefined
  listById(id: string): SimulatedDispute[]
  listReplies(med: SimulatedDispute): SimulatedDisputeReply[]
  /** Those opened in [from, to], both ISO 8601 UTC, oldest first. */
  listBetween(accountId: string, range: { from: string; to: string }): SimulatedDispute[]
}

/** An analysis takes at most seven days; Woovi asks for evidence within three. */
const REPLY_DAYS = { efi: 7, woovi: 3 }
const DAY_MS = 86_400_000

type DisputeDependencies = {
  store: SimulatorStore
  rail: Rail
  accounts: SimulatedAccounts
  receipts: Receipts
  refunds: SimulatedRefunds
  returns: SimulatedReturns
  sendings: SimulatedTransfers
  ids: IdGenerator
  now: () => Date
  onRailEvent: RailEventHandler
}

export function simulateDisputes(parts: DisputeDependencies): SimulatedDisputes {
  const { store, rail, accounts, ids, now, onRailEvent: announce } = parts
  const ofId = (id: string) =>
    store.all<SimulatedDispute>('SELECT * FROM med WHERE id = ? ORDER BY rowid', id)
  const repliesOf = ({ accountId, id }: Pick<SimulatedDispute, 'accountId' | 'id'>) =>
    store.all<SimulatedDisputeReply>(
      'SELECT accept, text, documents, at FROM medReply WHERE accountId = ? AND medId = ? ORDER BY rowid',
      accountId,
      id,
    )
  const find = (accountId: string, name: string) =>
    store.first<SimulatedDispute>(
      'SELECT * FROM med WHERE accountId = ? AND (id = ? OR endToEnd = ?)',
      accountId,
      name,
      name,
    )
  const change = (med: SimulatedDispute, to: Partial<SimulatedDispute>) => {
    const changed = { ...med, ...to, changedAt: now().toISOString() }
    store.run(
      'UPDATE med SET status = ?, blockedCents = ?, changedAt = ?, decidedAt = ? WHERE accountId = ? AND id = ?',
      ...[changed.status, changed.blockedCents, changed.changedAt, changed.decidedAt],
      ...[med.accountId, med.id],
    )
    return changed
  }

  return {
    find,
    listById: ofId,
    listReplies: repliesOf,
    listBetween: (accountId, { from, to }) =>
      store.all<SimulatedDispute>(
        'SELECT * FROM med WHERE accountId = ? AND openedAt BETWEEN ? AND ? ORDER BY openedAt, rowid',
        accountId,
        from,
        to,
      ),

    open: ({ endToEnd, cents, situation, dueAt }) =>
      store.inTransaction(() => {
        const sides = findDisputeSides(parts, endToEnd)
        if (sides.length === 0) return { kind: 'no_such_pix' }
        if (sides.some(({ accountId }) => find(accountId, endToEnd))) return { kind: 'already_disputed' }
        const asked = cents ?? sides[0]!.cents
        if (asked > sides[0]!.cents) return { kind: 'over_the_pix' }
        const id = ids.medId()
        const openedAt = now().toISOString()
        for (const { accountId, side } of sides) {
          const account = accounts.find(accountId)!
          const latest = new Date(Date.parse(openedAt) + REPLY_DAYS[account.dialect] * DAY_MS)
          const med: SimulatedDispute = {
            ...{ accountId, id, side, endToEnd, situation, openedAt },
            ...{ cents: asked, status: 'open', changedAt: openedAt, decidedAt: null },
            protocol: store.nextCount('medProtocol'),
            dueAt: dueAt ?? latest.toISOString(),
            blockedCents: side === 'received' ? rail.block(accountId, asked) : 0,
          }
          store.insert('med', med)
          announce({ kind: 'med', account: accounts.find(accountId)!, dispute: med })
        }
        return { kind: 'opened', id }
      }),

    decide: (id, decision) =>
      store.inTransaction(() => {
        const meds = ofId(id)
        if (meds.length === 0) return undefined
        if (meds.some(({ decidedAt }) => decidedAt !== null)) return 'already_decided'
        for (const med of meds) {
          rail.unblock(med.accountId, med.blockedCents)
          const decided = change(med, { status: decision, blockedCents: 0, decidedAt: now().toISOString() })
          announce({ kind: 'med', account: accounts.find(med.accountId)!, dispute: decided })
        }
        if (decision === 'agreed') returnDisputedMoney(parts, meds)
        return 'decided'
      }),

    reply: ({ accountId, id }, { accept, text, documents }, { again }) =>
      store.inTransaction(() => {
        const med = find(accountId, id)
        if (med?.side !== 'received') return 'no_such_med'
        if (!again && repliesOf(med).length > 0) return 'already_replied'
        if (med.decidedAt !== null || now() > new Date(med.dueAt)) return 'too_late'
        store.insert('medReply', {
          ...{ accountId, medId: id, text, at: now().toISOString() },
          accept: accept === null ? null : Number(accept),
          documents: JSON.stringify(documents),
        })
        change(med, { status: 'replied' })
        return 'accepted'
      }),
  }
}
