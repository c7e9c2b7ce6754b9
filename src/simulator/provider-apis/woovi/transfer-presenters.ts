import { RAIL_CODES } from '../../../domain/pix/rail-codes.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedRecipient, SimulatedTransfer } from '../../transfers.ts'
import { presentTaxId } from './presenters.ts'

/** How Woovi writes a payment out: the order, its movement, its recipient, why it failed. */

const PAYMENT_STATUS = {
  in_process: 'APPROVED',
  settled: 'CONFIRMED',
  rejected: 'FAILED',
} as const satisfies Record<SimulatedTransfer['status'], string>

export type WooviOrder = { id: string; cents: number; key: string; message: string | null }

/** A payment that waits for its approval. */
export function presentPendingPayment(order: WooviOrder, account: SimulatedAccount) {
  return { payment: { ...presentOrder(order, account.id), status: 'CREATED' } }
}

/** A payment on its way or at its end. */
export function presentWooviPayment(sending: SimulatedTransfer) {
  const recipient = JSON.parse(sending.recipient) as SimulatedRecipient
  const { id, cents, message, accountId } = sending
  const transaction = {
    value: cents,
    endToEndId: sending.endToEnd,
    time: sending.settledAt ?? sending.requestedAt,
  }
  const payment = {
    ...presentOrder({ id, cents, key: recipient.key ?? '', message }, accountId),
    status: PAYMENT_STATUS[sending.status],
  }
  if (sending.status === 'rejected') {
    const code = sending.code!
    if (WOOVI_CODE_PATTERN.test(code))
      return { payment, transaction, error: { code, description: PAYMENT_FAILED.description } }
    const failure = { providerRejectedReason: formatRailReason(code), providerErrorCode: code }
    return { payment, transaction: { ...transaction, ...failure }, error: PAYMENT_FAILED }
  }
  return {
    payment,
    transaction,
    ...(sending.status === 'settled' ? { destination: presentDestination(recipient) } : {}),
  }
}
/** A code of Woovi's own, and not the rail's. */
const WOOVI_CODE_PATTERN = /^[A-Z]+(_[A-Z]+)+$/
const PAYMENT_FAILED = { code: 'PAY_PIX_KEY_ERROR', description: 'Falha ao Pagar Chave Pix' }

/** The rail's code and reason, as Woovi writes them. */
function formatRailReason(code: string): string {
  return `${code} - ${RAIL_CODES[code]?.meaning ?? 'Pagamento rejeitado'}`
}

function presentOrder({ id, cents, key, message }: WooviOrder, accountId: string) {
  return {
    value: cents,
    destinationAlias: key,
    comment: message ?? '',
    correlationID: id,
    sourceAccountId: accountId,
  }
}

function presentDestination({ name, document, key }: SimulatedRecipient) {
  return {
    name,
    taxID: presentTaxId(document),
    pixKey: key,
    bankName: 'Banco de Teste',
    ispb: '99999004',
    branch: '0001',
    account: '123456',
    accountType: 'TRAN',
  }
}
