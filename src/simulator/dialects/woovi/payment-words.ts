import { railCodes } from '../../../domain/rail-codes.ts'
import type { Account } from '../../accounts.ts'
import type { Recipient, Sending } from '../../sendings.ts'
import { taxIdOf } from './words.ts'

/** How Woovi writes a payment out: the order, its movement, its recipient, why it failed. */

const PAYMENT_STATUS = {
  in_process: 'APPROVED',
  settled: 'CONFIRMED',
  rejected: 'FAILED',
} as const satisfies Record<Sending['status'], string>

export type Order = { id: string; cents: number; key: string; message: string | null }

/** A payment that waits for its approval. */
export function waitingOf(order: Order, account: Account) {
  return { payment: { ...orderOf(order, account.id), status: 'CREATED' } }
}

/** A payment on its way or at its end. */
export function paymentOf(sending: Sending) {
  const recipient = JSON.parse(sending.recipient) as Recipient
  const { id, cents, message, accountId } = sending
  const transaction = {
    value: cents,
    endToEndId: sending.endToEnd,
    time: sending.settledAt ?? sending.requestedAt,
  }
  const payment = {
    ...orderOf({ id, cents, key: recipient.key ?? '', message }, accountId),
    status: PAYMENT_STATUS[sending.status],
  }
  if (sending.status === 'rejected') {
    const code = sending.code!
    if (OWN_CODE.test(code)) return { payment, transaction, error: { code, description: FAILED.description } }
    const failure = { providerRejectedReason: reasonOf(code), providerErrorCode: code }
    return { payment, transaction: { ...transaction, ...failure }, error: FAILED }
  }
  return {
    payment,
    transaction,
    ...(sending.status === 'settled' ? { destination: destinationOf(recipient) } : {}),
  }
}
/** A code of Woovi's own, and not the rail's. */
const OWN_CODE = /^[A-Z]+(_[A-Z]+)+$/
const FAILED = { code: 'PAY_PIX_KEY_ERROR', description: 'Falha ao Pagar Chave Pix' }

/** The rail's code and reason, as Woovi writes them. */
function reasonOf(code: string): string {
  return `${code} - ${railCodes[code]?.meaning ?? 'Pagamento rejeitado'}`
}

function orderOf({ id, cents, key, message }: Order, accountId: string) {
  return {
    value: cents,
    destinationAlias: key,
    comment: message ?? '',
    correlationID: id,
    sourceAccountId: accountId,
  }
}

function destinationOf({ name, document, key }: Recipient) {
  return {
    name,
    taxID: taxIdOf(document),
    pixKey: key,
    bankName: 'Banco de Teste',
    ispb: '99999004',
    branch: '0001',
    account: '123456',
    accountType: 'TRAN',
  }
}
