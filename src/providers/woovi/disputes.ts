import type { z } from 'zod'
import type {
  DisputeReference,
  FindDisputeOutcome,
  ListDisputesOutcome,
  ProviderDispute,
} from '../../domain/disputes/provider-dispute.ts'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { ANY_ANSWER, parseItems } from '../adapter/answer-parsing.ts'
import type { DisputeCalls } from '../port.ts'
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
import { wooviTransactionResponseSchema } from './schemas.ts'

/**
 * Creates the calls about disputes ("Disputas"). If the account has the feature MED API, the Central Bank's funds
 * recovery of each ("Recuperação de fundos (MED)") adds its side, its decision and its returns. A chargeback of
 * Woovi's own is not a dispute here.
 */
export function createWooviDisputes(client: WooviClient, now: () => number): DisputeCalls {
  const { readAllPages } = client
  return { listDisputes, findDispute, ...createWooviDisputeReplies(client) }

  /** Lists disputes; one with an unreadable part is left out and recorded. No answer on one means no list. */
  async function listDisputes(from: string, to: string): Promise<ListDisputesOutcome> {
    const list = await readAllPages<WooviDispute>(
      {
        call: 'listDisputes',
        path: '/api/v1/dispute',
        field: 'disputes',
        item: wooviDisputeSchema,
        keyOf: ({ id, endToEndId, createdAt }) => id ?? `${endToEndId}/${createdAt}`,
      },
      { from, to },
    )
    if (list.kind === 'no_answer') return list
    const disputes: ProviderDispute[] = []
    for (const item of list.items.filter(isMedDispute)) {
      const outcome = item.id
        ? await resolveDispute(item)
        : await findDispute({ id: item.endToEndId, endToEnd: null })
      if (outcome.kind === 'found') disputes.push(outcome.dispute)
      else if (outcome.kind === 'no_answer' && outcome.code !== 'unreadable_answer') return outcome
      else if (outcome.kind === 'no_answer')
        await client.recordItem({ call: 'listDisputes', period: { from, to } }, item, item.status)
    }
    return { kind: 'found', disputes }
  }

  async function findDispute({ id }: DisputeReference): Promise<FindDisputeOutcome> {
    const path = `/api/v1/dispute/${encodeURIComponent(id)}`
    const call = { call: 'findDispute', reference: id, path } as const
    const outcome = await client.lookUp(call, wooviDisputeResponseSchema, ({ dispute }) =>
      dispute.id === id || dispute.endToEndId === id ? { dispute } : undefined,
    )
    if (outcome.kind !== 'found') return outcome
    if (!isMedDispute(outcome.dispute)) return { kind: 'not_found' }
    return resolveDispute({ ...outcome.dispute, id: outcome.dispute.id ?? id })
  }

  async function resolveDispute(
    dispute: WooviDispute,
  ): Promise<{ kind: 'found'; dispute: ProviderDispute } | NoAnswerResult> {
    const recovery = await findFundsRecovery(dispute)
    if (recovery.kind === 'no_answer') return recovery
    return { kind: 'found', dispute: mapWooviDispute(dispute, recovery, now()) }
  }

  /** Looks up the side of a dispute and, if it was accepted or closed, its decision and its returns. */
  async function findFundsRecovery(dispute: WooviDispute): Promise<WooviFundsRecovery | NoAnswerResult> {
    const { endToEndId, status } = dispute
    const disputeList = await readRecoveryList(dispute, 'disputes', wooviDisputeSchema)
    if (disputeList.kind === 'no_answer' && disputeList.code !== 'provider_denied') return disputeList
    const disputes = disputeList.kind === 'found' ? disputeList.items : []
    const recovery = disputes.find(item => item.endToEndId === endToEndId) ?? null
    const side = recovery?.sentOrReceived ?? (await findSide(dispute))
    if (typeof side !== 'string') return side
    const kind = side === 'SENT' ? 'REQUESTED_MED' : 'RECEIVED_MED'
    const undecided: WooviFundsRecovery = { kind, recovery, returns: [], isClosed: false }
    if (!recovery || (status !== 'ACCEPTED' && status !== 'CLOSED')) return undecided
    const decision = status === 'CLOSED' ? await findDecision(dispute) : ({ kind: 'agreed' } as const)
    if (decision.kind === 'no_answer') return decision
    if (decision.kind === 'undecided') return undecided
    if (decision.kind === 'disagreed') return { ...undecided, decision: 'disagreed' }
    const solicitations = await readRecoveryList(
      dispute,
      'refund-solicitations',
      wooviRefundSolicitationSchema,
    )
    if (solicitations.kind === 'no_answer') return solicitations
    const { items, isComplete } =
      solicitations.kind === 'found' ? solicitations : { items: [], isComplete: true }
    const { returns, isClosed } = findDisputeReturns(items, { kind, endToEnd: endToEndId })
    return { kind, recovery, returns, isClosed: isClosed && isComplete, decision: 'agreed' }
  }

  async function findDecision({
    endToEndId,
  }: WooviDispute): Promise<{ kind: 'agreed' | 'disagreed' | 'undecided' } | NoAnswerResult> {
    const outcome = await readRecoveryList({ endToEndId }, 'infraction-reports', wooviInfractionReportSchema)
    if (outcome.kind === 'no_answer') return outcome
    const reports = outcome.kind === 'found' ? outcome.items : []
    const report = reports.find(
      ({ transactionId, status }) => transactionId === endToEndId && status === 'CLOSED',
    )
    const result = report?.analysisResult
    if (!result) return { kind: 'undecided' }
    return { kind: result === 'AGREED' ? 'agreed' : 'disagreed' }
  }

  /** Reads one list of a dispute's funds recovery. `isComplete`: every item was readable. */
  function readRecoveryList<Item>(
    { endToEndId }: Pick<WooviDispute, 'endToEndId'>,
    name: keyof typeof RECOVERY_LIST_FIELDS,
    itemSchema: z.ZodType<Item>,
  ) {
    const path = `/api/v1/funds-recovery/${encodeURIComponent(endToEndId)}/${name}`
    const call = { call: 'findRecovery', reference: endToEndId, path } as const
    return client.lookUp(call, ANY_ANSWER, (json, notes) => {
      const list = findRecoveryList(json, RECOVERY_LIST_FIELDS[name])
      if (!list) return undefined
      const items = parseItems(itemSchema, list, notes)
      return { items, isComplete: items.length === list.length }
    })
  }

  /** Finds the side of a dispute by its PIX: of a sent PIX we are the payer; one unknown to Woovi was received. */
  async function findSide({ endToEndId }: WooviDispute): Promise<'SENT' | 'RECEIVED' | NoAnswerResult> {
    const path = `/api/v1/transaction/${encodeURIComponent(endToEndId)}`
    const call = { call: 'findPayment', reference: endToEndId, path } as const
    const outcome = await client.lookUp(
      call,
      wooviTransactionResponseSchema,
      ({ transaction: { type } }) => ({
        type,
      }),
    )
    if (outcome.kind === 'no_answer') return outcome
    return outcome.kind === 'found' && outcome.type === 'WITHDRAW' ? 'SENT' : 'RECEIVED'
  }
}

/** Field of each list's envelope, by the last part of its path. */
const RECOVERY_LIST_FIELDS = {
  disputes: 'disputes',
  'refund-solicitations': 'refundSolicitations',
  'infraction-reports': 'infractionReports',
} as const

function isMedDispute({ type }: WooviDispute): boolean {
  return (type ?? 'MED') === 'MED'
}
