import { type Dispatcher, fetch } from 'undici'
import type { SimulatedAccounts } from '../accounts.ts'
import { centsFromText } from '../amount.ts'
import { parseBrCode } from '../br-code.ts'
import { type ChargePaymentResult, computeExpiry, type SimulatedCharges } from '../charges.ts'
import { PAYER_BANK_ISPB, type PixPayer, type Receipts } from '../receipts.ts'
import type { SimulatedRecurrence } from '../recurrences/recurrences.ts'
import type { SimulatedRecurring } from '../recurrences/recurring.ts'
import type { PayloadDocument, PayloadSigner } from './payload-document.ts'
import { type RecurrenceReading, readRecurrenceDocument } from './recurrence-document.ts'

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
    /** How the payer answers the recurrence of a composite code; absent: authorises it. */
    recurrence?: RecurrenceDecision | undefined
    ceilingCents?: number | null | undefined
  }): Promise<ChargePaymentResult>
  /** Answers the recurrence of a code without a payment (journey 2). */
  authorize(order: {
    payload: string
    isAccepted: boolean
    ceilingCents: number | null
    payerDocument?: string | undefined
  }): AuthorizationResult
}

/** `ignore`: neither authorised nor refused, as an offer (journey 4) can be. */
type RecurrenceDecision = 'accept' | 'reject' | 'ignore'
type AuthorizationResult =
  | { kind: 'answered'; recurrence: SimulatedRecurrence }
  | { kind: 'not_payable'; why: string }
type PayerIdentity = { name: string; document: string }

const DEFAULT_PAYER: PayerIdentity = { name: 'Pagador de Teste', document: '12345678909' }

export function buildPayer(identity: PayerIdentity | undefined): PixPayer {
  return { ...(identity ?? DEFAULT_PAYER), ispb: PAYER_BANK_ISPB }
}

type PayerBankDependencies = {
  accounts: SimulatedAccounts
  receipts: Receipts
  charges: SimulatedCharges
  recurring: SimulatedRecurring
  signer: PayloadSigner
  dispatcher: Dispatcher
  url: () => string
}

