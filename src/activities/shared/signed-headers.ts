import type { SigningSecrets } from '../../db/entities/webhook.ts'
import type { Sealer } from '../../security/sealing.ts'
import { buildSignatureHeaders } from '../../webhook-client/signature.ts'

type SignedMessage = { id: string; at: Date; body: string; requestId: string }

/** Builds the headers of one request: those of Standard Webhooks, by the present secret and by replaced ones that sign still. */
export function buildSignedHeaders(
  sealer: Sealer,
  { sealedSecret, previousSecrets }: SigningSecrets,
  { id, at, body, requestId }: SignedMessage,
): Record<string, string> {
  const previous = previousSecrets.filter(({ until }) => Date.parse(until) > at.getTime())
  const sealed = [sealedSecret, ...previous.map(token => token.sealed)]
  const secrets = sealed.map(one => sealer.open<string>(one))
  return { 'x-request-id': requestId, ...buildSignatureHeaders({ id, at, body, secrets }) }
}
