import { type Dispatcher, fetch } from 'undici'
import { centsFromText } from '../../domain/ledger/money.ts'
import { parseBrCode } from '../../domain/pix/br-code.ts'
import type { SimulatedAccounts } from '../accounts.ts'
import { type ChargePaymentResult, computeExpiry, type SimulatedCharges } from '../charges.ts'
import { PAYER_BANK_ISPB, type PixPayer, type Receipts } from '../receipts.ts'
import type { CodeReading, PayableCode } from './payable-code.ts'
import type { PayloadDocument, PayloadSigner } from './payload-document.ts'
import { payStaticCode, readStaticCode } from './static-code.ts'

/** The payer's bank. */
export type PayerBank = {
  /** Reads a code as a bank does: its frame, then the charge behind its URL, or the owner of its key. */
  read(payload: string): Promise<CodeReading>
  /** `cents` pays another value than asked; `force` pays what a bank would refuse: late, again, removed. */
  pay(order: {
    payload: string
    cents?: number
    payer?: PayerIdentity
    force: boolean
  }): Promise<ChargePaymentResult>
}
type PayerIdentity = { name: string; document: string }

const DEFAULT_PAYER: PayerIdentity = { name: 'Pagador de Teste', document: '12345678909' }

export function buildPayer(name: PayerIdentity | undefined): PixPayer {
  return { ...(name ?? DEFAULT_PAYER), ispb: PAYER_BANK_ISPB }
}

type PayerBankDependencies = {
  accounts: SimulatedAccounts
  receipts: Receipts
  charges: SimulatedCharges
  seal: PayloadSigner
  dispatcher: Dispatcher
  url: () => string
}

export function simulatePayerBank({
  accounts,
  receipts,
  charges,
  seal,
  dispatcher,
  url,
}: PayerBankDependencies): PayerBank {
  const read = async (payload: string): Promise<CodeReading> => {
    const code = parseBrCode(payload)
    if (code.kind === 'invalid') return buildNotPayable(code.reason)
    if (code.key !== null) return readStaticCode(accounts, { ...code, key: code.key })
    const token = parsePayloadToken(code.url)
    if (!token) return buildNotPayable('this code is not of the simulator')
    // The token counts, not the port: a restart may have moved the simulator to another one.
    const answer = await fetch(`${url()}/qr/v2/${token}`, { dispatcher })
    const text = await answer.text()
    if (!answer.ok) return buildNotPayable((JSON.parse(text) as { detail: string }).detail)
    const document = seal.verify(text) as PayloadDocument
    return { kind: 'payable', asked: buildPayableCode(document, code) }
  }

  return {
    read,
    pay: async ({ payload, cents, payer, force }) => {
      const still = parseBrCode(payload)
      if (still.kind === 'valid' && still.key !== null)
        return payStaticCode(
          { accounts, receipts },
          { ...still, key: still.key, cents, payer: buildPayer(payer) },
        )
      const seen = await read(payload)
      if (seen.kind === 'not_payable' && !force) return seen
      const code = parseBrCode(payload)
      const token = code.kind === 'valid' ? parsePayloadToken(code.url) : null
      if (!token) return buildNotPayable('this code is not of the simulator')
      return charges.pay({ token, cents: cents ?? null, payer: buildPayer(payer), force })
    },
  }
}

function parsePayloadToken(url: string | null): string | null {
  return /\/qr\/v2\/([0-9a-f]{32})$/.exec(url ?? '')?.[1] ?? null
}

function buildNotPayable(why: string) {
  return { kind: 'not_payable', why } as const
}

type PayloadFields = { merchantName: string; merchantCity: string }

function buildPayableCode(
  document: PayloadDocument,
  { merchantName, merchantCity }: PayloadFields,
): PayableCode {
  const { calendario, valor } = document
  const expiry = computeExpiry({ createdAt: calendario.criacao, expiresInSeconds: calendario.expiracao })
  return {
    receiver: merchantName,
    city: merchantCity,
    key: document.chave,
    cents: centsFromText(valor.original)!,
    txid: document.txid,
    message: document.solicitacaoPagador ?? null,
    expiresAt: expiry.toISOString(),
  }
}