export function simulatePayerBank({
  accounts,
  receipts,
  charges,
  recurring,
  signer,
  dispatcher,
  url,
}: PayerBankDependencies): PayerBank {
  /** Fetches a document from the simulator: a restart may have moved it to another port, so only the URL's path counts. */
  const fetchDocument = async (path: string) => {
    const response = await fetch(`${url()}${path}`, { dispatcher })
    const text = await response.text()
    return response.ok
      ? { kind: 'fetched' as const, document: signer.verify(text) }
      : { kind: 'refused' as const, why: (JSON.parse(text) as { detail: string }).detail }
  }
  const readRecurrence = async (recurrenceUrl: string): Promise<RecurrenceReading | { why: string }> => {
    const token = parseRecurrenceToken(recurrenceUrl)
    if (!token) return { why: 'this code is not of the simulator' }
    const fetched = await fetchDocument(`/qr/v2/rec/${token}`)
    return fetched.kind === 'refused' ? { why: fetched.why } : readRecurrenceDocument(fetched.document)
  }
  const findRecurrenceId = (recurrenceUrl: string | null) => {
    const token = parseRecurrenceToken(recurrenceUrl)
    return token === null ? null : (recurring.locations.findByToken(token)?.recurrenceId ?? null)
  }
  /** Answers the recurrence of a composite code after its payment; one that does not wait for an answer stays as it is. */
  const answerComposite = (
    recurrenceUrl: string,
    txid: string | null,
    {
      decision,
      ceilingCents,
      payer,
    }: { decision: RecurrenceDecision; ceilingCents: number | null; payer: PixPayer },
  ) => {
    const id = findRecurrenceId(recurrenceUrl)
    const recurrence = id === null ? undefined : recurring.recurrences.find(id)
    if (!recurrence || decision === 'ignore') return
    const journey = recurrence.activationTxid === txid && isInstantCharge(recurrence, txid) ? 3 : 4
    recurring.payers.answer(
      recurrence.id,
      decision === 'accept'
        ? { accept: true, ceilingCents, payerDocument: payer.document, journey }
        : { accept: false, journey },
    )
  }
  const isInstantCharge = ({ accountId }: SimulatedRecurrence, txid: string | null) =>
    txid !== null && charges.find(accountId, txid)?.due === null

  const read = async (payload: string, on?: string): Promise<CodeReading> => {
    const code = parseBrCode(payload)
    if (code.kind === 'invalid') return buildNotPayable(code.reason)
    if (code.key !== null) return readStaticCode(accounts, { ...code, key: code.key })
    const recurrence = code.recurrenceUrl === null ? null : await readRecurrence(code.recurrenceUrl)
    if (code.url === null)
      return recurrence === null || 'why' in recurrence
        ? buildNotPayable(recurrence?.why ?? 'this code is not of the simulator')
        : { kind: 'authorizable', recurrence }
    const token = parsePayloadToken(code.url)
    if (!token) return buildNotPayable('this code is not of the simulator')
    const day = on === undefined ? '' : `?DPP=${on}`
    const fetched = await fetchDocument(`/qr/v2/${token}${day}`)
    if (fetched.kind === 'refused') return buildNotPayable(fetched.why)
    return {
      kind: 'payable',
      code: buildPayableCode(fetched.document as PayloadDocument, code),
      // A charge can be paid also where its recurrence has ended.
      recurrence: recurrence === null || 'why' in recurrence ? null : recurrence,
    }
  }

  return {
    read,
    authorize: ({ payload, isAccepted, ceilingCents, payerDocument }) => {
      const code = parseBrCode(payload)
      const id = code.kind === 'valid' ? findRecurrenceId(code.recurrenceUrl) : null
      if (id === null) return buildNotPayable('this code is not of the simulator')
      const answered = recurring.payers.answer(
        id,
        isAccepted
          ? { accept: true, ceilingCents, payerDocument, journey: 2 }
          : { accept: false, journey: 2 },
      )
      if (answered === 'ceiling_below_minimum') return buildNotPayable('the ceiling is below the minimum')
      return answered
        ? { kind: 'answered', recurrence: answered }
        : buildNotPayable('the recurrence has been answered')
    },
    pay: async ({ payload, on, cents, payer, force, dropsTxid = false, ...answer }) => {
      const code = parseBrCode(payload)
      if (code.kind === 'valid' && code.key !== null)
        return payStaticCode(
          { accounts, receipts },
          { ...code, key: code.key, cents, payer: buildPayer(payer), ...(dropsTxid && { txid: '***' }) },
        )
      const reading = await read(payload, on)
      if (reading.kind === 'not_payable' && !force) return reading
      if (reading.kind === 'authorizable') return buildNotPayable('there is nothing to pay')
      const token = code.kind === 'valid' ? parsePayloadToken(code.url) : null
      if (!token) return buildNotPayable('this code is not of the simulator')
      const at = on === undefined ? undefined : getPaymentTime(on)
      const paid = charges.pay({ token, on: at, cents: cents ?? null, payer: buildPayer(payer), force })
      const { recurrence: decision = 'accept', ceilingCents = null } = answer
      if (paid.kind === 'paid' && code.kind === 'valid' && code.recurrenceUrl !== null)
        answerComposite(code.recurrenceUrl, paid.receipt.txid, {
          decision,
          ceilingCents,
          payer: buildPayer(payer),
        })
      return paid
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

function parseRecurrenceToken(url: string | null): string | null {
  return /\/qr\/v2\/rec\/([0-9a-f]{32})$/.exec(url ?? '')?.[1] ?? null
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
type CodeReading =
  | { kind: 'payable'; code: PayableCode; recurrence: RecurrenceReading | null }
  /** A code of a recurrence alone. */
  | { kind: 'authorizable'; recurrence: RecurrenceReading }
  | { kind: 'not_payable'; why: string }

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
    recurrence: null,
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
