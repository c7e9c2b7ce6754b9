import type { SimulatorStore } from '../../store.ts'

/** A payment that Inter accepted. Its transfer, once it is sent, has the id of `getInterTransferId`. */
export type InterPayment = {
  /** `codigoSolicitacao`. */
  code: string
  accountId: string
  /** `x-id-idempotente`; null: the caller sent none. */
  idempotencyId: string | null
  /** The order as it came, JSON. */
  body: string
  cents: number
  /** SimulatedRecipient as JSON. */
  recipient: string
  message: string | null
  /** `tipoRetorno` of the answer, which a repeat gets too. */
  answer: 'PROCESSADO' | 'AGENDADO' | 'APROVACAO'
  paymentDay: string
  state: 'waiting' | 'scheduled' | 'sent' | 'disapproved' | 'without_balance'
  createdAt: string
  changedAt: string
}

/** Returns the id of a payment's transfer: the caller's, where there is one. */
export function getInterTransferId({ idempotencyId, code }: InterPayment): string {
  return idempotencyId ?? code
}

export function findInterPayment(store: SimulatorStore, code: string): InterPayment | undefined {
  return store.first<InterPayment>('SELECT * FROM interPayment WHERE code = ?', code)
}

export function findRepeatedPayment(
  store: SimulatorStore,
  accountId: string,
  idempotencyId: string,
): InterPayment | undefined {
  return store.first<InterPayment>(
    'SELECT * FROM interPayment WHERE accountId = ? AND idempotencyId = ?',
    accountId,
    idempotencyId,
  )
}

/** Finds the payment of a transfer; undefined of one that was sent in the panel. */
export function findPaymentOfTransfer(
  store: SimulatorStore,
  { accountId, id }: { accountId: string; id: string },
): InterPayment | undefined {
  return store.first<InterPayment>(
    'SELECT * FROM interPayment WHERE accountId = ? AND (idempotencyId = ? OR code = ?)',
    accountId,
    id,
    id,
  )
}

export function listWaitingPayments(store: SimulatorStore): InterPayment[] {
  return store.all<InterPayment>(`SELECT * FROM interPayment WHERE state = 'waiting' ORDER BY rowid`)
}

export function setPaymentState(
  store: SimulatorStore,
  code: string,
  { state, changedAt }: Pick<InterPayment, 'state' | 'changedAt'>,
): void {
  store.run('UPDATE interPayment SET state = ?, changedAt = ? WHERE code = ?', state, changedAt, code)
}
