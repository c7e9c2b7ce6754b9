import { createHash } from 'node:crypto'
import type { MedReply, ReplyOutcome } from '../../domain/med-facts.ts'
import type { Rejected } from '../../domain/provider.ts'
import { multipart } from '../multipart.ts'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'
import { letter } from './letter.ts'
import { evidenceAnswer, fileAnswer, newEvidence } from './med-shapes.ts'

/**
 * Woovi asks for evidence ("Como adicionar uma nova evidência em uma disputa?"), not for a yes or no: what we answer stands
 * in the description of the documents, and without any document a letter says it.
 */
export function replies(client: WooviClient): Pick<Provider, 'replyMed'> {
  return {
    async replyMed(reply) {
      const documents = await documentsOf(reply)
      if (!Array.isArray(documents)) return documents
      const path = `/api/v1/dispute/${encodeURIComponent(reply.id)}/evidence`
      const json = newEvidence.parse({ documents })
      const call = { call: 'replyMed', reference: reply.id, method: 'POST', path } as const
      return client.send({ ...call, json, fresh: true }, answer =>
        evidenceAnswer.safeParse(answer).success ? {} : undefined,
      )
    },
  }

  async function documentsOf(reply: MedReply): Promise<Document[] | ReplyOutcome> {
    const words = wordsOf(reply)
    if (reply.attachments.length > 0)
      return reply.attachments.map(({ uuid, name, url }, index) => ({
        url,
        description: index === 0 ? `${name}\n${words}` : name,
        correlationID: uuid,
      }))
    const correlationID = createHash('sha256').update(`${reply.id}/${words}`).digest('hex').slice(0, 32)
    const bytes = letter(words)
    const file = { field: 'file', name: 'resposta.pdf', contentType: 'application/pdf', bytes }
    const body = multipart({ fields: { purpose: 'DISPUTE_EVIDENCE', correlationID }, file })
    const call = {
      call: 'uploadEvidence',
      reference: reply.id,
      method: 'POST',
      path: '/api/v1/files',
    } as const
    const outcome = await client.send({ ...call, body, fresh: true }, json => {
      const stored = fileAnswer.safeParse(json).data?.file
      return stored && { fileId: stored.id }
    })
    switch (outcome.kind) {
      case 'accepted':
        return [{ fileId: outcome.fileId, description: words, correlationID }]
      case 'unknown': // The file may be there; the dispute has not been answered.
        return { ...outcome, kind: 'unreachable' }
      case 'rejected':
      case 'unreachable':
        return outcome satisfies Rejected | ReplyOutcome
    }
  }
}

type Document = { url?: string; fileId?: string; description: string; correlationID: string }

/** In the language of who reads it. */
function wordsOf({ accept, analysis }: MedReply): string {
  const answer = accept
    ? 'O recebedor concorda com a contestação.'
    : 'O recebedor não concorda com a contestação.'
  return `${answer}\n${analysis}`
}
