import { createHash } from 'node:crypto'
import { FormData } from 'undici'
import type { ProviderDisputeReply, ReplyToDisputeOutcome } from '../../domain/disputes/provider-dispute.ts'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'
import {
  wooviEvidenceRequestSchema,
  wooviEvidenceResponseSchema,
  wooviFileResponseSchema,
} from './dispute-schemas.ts'
import { renderTextPdf } from './text-pdf.ts'

/**
 * Creates the reply to a dispute. Woovi accepts evidence documents only ("Como adicionar uma nova evidência em uma
 * disputa?"), so the reply is the description of the documents; without attachments it is a PDF of its own.
 */
export function createWooviDisputeReplies(client: WooviClient): Pick<Provider, 'replyToDispute'> {
  return {
    async replyToDispute(reply) {
      const documents = await prepareDocuments(reply)
      if (!Array.isArray(documents)) return documents
      const path = `/api/v1/dispute/${encodeURIComponent(reply.id)}/evidence`
      const json = wooviEvidenceRequestSchema.parse({ documents })
      const call = { call: 'replyToDispute', reference: reply.id, method: 'POST', path } as const
      const request = { ...call, json, hasOwnConnection: true }
      return client.send(request, wooviEvidenceResponseSchema, () => ({}))
    },
  }

  /** Lists the reply's attachments as documents, or uploads its text as one; the outcome if the upload fails. */
  async function prepareDocuments(
    reply: ProviderDisputeReply,
  ): Promise<EvidenceDocument[] | ReplyToDisputeOutcome> {
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
    form.append('file', new Blob([renderTextPdf(text)], { type: 'application/pdf' }), 'resposta.pdf')
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
    return outcome.kind === 'unknown' ? { ...outcome, kind: 'unreachable' } : outcome
  }
}

type EvidenceDocument = { url?: string; fileId?: string; description: string; correlationID: string }

/** Builds the text of a reply in Portuguese, for Woovi's analysts. */
function buildReplyText({ accept, analysis }: ProviderDisputeReply): string {
  const answer = accept
    ? 'O recebedor concorda com a contestação.'
    : 'O recebedor não concorda com a contestação.'
  return `${answer}\n${analysis}`
}
