import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { textFromCents } from '../../domain/ledger/money.ts'
import type { SimulatedCharge } from '../charges.ts'

/** Signs and reads the documents behind payloads' URLs: JWS in compact form, ES256 (Manual de Padrões, "payload JSON"). */
export type PayloadSigner = { sign(document: unknown): string; verify(jws: string): unknown; jwk: object }

export function createPayloadSigner(privateKeyPem: string): PayloadSigner {
  const privateKey = createPrivateKey(privateKeyPem)
  const publicKey = createPublicKey(privateKeyPem)
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'simulator', use: 'sig', alg: 'ES256' }
  const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
  return {
    jwk,
    sign: document => {
      const signed = `${encoded({ alg: 'ES256', kid: 'simulator', typ: 'JOSE' })}.${encoded(document)}`
      return `${signed}.${signText(signed, privateKey)}`
    },
    verify: jws => {
      const [header = '', body = '', signature = ''] = jws.split('.')
      const fits = verify(
        'sha256',
        Buffer.from(`${header}.${body}`),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      )
      if (!fits) throw new Error('the signature of a payload does not fit')
      return JSON.parse(Buffer.from(body, 'base64url').toString()) as unknown
    },
  }
}

function signText(text: string, key: KeyObject): string {
  return sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}

/** What a bank reads behind a payload's URL (pix-api, CobPayload). */
export type PayloadDocument = {
  revisao: number
  calendario: { criacao: string; apresentacao: string; expiracao: number }
  txid: string
  chave: string
  valor: { original: string }
  status: string
  solicitacaoPagador?: string
}

/** The document of a charge. */
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
