import { type Dispatcher, fetch } from 'undici'
import type { SimulatedAccounts } from '../accounts.ts'
import { centsFromText } from '../amount.ts'
import { parseBrCode } from '../br-code.ts'
import { type ChargePaymentResult, computeExpiry, type SimulatedCharges } from '../charges.ts'
import { PAYER_BANK_ISPB, type PixPayer, type Receipts } from '../receipts.ts'
import type { PayloadDocument, PayloadSigner } from './payload-document.ts'

/** The payer's bank. */
export type PayerBank = {
  /** Reads a code as a bank does: its fields, then the document at its URL, or the owner of its key. */
  read(payload: string): Promise<CodeReading>
  /**
   * Pays a code; `cents`: another amount than the code's; `force`: also if a bank would refuse (expired, paid,
   * removed); `dropsTxid`: the app leaves the txid of a static code out, as some do; `on`: the day in Brasília, where it is not today.
   */
  pay(order: {
    payload: string
    on?: string | undefined
    cents?: number
    payer?: PayerIdentity
    force: boolean
    dropsTxid?: boolean
  }): Promise<ChargePaymentResult>
}
type PayerIdentity = { name: string; document: string }

const DEFAULT_PAYER: PayerIdentity = { name: 'Pagador de Teste', document: '12345678909' }

export function buildPayer(identity: PayerIdentity | undefined): PixPayer {
  return { ...(identity ?? DEFAULT_PAYER), ispb: PAYER_BANK_ISPB }
}

type PayerBankDependencies = {
  accounts: SimulatedAccounts
  receipts: Receipts
  charges: SimulatedCharges
  signer: PayloadSigner
  dispatcher: Dispatcher
  url: () => string
}

export function simulatePayerBank({
  accounts,
  receipts,
  charges,
  signer,
  dispatcher,
  url,
}: PayerBankDependencies): PayerBank {
  const read = async (payload: string, on?: string): Promise<CodeReading> => {
    const code = parseBrCode(payload)
    if (code.kind === 'invalid') return buildNotPayable(code.reason)
    if (code.key !== null) return readStaticCode(accounts, { ...code, key: code.key })
    const token = parsePayloadToken(code.url)
    if (!token) return buildNotPayable('this code is not of the simulator')
    // Only the token of the URL counts: a restart may have moved the simulator to another port.
    const day = on === undefined ? '' : `?DPP=${on}`
    const response = await fetch(`${url()}/qr/v2/${token}${day}`, { dispatcher })
    const text = await response.text()
    if (!response.ok) return buildNotPayable((JSON.parse(text) as { detail: string }).detail)
    const document = signer.verify(text) as PayloadDocument
    return { kind: 'payable', code: buildPayableCode(document, code) }
  }

  return {
    read,
    pay: async ({ payload, on, cents, payer, force, dropsTxid = false }) => {
      const code = parseBrCode(payload)
      if (code.kind === 'valid' && code.key !== null)
        return payStaticCode(
          { accounts, receipts },
          { ...code, key: code.key, cents, payer: buildPayer(payer), ...(dropsTxid && { txid: '***' }) },
        )
      const reading = await read(payload, on)
      if (reading.kind === 'not_payable' && !force) return reading
      const token = code.kind === 'valid' ? parsePayloadToken(code.url) : null
      if (!token) return buildNotPayable('this code is not of the simulator')
      const at = on === undefined ? undefined : getPaymentTime(on)
      return charges.pay({ token, on: at, cents: cents ?? null, payer: buildPayer(payer), force })
    },
  }
}

/** Returns a time of a day in Brasília, far from its ends. */
export function getPaymentTime(day: string): Date {
  return new Date(`${day}T12:00:00-03:00`)
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
  const expiresAt =
    'expiracao' in calendario
      ? computeExpiry({
          createdAt: calendario.criacao,
          expiresInSeconds: calendario.expiracao,
        }).toISOString()
      : null
  return {
    receiver: merchantName,
    city: merchantCity,
    key: document.chave,
    cents: centsFromText('final' in valor ? valor.final : valor.original) || null,
    txid: document.txid,
    message: document.solicitacaoPagador ?? null,
    expiresAt,
  }
}

/** A PIX code that can be paid, with what its payer sees before paying. */
type PayableCode = {
  receiver: string
  city: string
  key: string
  /** Null: the payer chooses the amount. */
  cents: number | null
  txid: string
  message: string | null
  /** Null of a static code, and of a charge with a due date. */
  expiresAt: string | null
}
type CodeReading = { kind: 'payable'; code: PayableCode } | { kind: 'not_payable'; why: string }

/** The fields of a static code. It contains the key itself; a bank finds the key's owner in DICT. */
type StaticCode = {
  key: string
  totalCents: number | null
  /** `***`: the code has none. */
  txid: string
  merchantName: string
  merchantCity: string
}

const OPEN_AMOUNT = { kind: 'not_payable', why: 'its amount is open' } as const
const UNKNOWN_KEY = { kind: 'not_payable', why: 'this code is not of the simulator' } as const

/** Reads a static code; one with an open amount cannot be paid on the payer's page. */
function readStaticCode(
  accounts: SimulatedAccounts,
  { key, totalCents, txid, merchantName, merchantCity }: StaticCode,
): CodeReading {
  if (!accounts.findByKey(key)) return UNKNOWN_KEY
  if (totalCents === null) return OPEN_AMOUNT
  return {
    kind: 'payable',
    code: {
      receiver: merchantName,
      city: merchantCity,
      key,
      cents: totalCents,
      txid,
      message: null,
      expiresAt: null,
    },
  }
}

/**
 * Settles a PIX to the key of a static code; `cents`: another amount than the code's, which the rail does not refuse.
 */
function payStaticCode(
  { accounts, receipts }: { accounts: SimulatedAccounts; receipts: Receipts },
  { key, totalCents, txid, cents, payer }: StaticCode & { cents: number | undefined; payer: PixPayer },
): ChargePaymentResult {
  const account = accounts.findByKey(key)
  const paidCents = cents ?? totalCents
  if (!account) return UNKNOWN_KEY
  if (paidCents === null) return OPEN_AMOUNT
  const receipt = receipts.receive({
    accountId: account.id,
    key,
    cents: paidCents,
    payer,
    txid: txid === '***' ? null : txid,
  })
  return { kind: 'paid', receipt }
}
