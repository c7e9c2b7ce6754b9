import { type Dispatcher, fetch } from 'undici'
import { readPayload } from '../domain/br-code.ts'
import { centsFromText } from '../domain/money.ts'
import { type Charges, expiryOf, type PaymentOutcome } from './charges.ts'
import type { PayloadDocument, PayloadSeal } from './payload-document.ts'
import { PAYER_BANK_ISPB, type Payer } from './receipts.ts'

/** What the payer sees before paying. */
export type Asked = {
  token: string
  receiver: string
  city: string
  key: string
  cents: number
  txid: string
  message: string | null
  expiresAt: string
}
type ReadCode = { kind: 'payable'; asked: Asked } | { kind: 'not_payable'; why: string }

/** The payer's bank. */
export type PayerBank = {
  /** Reads a code as a bank does: its frame, then the charge behind its URL. */
  read(payload: string): Promise<ReadCode>
  /** `cents` pays another value than asked; `force` pays what a bank would refuse: late, again, removed. */
  pay(order: { payload: string; cents?: number; payer?: PayerName; force: boolean }): Promise<PaymentOutcome>
}
type PayerName = { name: string; document: string }

const DEFAULT_PAYER: PayerName = { name: 'Pagador de Teste', document: '12345678909' }

export function payerOf(name: PayerName | undefined): Payer {
  return { ...(name ?? DEFAULT_PAYER), ispb: PAYER_BANK_ISPB }
}

type Parts = { charges: Charges; seal: PayloadSeal; dispatcher: Dispatcher; url: () => string }

export function payerBankOf({ charges, seal, dispatcher, url }: Parts): PayerBank {
  const read = async (payload: string): Promise<ReadCode> => {
    const code = readPayload(payload)
    if (code.kind === 'invalid') return notPayable(code.why)
    const token = tokenOf(code.url)
    if (!token) return notPayable('this code is not of the simulator')
    // The token counts, not the port: a restart may have moved the simulator to another one.
    const answer = await fetch(`${url()}/qr/v2/${token}`, { dispatcher })
    const text = await answer.text()
    if (!answer.ok) return notPayable((JSON.parse(text) as { detail: string }).detail)
    const document = seal.open(text) as PayloadDocument
    return { kind: 'payable', asked: asked(document, { ...code, token }) }
  }

  return {
    read,
    pay: async ({ payload, cents, payer, force }) => {
      const seen = await read(payload)
      if (seen.kind === 'not_payable' && !force) return seen
      const code = readPayload(payload)
      const token = code.kind === 'valid' ? tokenOf(code.url) : null
      if (!token) return notPayable('this code is not of the simulator')
      return charges.pay({ token, cents: cents ?? null, payer: payerOf(payer), force })
    },
  }
}

function tokenOf(url: string | null): string | null {
  return /\/qr\/v2\/([0-9a-f]{32})$/.exec(url ?? '')?.[1] ?? null
}

function notPayable(why: string) {
  return { kind: 'not_payable', why } as const
}

type Shown = { merchantName: string; merchantCity: string; token: string }

function asked(document: PayloadDocument, { merchantName, merchantCity, token }: Shown): Asked {
  const { calendario, valor } = document
  const expiry = expiryOf({ createdAt: calendario.criacao, expiresInSeconds: calendario.expiracao })
  return {
    token,
    receiver: merchantName,
    city: merchantCity,
    key: document.chave,
    cents: centsFromText(valor.original)!,
    txid: document.txid,
    message: document.solicitacaoPagador ?? null,
    expiresAt: expiry.toISOString(),
  }
}
