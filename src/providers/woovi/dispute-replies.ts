import { createHash } from 'node:crypto'
import type { ProviderDisputeReply, ReplyToDisputeOutcome } from '../../domain/disputes/provider-dispute.ts'
import type { RejectedResult } from '../../domain/providers/provider.ts'
import { encodeMultipart } from '../http/multipart.ts'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'
import {
  wooviEvidenceRequestSchema,
  wooviEvidenceResponseSchema,
  wooviFileResponseSchema,
} from './dispute-schemas.ts'
import { renderTextPdf } from './text-pdf.ts'

/**
 * Woovi asks for evidence ("Como adicionar uma nova evidência em uma disputa?"), not for a yes or no: what we answer stands
 * in the description of the documents, and without any document a letter says it.
 */
export function createWooviDisputeReplies(client: WooviClient): Pick<Provider, 'replyToDispute'> {
  return {
    async replyToDispute(reply) {
      const documents = await documentsOf(reply)
      if (!Array.isArray(documents)) return documents
      const path = `/api/v1/dispute/${encodeURIComponent(reply.id)}/evidence`
      const json = wooviEvidenceRequestSchema.parse({ documents })
      const call = { call: 'replyToDispute', reference: reply.id, method: 'POST', path } as const
      return client.send({ ...call, json, hasOwnConnection: true }, answer =>
        wooviEvidenceResponseSchema.safeParse(answer).success ? {} : undefined,
      )
    },
  }

  async function documentsOf(
    reply: ProviderDisputeReply,
  ): Promise<EvidenceDocument[] | ReplyToDisputeOutcome> {
    const words = buildReplyText(reply)
    if (reply.attachments.length > 0)
      return reply.attachments.map(({ uuid, name, url }, index) => ({
        url,
        description: index === 0 ? `${name}\n${words}` : name,
        correlationID: uuid,
      }))
    const correlationID = createHash('sha256').update(`${reply.id}/${words}`).digest('hex').slice(0, 32)
    const bytes = renderTextPdf(words)
    const file = { field: 'file', name: 'resposta.pdf', contentType: 'application/pdf', bytes }
    const body = encodeMultipart({ fields: { purpose: 'DISPUTE_EVIDENCE', correlationID }, file })
    const call = {
      call: 'uploadEvidence',
      reference: reply.id,
      method: 'POST',
      path: '/api/v1/files',
    } as const
    const outcome = await client.send({ ...call, body, hasOwnConnection: true }, json => {
      const stored = wooviFileResponseSchema.safeParse(json).data?.file
      return stored && { fileId: stored.id }
    })
    switch (outcome.kind) {
      case 'accepted':
        return [{ fileId: outcome.fileId, description: words, correlationID }]
      case 'unknown': // The file may be there; the dispute has not been answered.
        return { ...outcome, kind: 'unreachable' }
      case 'rejected':
      case 'unreachable':
        return outcome satisfies RejectedResult | ReplyToDisputeOutcome
    }
  }
}

type EvidenceDocument = { url?: string; fileId?: string; description: string; correlationID: string }

/** In the language of who reads it. */
function buildReplyText({ accept, analysis }: ProviderDisputeReply): string {
  const answer = accept
    ? 'O recebedor concorda com a contestação.'
    : 'O recebedor não concorda com a contestação.'
  return `${answer}\n${analysis}`
}
