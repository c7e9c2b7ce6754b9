import { type BrCodeFault, parseBrCode } from '../pix/br-code.ts'
import { detectPixKeyType, normalizePixKey } from '../pix-keys/key-format.ts'
import type { CodeReading } from './code-reading.ts'

/** Paying a PIX code of another receiver (SPEC §4): what is paid, what keeps it from being paid, and who can pay it. */

/**
 * A code as it is ordered to be paid. `txid`: what the PIX has to carry, null where the code names none. `isOpen`: the payer chooses
 * the value. `receiverDocument`: what the signed document says, `''` where it says nothing.
 */
export type PaymentCode = {
  payload: string
  initiation: 'QR_STATIC' | 'QR_DYNAMIC'
  txid: string | null
  isOpen: boolean
  receiverDocument: string
}

/** Kinds of code by what a bank must be able to do: carry the txid of a key, read a location, or also take a value with that. */
export type PayableCode = 'STATIC' | 'DYNAMIC' | 'OPEN_DYNAMIC'

/** Why a code that was read cannot be paid: its status, what kind of code it is, or that its key is none of DICT. */
export const CODE_OBSTACLES = [
  'PAID',
  'REMOVED',
  'EXPIRED',
  'TOO_EARLY',
  'RECURRENCE',
  'COMPOSITE',
  'KEY',
] as const
export type CodeObstacle = (typeof CODE_OBSTACLES)[number]

/** What may differ between two readings of a code. */
export const CODE_CHANGES = ['receiver', 'value', 'txid'] as const
export type CodeChange = (typeof CODE_CHANGES)[number]

/**
 * Finds what keeps a code from being paid. A composite code is not: no bank says whether paying it also begins its recurrence. The key
 * is normalised.
 */
export function findCodeObstacle({
  status,
  kind,
  pixKey,
}: Pick<CodeReading, 'status' | 'kind' | 'pixKey'>): CodeObstacle | null {
  if (kind === 'RECURRENCE' || kind === 'COMPOSITE') return kind
  if (status !== 'PAYABLE') return status
  return detectPixKeyType(pixKey) === null ? 'KEY' : null
}

/** What of a reading must be the same when the code is paid. */
export type ComparedReading = Pick<CodeReading, 'pixKey' | 'receiverDocument' | 'txid'> & {
  value: Pick<CodeReading['value'], 'dueNowCents' | 'isOpen'>
}

/** Lists what differs between the reading that a payer was shown and the one before it is paid. */
export function listCodeChanges(shown: ComparedReading, current: ComparedReading): CodeChange[] {
  const isSameReceiver =
    shown.pixKey === current.pixKey && shown.receiverDocument === current.receiverDocument
  const isSameValue =
    shown.value.isOpen === current.value.isOpen &&
    (current.value.isOpen || shown.value.dueNowCents === current.value.dueNowCents)
  const isChanged = { receiver: !isSameReceiver, value: !isSameValue, txid: shown.txid !== current.txid }
  return CODE_CHANGES.filter(change => isChanged[change])
}

/** Builds what is ordered of a code that was read. */
export function buildPaymentCode(payload: string, reading: CodeReading): PaymentCode {
  return {
    payload,
    initiation: reading.kind === 'STATIC' ? 'QR_STATIC' : 'QR_DYNAMIC',
    txid: reading.txid,
    isOpen: reading.value.isOpen,
    receiverDocument: reading.receiverDocument,
  }
}

/** A code that is its own order: nothing has to be read at its receiver's bank. `cents`: null where the payer chooses the value. */
type StaticPayment = { kind: 'static'; code: PaymentCode; pixKey: string; cents: number | null }

/** Reads the text of a static code as an order. `located`: its charge is at a location, so that it is no order by itself. Throws for no text. */
export function readStaticPayment(
  text: string,
): StaticPayment | { kind: 'located' } | { kind: 'invalid'; fault: BrCodeFault | 'key' } {
  const payload = text.trim()
  const code = parseBrCode(payload)
  if (code.kind === 'invalid') return code
  if (code.kind !== 'static') return { kind: 'located' }
  const { txid, cents } = code
  const pixKey = normalizePixKey(code.key)
  if (detectPixKeyType(pixKey) === null) return { kind: 'invalid', fault: 'key' }
  const isOpen = cents === null
  return {
    kind: 'static',
    code: { payload, initiation: 'QR_STATIC', txid, isOpen, receiverDocument: '' },
    pixKey,
    cents,
  }
}

/** Tells whether a provider API pays a code as a code. */
export function isPaidAsCode(
  { payableCodes }: { payableCodes: readonly PayableCode[] },
  { initiation, isOpen }: Pick<PaymentCode, 'initiation' | 'isOpen'>,
): boolean {
  if (initiation === 'QR_STATIC') return payableCodes.includes('STATIC')
  return payableCodes.includes(isOpen ? 'OPEN_DYNAMIC' : 'DYNAMIC')
}

/**
 * Tells whether a code says no more than its key: a static one without a txid (`***`), whose PIX has none to carry (Manual de Padrões
 * para Iniciação do Pix). It may be paid as a transfer to that key.
 */
export function isPayableByKey({ initiation, txid }: Pick<PaymentCode, 'initiation' | 'txid'>): boolean {
  return initiation === 'QR_STATIC' && txid === null
}
