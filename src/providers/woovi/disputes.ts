import type {
  DisputeReference,
  FindDisputeOutcome,
  ListDisputesOutcome,
  ProviderDispute,
} from '../../domain/disputes/provider-dispute.ts'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { parseAnswer, parseItems } from '../adapter/answer-parsing.ts'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'
import { findDisputeReturns, mapWooviDispute, type WooviFundsRecovery } from './dispute-mapping.ts'
import { createWooviDisputeReplies } from './dispute-replies.ts'
import {
  findRecoveryList,
  type WooviDispute,
  wooviDisputeResponseSchema,
  wooviDisputeSchema,
  wooviInfractionReportSchema,
  wooviRefundSolicitationSchema,
} from './dispute-schemas.ts'
import { createWooviPagination } from './pagination.ts'
import { wooviTransactionResponseSchema } from './schemas.ts'

/**
 * Disputes ("Disputas"), and behind each the funds recovery of the Central Bank ("Recuperação de fundos (MED)"), which says
 * whose it is and what came of it, where the account has the feature MED API. A chargeback of Woovi's own is no MED.
 */
export function createWooviDisputes(
  client: WooviClient,
  now: () => number,
): Pick<Provider, 'listDisputes' | 'findDispute' | 'replyToDispute'> {
  const { readAllPages } = createWooviPagination(client)
  return { listDisputes, findDispute, ...createWooviDisputeReplies(client) }

  /** A dispute of which something cannot be read is left out and recorded; the others are listed. */
  async function listDisputes(from: string, to: string): Promise<ListDisputesOutcome> {
    const listed = await readAllPages<WooviDispute>(
      {
        ...{ call: 'listDisputes', path: '/api/v1/dispute', field: 'disputes', item: wooviDisputeSchema },
        keyOf: ({ id, endToEndId, createdAt }) => id ?? `${endToEndId}/${createdAt}`,
      },
      { from, to },
    )
    if (listed.kind === 'no_answer') return listed
    const meds: ProviderDispute[] = []
    for (const one of listed.items.filter(isMedDispute)) {
      const found = one.id ? await factsOf(one) : await findDispute({ id: one.endToEndId, endToEnd: null })
      if (found.kind === 'found') meds.push(found.dispute)
      else if (found.kind === 'no_answer' && found.code !== 'unreadable_answer') return found
      else if (found.kind === 'no_answer') await leaveOut(one, { from, to })
    }
    return { kind: 'found', disputes: meds }
  }

  function leaveOut(one: WooviDispute, period: { from: string; to: string }): Promise<void> {
    return client.record({
      ...{ operation: 'listDisputes', reference: null, kind: 'unreadable_item', status: 200 },
      ...{ name: one.status, body: JSON.stringify(one), period },
    })
  }

  async function findDispute({ id }: DisputeReference): Promise<FindDisputeOutcome> {
    const path = `/api/v1/dispute/${encodeURIComponent(id)}`
    const call = { call: 'findDispute', reference: id, method: 'GET', path } as const
    const found = await client.lookUp(call, (json, notes) => {
      const one = parseAnswer(wooviDisputeResponseSchema, json, notes)?.dispute
      return one && (one.id === id || one.endToEndId === id) ? { dispute: one } : undefined
    })
    if (found.kind !== 'found') return found
    if (!isMedDispute(found.dispute)) return { kind: 'not_found' }
    return factsOf({ ...found.dispute, id: found.dispute.id ?? id })
  }

  async function factsOf(
    one: WooviDispute,
  ): Promise<{ kind: 'found'; dispute: ProviderDispute } | NoAnswerResult> {
    const behind = await behindIt(one)
    if (behind.kind === 'no_answer') return behind
    return { kind: 'found', dispute: mapWooviDispute(one, behind, now()) }
  }

  async function behindIt(one: WooviDispute): Promise<WooviFundsRecovery | NoAnswerResult> {
    const told = await underRecovery(one, 'disputes', (list, notes) =>
      parseItems(wooviDisputeSchema, list, notes),
    )
    if (told.kind === 'no_answer' && told.code !== 'provider_denied') return told
    const disputes = told.kind === 'found' ? told.items : []
    const recovery = disputes.find(({ endToEndId }) => endToEndId === one.endToEndId) ?? null
    const side = recovery?.sentOrReceived ?? (await sideOf(one))
    if (typeof side !== 'string') return side
    const kind = side === 'SENT' ? 'REQUESTED_MED' : 'RECEIVED_MED'
    const open: WooviFundsRecovery = { kind, recovery, returns: [], isClosed: false }
    if (!recovery || (one.status !== 'ACCEPTED' && one.status !== 'CLOSED')) return open
    const decided = one.status === 'CLOSED' ? await decisionOf(one) : ({ kind: 'agreed' } as const)
    if (decided.kind === 'no_answer') return decided
    if (decided.kind !== 'agreed')
      return { ...open, ...(decided.kind === 'disagreed' && { decided: 'disagreed' }) }
    const asked = await underRecovery(one, 'refund-solicitations', (list, notes) =>
      parseItems(wooviRefundSolicitationSchema, list, notes),
    )
    if (asked.kind === 'no_answer') return asked
    const { items, isWhole } = asked.kind === 'found' ? asked : { items: [], isWhole: true }
    const { returns, isClosed: closed } = findDisputeReturns(items, { kind, endToEnd: one.endToEndId })
    return { kind, recovery, returns, isClosed: closed && isWhole, decided: 'agreed' }
  }

  /** How a dispute was decided that Woovi only calls CLOSED, by the report of its infraction. */
  async function decisionOf(
    one: WooviDispute,
  ): Promise<{ kind: 'agreed' | 'disagreed' | 'undecided' } | NoAnswerResult> {
    const asked = await underRecovery(one, 'infraction-reports', (list, notes) =>
      parseItems(wooviInfractionReportSchema, list, notes),
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
    { endToEndId }: WooviDispute,
    field: 'disputes' | 'refund-solicitations' | 'infraction-reports',
    read: (list: unknown[], notes: Parameters<typeof parseItems>[2]) => Item[],
  ) {
    const path = `/api/v1/funds-recovery/${encodeURIComponent(endToEndId)}/${field}`
    const call = { call: 'findRecovery', reference: endToEndId, method: 'GET', path } as const
    return client.lookUp(call, (json, notes) => {
      const list = findRecoveryList(json, RECOVERY_LIST_FIELDS[field])
      if (!list) return undefined
      const items = read(list, notes)
      return { items, isWhole: items.length === list.length }
    })
  }

  /** What left the account we contest ourselves; what Woovi does not know came in. */
  async function sideOf({ endToEndId }: WooviDispute): Promise<'SENT' | 'RECEIVED' | NoAnswerResult> {
    const path = `/api/v1/transaction/${encodeURIComponent(endToEndId)}`
    const call = { call: 'findPayment', reference: endToEndId, method: 'GET', path } as const
    const found = await client.lookUp(call, (json, notes) => {
      const pix = parseAnswer(wooviTransactionResponseSchema, json, notes)?.transaction
      return pix && { type: pix.type }
    })
    if (found.kind === 'no_answer') return found
    return found.kind === 'found' && found.type === 'WITHDRAW' ? 'SENT' : 'RECEIVED'
  }
}

const RECOVERY_LIST_FIELDS = {
  disputes: 'disputes',
  'refund-solicitations': 'refundSolicitations',
  'infraction-reports': 'infractionReports',
} as const

function isMedDispute({ type }: WooviDispute): boolean {
  return (type ?? 'MED') === 'MED'
}
