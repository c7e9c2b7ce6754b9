import type { FindMedOutcome, ListMedsOutcome, MedFacts, MedName } from '../../domain/med-facts.ts'
import type { NoAnswer } from '../../domain/provider.ts'
import type { Provider } from '../port.ts'
import { readItems, readShape } from '../reading.ts'
import type { WooviClient } from './client.ts'
import { type Behind, medOf, returnsIn } from './med-mapping.ts'
import { replies } from './med-replies.ts'
import {
  type Dispute,
  dispute,
  disputeAnswer,
  infractionReport,
  listUnder,
  solicitation,
} from './med-shapes.ts'
import { pagesOf } from './pages.ts'
import { transactionAnswer } from './shapes.ts'

/**
 * Disputes ("Disputas"), and behind each the funds recovery of the Central Bank ("Recuperação de fundos (MED)"), which says
 * whose it is and what came of it, where the account has the feature MED API. A chargeback of Woovi's own is no MED.
 */
export function meds(
  client: WooviClient,
  now: () => number,
): Pick<Provider, 'listMeds' | 'findMed' | 'replyMed'> {
  const { everyPage } = pagesOf(client)
  return { listMeds, findMed, ...replies(client) }

  /** A dispute of which something cannot be read is left out and recorded; the others are listed. */
  async function listMeds(from: string, to: string): Promise<ListMedsOutcome> {
    const listed = await everyPage<Dispute>(
      {
        ...{ call: 'listMeds', path: '/api/v1/dispute', field: 'disputes', item: dispute },
        keyOf: ({ id, endToEndId, createdAt }) => id ?? `${endToEndId}/${createdAt}`,
      },
      { from, to },
    )
    if (listed.kind === 'no_answer') return listed
    const meds: MedFacts[] = []
    for (const one of listed.items.filter(isMed)) {
      const found = one.id ? await factsOf(one) : await findMed({ id: one.endToEndId, endToEnd: null })
      if (found.kind === 'found') meds.push(found.med)
      else if (found.kind === 'no_answer' && found.code !== 'unreadable_answer') return found
      else if (found.kind === 'no_answer') await leaveOut(one, { from, to })
    }
    return { kind: 'found', meds }
  }

  function leaveOut(one: Dispute, period: { from: string; to: string }): Promise<void> {
    return client.record({
      ...{ operation: 'listMeds', reference: null, kind: 'unreadable_item', status: 200 },
      ...{ name: one.status, body: JSON.stringify(one), period },
    })
  }

  async function findMed({ id }: MedName): Promise<FindMedOutcome> {
    const path = `/api/v1/dispute/${encodeURIComponent(id)}`
    const call = { call: 'findMed', reference: id, method: 'GET', path } as const
    const found = await client.lookUp(call, (json, notes) => {
      const one = readShape(disputeAnswer, json, notes)?.dispute
      return one && (one.id === id || one.endToEndId === id) ? { dispute: one } : undefined
    })
    if (found.kind !== 'found') return found
    if (!isMed(found.dispute)) return { kind: 'not_found' }
    return factsOf({ ...found.dispute, id: found.dispute.id ?? id })
  }

  async function factsOf(one: Dispute): Promise<{ kind: 'found'; med: MedFacts } | NoAnswer> {
    const behind = await behindIt(one)
    if (behind.kind === 'no_answer') return behind
    return { kind: 'found', med: medOf(one, behind, now()) }
  }

  async function behindIt(one: Dispute): Promise<Behind | NoAnswer> {
    const told = await underRecovery(one, 'disputes', (list, notes) => readItems(dispute, list, notes))
    if (told.kind === 'no_answer' && told.code !== 'provider_denied') return told
    const disputes = told.kind === 'found' ? told.items : []
    const recovery = disputes.find(({ endToEndId }) => endToEndId === one.endToEndId) ?? null
    const side = recovery?.sentOrReceived ?? (await sideOf(one))
    if (typeof side !== 'string') return side
    const kind = side === 'SENT' ? 'REQUESTED_MED' : 'RECEIVED_MED'
    const open: Behind = { kind, recovery, returns: [], closed: false }
    if (!recovery || (one.status !== 'ACCEPTED' && one.status !== 'CLOSED')) return open
    const decided = one.status === 'CLOSED' ? await decisionOf(one) : ({ kind: 'agreed' } as const)
    if (decided.kind === 'no_answer') return decided
    if (decided.kind !== 'agreed')
      return { ...open, ...(decided.kind === 'disagreed' && { decided: 'disagreed' }) }
    const asked = await underRecovery(one, 'refund-solicitations', (list, notes) =>
      readItems(solicitation, list, notes),
    )
    if (asked.kind === 'no_answer') return asked
    const { items, isWhole } = asked.kind === 'found' ? asked : { items: [], isWhole: true }
    const { returns, closed } = returnsIn(items, { kind, endToEnd: one.endToEndId })
    return { kind, recovery, returns, closed: closed && isWhole, decided: 'agreed' }
  }

  /** How a dispute was decided that Woovi only calls CLOSED, by the report of its infraction. */
  async function decisionOf(
    one: Dispute,
  ): Promise<{ kind: 'agreed' | 'disagreed' | 'undecided' } | NoAnswer> {
    const asked = await underRecovery(one, 'infraction-reports', (list, notes) =>
      readItems(infractionReport, list, notes),
    )
    if (asked.kind === 'no_answer') return asked
    const reports = asked.kind === 'found' ? asked.items : []
    const report = reports.find(it => it.transactionId === one.endToEndId && it.status === 'CLOSED')
    switch (report?.analysisResult) {
      case 'AGREED':
        return { kind: 'agreed' }
      case 'DISAGREED':
        return { kind: 'disagreed' }
      default:
        return { kind: 'undecided' }
    }
  }

  /** One list under the funds recovery of a dispute. `isWhole`: every item of it could be read. */
  function underRecovery<Item>(
    { endToEndId }: Dispute,
    field: 'disputes' | 'refund-solicitations' | 'infraction-reports',
    read: (list: unknown[], notes: Parameters<typeof readItems>[2]) => Item[],
  ) {
    const path = `/api/v1/funds-recovery/${encodeURIComponent(endToEndId)}/${field}`
    const call = { call: 'findRecovery', reference: endToEndId, method: 'GET', path } as const
    return client.lookUp(call, (json, notes) => {
      const list = listUnder(json, FIELDS[field])
      if (!list) return undefined
      const items = read(list, notes)
      return { items, isWhole: items.length === list.length }
    })
  }

  /** What left the account we contest ourselves; what Woovi does not know came in. */
  async function sideOf({ endToEndId }: Dispute): Promise<'SENT' | 'RECEIVED' | NoAnswer> {
    const path = `/api/v1/transaction/${encodeURIComponent(endToEndId)}`
    const call = { call: 'findPayment', reference: endToEndId, method: 'GET', path } as const
    const found = await client.lookUp(call, (json, notes) => {
      const pix = readShape(transactionAnswer, json, notes)?.transaction
      return pix && { type: pix.type }
    })
    if (found.kind === 'no_answer') return found
    return found.kind === 'found' && found.type === 'WITHDRAW' ? 'SENT' : 'RECEIVED'
  }
}

const FIELDS = {
  disputes: 'disputes',
  'refund-solicitations': 'refundSolicitations',
  'infraction-reports': 'infractionReports',
} as const

function isMed({ type }: Dispute): boolean {
  return (type ?? 'MED') === 'MED'
}
