import { createHash } from 'node:crypto'
import { FormData } from 'undici'
import type { z } from 'zod'
import type {
  DisputeReference,
  FindDisputeOutcome,
  ListDisputesOutcome,
  ProviderDisputeReply,
  ReplyToDisputeOutcome,
} from '../../domain/disputes/provider-dispute.ts'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { ANY_ANSWER, parseItems } from '../adapter/answer-parsing.ts'
import { completeDisputes } from '../adapter/listed-disputes.ts'
import { hasReturnPeriodEnded } from '../adapter/statement-period.ts'
import { encodePath } from '../http/client.ts'
import type { DisputeCalls } from '../port.ts'
import type { WooviClient } from './client.ts'
import { findDisputeReturns, mapWooviDispute, type WooviFundsRecovery } from './dispute-mapping.ts'
import {
  findRecoveryList,
  type WooviDispute,
  wooviDisputeResponseSchema,
  wooviDisputeSchema,
  wooviEvidenceRequestSchema,
  wooviEvidenceResponseSchema,
  wooviFileResponseSchema,
  wooviInfractionReportSchema,
  wooviRefundSolicitationSchema,
} from './dispute-schemas.ts'
import type { WooviList } from './pagination.ts'
import { findWooviTransaction } from './payments.ts'
import { renderTextPdf } from './text-pdf.ts'

/**
 * Creates the calls about disputes ("Disputas"). If the account has the feature MED API, the Central Bank's funds
 * recovery of each ("Recuperação de fundos (MED)") adds its side, its decision and its returns. A chargeback of
 * Woovi's own is not a dispute here.
 */
