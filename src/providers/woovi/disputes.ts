import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { FormData } from 'undici'
import type {
  DisputeReference,
  FindDisputeOutcome,
  ListDisputesOutcome,
  ProviderDisputeReply,
  ReplyToDisputeOutcome,
} from '../../domain/disputes/provider-dispute.ts'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { isTransportCode } from '../../domain/providers/transport-code.ts'
import type { ProviderList } from '../adapter/list-reader.ts'
import { completeDisputes } from '../adapter/listed-disputes.ts'
import { hasReturnPeriodEnded } from '../adapter/statement-period.ts'
import { encodePath } from '../http/client.ts'
import type { DisputeCalls } from '../port.ts'
import type { WooviClient } from './client.ts'
import {
  findDisputeReturns,
  mapWooviDispute,
  pickDisputeSolicitations,
  type WooviFundsRecovery,
} from './dispute-mapping.ts'
import {
  type WooviDispute,
  wooviDisputeResponseSchema,
  wooviDisputeSchema,
  wooviEvidenceRequestSchema,
  wooviEvidenceResponseSchema,
  wooviFileResponseSchema,
  wooviRefundSolicitationSchema,
} from './dispute-schemas.ts'
import { findWooviTransaction } from './payments.ts'
import { createWooviRecoveries } from './recoveries.ts'
import { createWooviRecoveryLists } from './recovery-lists.ts'

/**
 * Creates the calls about disputes ("Disputas"). If the account has the feature MED API, the Central Bank's funds
 * recovery of each ("Recuperação de fundos (MED)") adds its side, its decision and its returns. A chargeback of
 * Woovi's own is not a dispute here.
 */
