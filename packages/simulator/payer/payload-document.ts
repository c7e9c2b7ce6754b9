import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { SimulatedAccount } from '../accounts.ts'
import { textFromCents } from '../amount.ts'
import type { SimulatedCharge } from '../charges.ts'
import { type DueParts, sumDueParts } from '../due-charges.ts'
import { presentBacenReceiver } from '../provider-apis/bacen/due-presenters.ts'

/** Signs and verifies the documents at payloads' URLs: compact JWS, ES256 (Manual de Padrões, "payload JSON"). */
export type PayloadSigner = { sign(document: unknown): string; verify(jws: string): unknown; jwk: object }

/** `keysUrl`: the URL of the key set, on the host of the documents (Manual de Segurança do Pix: `jku`). */
export function createPayloadSigner(privateKeyPem: string, keysUrl: () => string): PayloadSigner {
  const privateKey = createPrivateKey(privateKeyPem)
  const publicKey = createPublicKey(privateKeyPem)
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'simulator', use: 'sig', alg: 'ES256' }
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
  return {
    jwk,
    sign: document => {
      const signedText = `${encode({ alg: 'ES256', kid: 'simulator', typ: 'JOSE', jku: keysUrl() })}.${encode(document)}`
      return `${signedText}.${signText(signedText, privateKey)}`
    },
    verify: jws => {
      const [header = '', body = '', signature = ''] = jws.split('.')
      const isGenuine = verify(
        'sha256',
        Buffer.from(`${header}.${body}`),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      )
      if (!isGenuine) throw new Error('the signature of a payload document is invalid')
      return JSON.parse(Buffer.from(body, 'base64url').toString()) as unknown
    },
  }
}

function signText(text: string, key: KeyObject): string {
  return sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}

/** The document at a payload's URL, which the payer's bank reads (pix-api, CobPayload). */
export type PayloadDocument = {
  revisao: number
  calendario:
    | { criacao: string; apresentacao: string; expiracao: number }
    | { criacao: string; apresentacao: string }
  txid: string
  chave: string
  valor: { original: string } | { final: string }
  status: string
  solicitacaoPagador?: string
}

export function buildPayloadDocument(charge: SimulatedCharge, presentedAt: Date): PayloadDocument {
  const { solicitacaoPagador } = JSON.parse(charge.details) as { solicitacaoPagador?: string }
  return {
    revisao: charge.revision,
    calendario: {
      criacao: charge.createdAt,
      apresentacao: presentedAt.toISOString(),
      expiracao: charge.expiresInSeconds,
    },
    txid: charge.txid,
    chave: charge.key,
    valor: { original: textFromCents(charge.cents) },
    status: 'ATIVA',
    ...(solicitacaoPagador ? { solicitacaoPagador } : {}),
  }
}

/** Builds the document of a charge with a due date (pix-api, CobVPayload): the amount is of the intended day of payment. */
export function buildDuePayloadDocument(
  charge: SimulatedCharge,
  { presentedAt, parts, receiver }: { presentedAt: Date; parts: DueParts; receiver: SimulatedAccount },
) {
  const { devedor, solicitacaoPagador } = JSON.parse(charge.details) as Record<string, unknown>
  const { calendario } = JSON.parse(charge.due!) as { calendario?: object }
  return {
    revisao: charge.revision,
    calendario: { criacao: charge.createdAt, apresentacao: presentedAt.toISOString(), ...calendario },
    txid: charge.txid,
    chave: charge.key,
    devedor,
    recebedor: presentBacenReceiver(receiver),
    valor: {
      original: textFromCents(parts.originalCents),
      multa: textFromCents(parts.fineCents),
      juros: textFromCents(parts.interestCents),
      abatimento: textFromCents(parts.abatementCents),
      desconto: textFromCents(parts.discountCents),
      final: textFromCents(sumDueParts(parts)),
    },
    status: 'ATIVA',
    ...(solicitacaoPagador ? { solicitacaoPagador } : {}),
  }
}
