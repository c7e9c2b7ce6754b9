import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedRecipient, SimulatedTransfer } from '../../transfers.ts'

const PAYMENT_STATUS = {
  in_process: 'APPROVED',
  settled: 'CONFIRMED',
  rejected: 'FAILED',
} as const satisfies Record<SimulatedTransfer['status'], string>

/** An order of a payment: of a key, of a code, or to an account. */
export type WooviOrder = {
  id: string
  cents: number
  key: string | null
  /** SimulatedRecipient of a code or an account as JSON; null of a key. */
  recipient: string | null
  message: string | null
  /** The check of the key that the payment names. */
  checkEndToEnd: string | null
}

/** Presents a payment that waits for approval. */
export function presentPendingPayment(order: WooviOrder, account: SimulatedAccount) {
  return { payment: { ...presentOrder(order, account.id), status: 'CREATED' } }
}

/** Presents an approved payment: the order, its transaction and its recipient or failure. */
export function presentWooviPayment(transfer: SimulatedTransfer) {
  const recipient = JSON.parse(transfer.recipient) as SimulatedRecipient
  const { id, cents, message, accountId } = transfer
  const transaction = {
    value: cents,
    endToEndId: transfer.endToEnd,
    time: transfer.settledAt ?? transfer.requestedAt,
  }
  const payment = {
    ...presentOrder({ id, cents, key: recipient.key, message, recipient: transfer.recipient }, accountId),
    status: PAYMENT_STATUS[transfer.status],
  }
  if (transfer.status === 'rejected') {
    const code = transfer.code!
    if (WOOVI_CODE_PATTERN.test(code))
      return { payment, transaction, error: { code, description: PAYMENT_FAILED.description } }
    const failure = { providerRejectedReason: formatRailReason(code), providerErrorCode: code }
    return { payment, transaction: { ...transaction, ...failure }, error: PAYMENT_FAILED }
  }
  return {
    payment,
    transaction,
    ...(transfer.status === 'settled' ? { destination: presentDestination(recipient) } : {}),
  }
}
/** Matches a code of Woovi's own, as opposed to one of the rail. */
const WOOVI_CODE_PATTERN = /^[A-Z]+(_[A-Z]+)+$/
const PAYMENT_FAILED = { code: 'PAY_PIX_KEY_ERROR', description: 'Falha ao Pagar Chave Pix' }

/** Formats a code of the rail as Woovi does: before a sentence. */
function formatRailReason(code: string): string {
  return `${code} - Pagamento rejeitado`
}

function presentOrder(
  { id, cents, key, recipient, message }: Omit<WooviOrder, 'checkEndToEnd'>,
  accountId: string,
) {
  const { code } = JSON.parse(recipient ?? '{}') as Partial<SimulatedRecipient>
  return {
    value: cents,
    ...(code ? { type: 'QR_CODE', qrCode: code.payload } : key === null ? {} : { destinationAlias: key }),
    comment: message ?? '',
    correlationID: id,
    sourceAccountId: accountId,
  }
}

function presentDestination({ name, document, key, account }: SimulatedRecipient) {
  const place = account ?? { ispb: '99999004', branch: '0001', number: '123456' }
  return {
    name,
    taxID: document,
    ...(key === null ? {} : { pixKey: key }),
    bankName: 'Banco de Teste',
    ispb: place.ispb,
    branch: place.branch,
    account: place.number,
    accountType: 'TRAN',
  }
}