export function createWooviDisputes(client: WooviClient, now: () => number): DisputeCalls {
  return { listDisputes, findDispute, replyToDispute }

  async function listDisputes(from: string, to: string): Promise<ListDisputesOutcome> {
    const period = { from, to }
    const list = await client.readAllPages(disputeList, period)
    if (list.kind === 'no_answer') return list
    return completeDisputes(
      list.items.filter(isMedDispute),
      item => (item.id ? resolveDispute(item) : findDispute({ id: item.endToEndId, endToEnd: null })),
      item => client.recordItem({ call: 'listDisputes', period }, item, item.status),
    )
  }

  async function findDispute({ id }: DisputeReference): Promise<FindDisputeOutcome> {
    const path = encodePath`/api/v1/dispute/${id}`
    const call = { call: 'findDispute', reference: id, path } as const
    const outcome = await client.lookUp(call, wooviDisputeResponseSchema, ({ dispute }) =>
      dispute.id === id || dispute.endToEndId === id ? { dispute } : undefined,
    )
    if (outcome.kind !== 'found') return outcome
    if (!isMedDispute(outcome.dispute)) return { kind: 'not_found' }
    return resolveDispute({ ...outcome.dispute, id: outcome.dispute.id ?? id })
  }

  async function resolveDispute(dispute: WooviDispute): Promise<FindDisputeOutcome> {
    const recovery = await findFundsRecovery(dispute)
    if (recovery.kind === 'no_answer') return recovery
    const isClosed = recovery.isClosed || (await hasNoMoreReturns(dispute, recovery))
    return { kind: 'found', dispute: mapWooviDispute(dispute, { ...recovery, isClosed }, now()) }
  }

  /**
   * Tells whether the period of returns of an accepted or closed dispute has ended: without its funds recovery, or with an
   * empty one, nothing else shows that no return follows. It counts from the PIX, else from the opening, which is later.
   */
  async function hasNoMoreReturns(dispute: WooviDispute, { recovery, pixAt }: WooviFundsRecovery) {
    if (dispute.status !== 'ACCEPTED' && dispute.status !== 'CLOSED') return false
    const pix = pixAt || !recovery ? null : await findDisputedPix(dispute)
    const foundAt = pix?.kind === 'found' ? pix.at : pixAt
    const since = foundAt ?? recovery?.createdAt ?? dispute.createdAt
    return since != null && hasReturnPeriodEnded(since, now())
  }

  /** Looks up the side of a dispute and, if it was accepted or closed, its decision and its returns. */
  async function findFundsRecovery(dispute: WooviDispute): Promise<WooviFundsRecovery | NoAnswerResult> {
    const { endToEndId, status } = dispute
    const disputeList = await readRecoveryList(dispute, 'disputes', wooviDisputeSchema)
    if (disputeList.kind === 'no_answer' && disputeList.code !== 'provider_denied') return disputeList
    const disputes = disputeList.kind === 'found' ? disputeList.items : []
    const recovery = disputes.find(item => item.endToEndId === endToEndId) ?? null
    const pix = recovery?.sentOrReceived ? null : await findDisputedPix(dispute)
    if (pix?.kind === 'no_answer') return pix
    const side = recovery?.sentOrReceived ?? pix?.side
    const kind = side === 'SENT' ? 'REQUESTED_MED' : 'RECEIVED_MED'
    const undecided: WooviFundsRecovery = { kind, recovery, pixAt: pix?.at, returns: [], isClosed: false }
    if (!recovery || (status !== 'ACCEPTED' && status !== 'CLOSED')) return undecided
    const decision = status === 'CLOSED' ? await findDecision(dispute) : ({ kind: 'agreed' } as const)
    if (decision.kind === 'no_answer') return decision
    if (decision.kind === 'undecided') return undecided
    if (decision.kind === 'disagreed') return { ...undecided, decision: 'disagreed' }
    const list = 'refund-solicitations'
    const solicitations = await readRecoveryList(dispute, list, wooviRefundSolicitationSchema)
    if (solicitations.kind === 'no_answer') return solicitations
    const { items, isComplete } =
      solicitations.kind === 'found' ? solicitations : { items: [], isComplete: true }
    const { returns, isClosed } = findDisputeReturns(items, { kind, endToEnd: endToEndId })
    return { kind, recovery, returns, isClosed: isClosed && isComplete, decision: 'agreed' }
  }

  async function findDecision(dispute: WooviDispute) {
    const outcome = await readRecoveryList(dispute, 'infraction-reports', wooviInfractionReportSchema)
    if (outcome.kind === 'no_answer') return outcome
    const reports = outcome.kind === 'found' ? outcome.items : []
    const report = reports.find(
      ({ transactionId, status }) => transactionId === dispute.endToEndId && status === 'CLOSED',
    )
    return { kind: DECISIONS[report?.analysisResult ?? 'UNDECIDED'] }
  }

  /** Reads one list of a dispute's funds recovery. `isComplete`: every item was readable. */
  function readRecoveryList<Item>(
    { endToEndId }: WooviDispute,
    name: keyof typeof RECOVERY_LIST_FIELDS,
    itemSchema: z.ZodType<Item>,
  ) {
    const path = encodePath`/api/v1/funds-recovery/${endToEndId}/${name}`
    return client.lookUp({ call: 'findRecovery', reference: endToEndId, path }, ANY_ANSWER, (json, notes) => {
      const list = findRecoveryList(json, RECOVERY_LIST_FIELDS[name])
      if (!list) return undefined
      const items = parseItems(itemSchema, list, notes)
      return { items, isComplete: items.length === list.length }
    })
  }

  /** Finds the disputed PIX: of a sent one we are the payer; one unknown to Woovi was received. */
  async function findDisputedPix({ endToEndId }: WooviDispute) {
    const outcome = await findWooviTransaction(client, endToEndId, ({ type, time }) => ({ type, at: time }))
    if (outcome.kind !== 'not_found' && outcome.kind !== 'found') return outcome
    const found = outcome.kind === 'found' ? outcome : null
    const side = found?.type === 'WITHDRAW' ? 'SENT' : 'RECEIVED'
    return { kind: 'found', side, at: found?.at } as const
  }

  /** Replies by documents, the only form that Woovi accepts; without attachments the text is a PDF of its own. */
  async function replyToDispute(reply: ProviderDisputeReply): Promise<ReplyToDisputeOutcome> {
    const documents = await prepareDocuments(reply)
    if (!Array.isArray(documents)) return documents
    const path = encodePath`/api/v1/dispute/${reply.id}/evidence`
    const json = wooviEvidenceRequestSchema.parse({ documents })
    const call = { call: 'replyToDispute', reference: reply.id, method: 'POST', path } as const
    const request = { ...call, json, hasOwnConnection: true }
    return client.send(request, wooviEvidenceResponseSchema, () => ({}))
  }

  /** Lists the reply's attachments as documents, or uploads its text as one; the outcome if the upload fails. */
  async function prepareDocuments(reply: ProviderDisputeReply) {
    const text = buildReplyText(reply)
    if (reply.attachments.length > 0)
      return reply.attachments.map(({ uuid, name, url }, index) => ({
        url,
        description: index === 0 ? `${name}\n${text}` : name,
        correlationID: uuid,
      }))
    const correlationID = createHash('sha256').update(`${reply.id}/${text}`).digest('hex').slice(0, 32)
    const form = new FormData()
    form.append('purpose', 'DISPUTE_EVIDENCE')
    form.append('correlationID', correlationID)
    form.append('file', new Blob([await renderTextPdf(text)], { type: 'application/pdf' }), 'resposta.pdf')
    const call = {
      call: 'uploadEvidence',
      reference: reply.id,
      method: 'POST',
      path: '/api/v1/files',
    } as const
    const request = { ...call, form, hasOwnConnection: true }
    const outcome = await client.send(request, wooviFileResponseSchema, ({ file }) => ({ fileId: file.id }))
    if (outcome.kind === 'accepted') return [{ fileId: outcome.fileId, description: text, correlationID }]
    // Also of an upload with an unknown outcome no reply was sent.
    return outcome.kind === 'unknown' ? ({ ...outcome, kind: 'unreachable' } as const) : outcome
  }
}

const disputeList: WooviList<WooviDispute> = {
  call: 'listDisputes',
  path: '/api/v1/dispute',
  field: 'disputes',
  item: wooviDisputeSchema,
  keyOf: ({ id, endToEndId, createdAt }) => id ?? `${endToEndId}/${createdAt}`,
}

/** Builds the text of a reply in Portuguese, for Woovi's analysts. */
function buildReplyText({ accept, analysis }: ProviderDisputeReply): string {
  const answer = accept
    ? 'O recebedor concorda com a contestação.'
    : 'O recebedor não concorda com a contestação.'
  return `${answer}\n${analysis}`
}

const DECISIONS = { AGREED: 'agreed', DISAGREED: 'disagreed', UNDECIDED: 'undecided' } as const

/** Field of each list's envelope, by the last part of its path. */
const RECOVERY_LIST_FIELDS = {
  disputes: 'disputes',
  'refund-solicitations': 'refundSolicitations',
  'infraction-reports': 'infractionReports',
} as const

function isMedDispute({ type }: WooviDispute): boolean {
  return (type ?? 'MED') === 'MED'
}