export function createWooviDisputes(client: WooviClient, now: () => number): DisputeCalls {
  const { findDecision, readRecoveryList } = createWooviRecoveryLists(client)
  const { findRequested, requestDispute, cancelDispute } = createWooviRecoveries(client, now)
  return { listDisputes, findDispute, requestDispute, cancelDispute, replyToDispute }

  async function listDisputes(from: string, to: string): Promise<ListDisputesOutcome> {
    const period = { from, to }
    const list = await client.readAllPages(disputeList, period)
    if (list.kind === 'no_answer') return list
    return completeDisputes(
      list.items.filter(isMedDispute),
      ({ id, endToEndId, ...item }) =>
        id && endToEndId
          ? resolveDispute({ ...item, id, endToEndId })
          : findDispute({ id: id ?? endToEndId ?? '', endToEnd: endToEndId ?? null }),
      item => client.recordItem({ call: 'listDisputes', period }, item, item.status),
    )
  }

  /**
   * Looks up a dispute by its PIX, as the OpenAPI document describes the path, then by its id: a PIX may have another
   * dispute too. What the account has requested is a funds recovery.
   */
  async function findDispute(reference: DisputeReference): Promise<FindDisputeOutcome> {
    if (reference.isRequested) return findRequested(reference)
    let unanswered: NoAnswerResult | undefined
    for (const id of new Set([reference.endToEnd ?? reference.id, reference.id])) {
      const outcome = await lookUpDispute(id, reference)
      if (outcome.kind === 'found' && outcome.dispute) return resolveDispute(outcome.dispute)
      if (outcome.kind === 'no_answer') unanswered = outcome
    }
    return unanswered ?? { kind: 'not_found' }
  }

  /** Looks up a dispute; null where Woovi has another one under this id, or one that is no MED. */
  function lookUpDispute(pathId: string, { id, endToEnd }: DisputeReference) {
    const path = encodePath`/api/v1/dispute/${pathId}`
    const call = { call: 'findDispute', reference: pathId, path } as const
    return client.lookUp(call, wooviDisputeResponseSchema, ({ dispute }) => {
      const endToEndId = dispute.endToEndId ?? endToEnd
      if (!endToEndId) return undefined
      const isReferenced = dispute.id
        ? [dispute.id, endToEndId].includes(id)
        : pathId === id || dispute.endToEndId === endToEnd
      const isFound = isReferenced && isMedDispute(dispute)
      return { dispute: isFound ? { ...dispute, id: dispute.id ?? id, endToEndId } : null }
    })
  }

  async function resolveDispute(dispute: IdentifiedDispute): Promise<FindDisputeOutcome> {
    const recovery = await findFundsRecovery(dispute)
    if (recovery.kind === 'no_answer') return recovery
    const isClosed = recovery.isClosed || (await hasNoMoreReturns(dispute, recovery))
    return { kind: 'found', dispute: mapWooviDispute(dispute, { ...recovery, isClosed }, now()) }
  }

  /**
   * Tells whether the period of returns of an accepted or closed dispute has ended: without its funds recovery, or with an
   * empty one, nothing else shows that no return follows. It counts from the PIX, else from the opening, which is later.
   */
  async function hasNoMoreReturns(
    dispute: IdentifiedDispute,
    { recovery, pixAt, isUnread }: WooviFundsRecovery,
  ) {
    if (isUnread || (dispute.status !== 'ACCEPTED' && dispute.status !== 'CLOSED')) return false
    const pix = pixAt || !recovery ? null : await findDisputedPix(dispute)
    const foundAt = pix?.kind === 'found' ? pix.at : pixAt
    const since = foundAt ?? recovery?.createdAt ?? dispute.createdAt
    return since != null && hasReturnPeriodEnded(since, now())
  }

  /**
   * Looks up the side of a dispute and, if it was accepted or closed, its decision and its returns. What Woovi refuses or
   * answers in another shape is not known: it hides neither the dispute nor what else is known of it.
   */
  async function findFundsRecovery(dispute: IdentifiedDispute): Promise<WooviFundsRecovery | NoAnswerResult> {
    const { endToEndId, status } = dispute
    const disputes = await readRecoveryList(endToEndId, 'disputes', wooviDisputeSchema)
    if (disputes.kind === 'no_answer') return disputes
    const recovery = disputes.items.find(item => item.endToEndId === endToEndId) ?? null
    const disputedCents = dispute.value ?? recovery?.value
    const pix = recovery?.sentOrReceived && disputedCents ? null : await findDisputedPix(dispute)
    if (pix?.kind === 'no_answer') return pix
    const side = recovery?.sentOrReceived ?? pix?.side
    const kind = side === 'SENT' ? 'REQUESTED_MED' : 'RECEIVED_MED'
    const { isUnread: isListUnread } = disputes
    const undecidedRecovery: WooviFundsRecovery = {
      kind,
      recovery,
      pixAt: pix?.at,
      isUnread: isListUnread,
      returns: [],
      isClosed: false,
    }
    if (!recovery || (status !== 'ACCEPTED' && status !== 'CLOSED')) return undecidedRecovery
    const decision = status === 'CLOSED' ? await findDecision(endToEndId) : AGREED
    if (decision.kind === 'no_answer') return decision
    const { isUnread } = decision
    if (decision.kind === 'undecided') return { ...undecidedRecovery, isUnread }
    if (decision.kind === 'disagreed') return { ...undecidedRecovery, decision: 'disagreed' }
    const leg = { kind, endToEnd: endToEndId } as const
    const maxCents = disputedCents ?? pix?.cents ?? null
    const solicitations = await readRecoveryList(
      endToEndId,
      'refund-solicitations',
      wooviRefundSolicitationSchema,
      (items, notes) => pickDisputeSolicitations(items, leg, maxCents, notes),
    )
    if (solicitations.kind === 'no_answer') return solicitations
    const { items, isComplete } = solicitations
    const { returns, isClosed } = findDisputeReturns(items)
    return {
      ...undecidedRecovery,
      isUnread: solicitations.isUnread,
      decision: 'agreed',
      returns,
      isClosed: isClosed && isComplete,
    }
  }

  /** Finds the disputed PIX: of a sent one we are the payer; one that Woovi does not show was received. */
  async function findDisputedPix({ endToEndId }: IdentifiedDispute) {
    const outcome = await findWooviTransaction(client, endToEndId, pix => ({ pix }))
    if (outcome.kind === 'no_answer' && isTransportCode(outcome.code)) return outcome
    const disputedPix = outcome.kind === 'found' ? outcome.pix : null
    const side = disputedPix?.type === 'WITHDRAW' ? 'SENT' : 'RECEIVED'
    return { kind: 'found', side, at: disputedPix?.time, cents: disputedPix?.value } as const
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

const disputeList: ProviderList<'listDisputes', WooviDispute> = {
  call: 'listDisputes',
  path: '/api/v1/dispute',
  field: 'disputes',
  row: wooviDisputeSchema,
  toItem: dispute => dispute,
  keyOf: ({ id, endToEndId, createdAt }) => id || `${endToEndId}/${createdAt}`,
}

/** Builds the text of a reply in Portuguese, for Woovi's analysts. */
function buildReplyText({ accept, analysis }: ProviderDisputeReply): string {
  const verdict = accept
    ? 'O recebedor concorda com a contestação.'
    : 'O recebedor não concorda com a contestação.'
  return `${verdict}\n${analysis}`
}

const AGREED = { kind: 'agreed', isUnread: false } as const

/** A dispute whose PIX is known. */
type IdentifiedDispute = WooviDispute & { endToEndId: string }

function isMedDispute({ type }: WooviDispute): boolean {
  return (type ?? 'MED') === 'MED'
}

/**
 * Renders a text as a plain PDF, in Helvetica on A4, because Woovi accepts documents only. Equal texts give equal
 * bytes. The font has the characters of Windows-1252: a reply with others is refused before (`findUnwritableCharacters`).
 */
export async function renderTextPdf(text: string): Promise<Buffer> {
  // Loaded by the first reply without attachments: it takes 30 MB of memory.
  const { default: PDFDocument } = await import('pdfkit')
  const info = { CreationDate: new Date(0) }
  const pdf = new PDFDocument({ size: 'A4', pdfVersion: '1.4', compress: false, info })
  const lines = text.normalize('NFC').replaceAll('\r\n', '\n').replaceAll('\t', '    ')
  pdf.font('Helvetica', 10).text(lines)
  pdf.end()
  return buffer(pdf)
}
