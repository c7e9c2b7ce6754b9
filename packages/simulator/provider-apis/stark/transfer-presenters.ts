import type { SimulatorStore } from '../../store.ts'
import type { SimulatedTransfer } from '../../transfers.ts'
import { buildStarkId, buildStarkLogId, formatStarkTime, formatTaxId } from './ids.ts'

/** A transfer of Stark's API, verified or not. From `ordered` on the rail's transfer of `transferId` decides its status. */
export type StarkTransfer = {
  number: number
  accountId: string
  /** Id of the rail's transfer: the externalId, or the id of the transfer where it has none. */
  transferId: string
  externalId: string | null
  /** Null: not to a verified account. */
  verifiedAccountNumber: number | null
  cents: number
  /** StarkReceiver as JSON. */
  receiver: string
  /** StarkTransferTexts as JSON. */
  texts: string
  /** JSON list. */
  tags: string
  /** `waiting`: for a person in the web banking. */
  state: 'ordered' | 'waiting' | 'canceled'
  createdAt: string
  updatedAt: string
}
export type StarkReceiver = {
  key: string | null
  name: string
  taxId: string
  bankCode: string
  branchCode: string
  accountNumber: string
  accountType: string
}
type StarkTransferTexts = { description: string; displayDescription: string; rules: object[] }

/** A transfer with the rail's transfer, once it is ordered. */
export type StarkTransferView = { transfer: StarkTransfer; sent: SimulatedTransfer | undefined }

type StarkTransferStatus = 'created' | 'processing' | 'success' | 'failed' | 'canceled'

export function findTransferStatus({ transfer, sent }: StarkTransferView): StarkTransferStatus {
  if (transfer.state === 'canceled') return 'canceled'
  if (!sent) return 'created'
  return ({ in_process: 'processing', settled: 'success', rejected: 'failed' } as const)[sent.status]
}

/** Lists the ids of the ledger's transactions of a transfer: "if there are two, second is the chargeback". */
export function listTransferTransactionIds(store: SimulatorStore, { sent }: StarkTransferView): string[] {
  if (!sent) return []
  const { accountId, endToEnd } = sent
  return store
    .all<{ sequence: number }>(
      `SELECT sequence FROM movement
       WHERE accountId = ? AND ((kind = 'transfer' AND endToEnd = ?) OR (kind = 'return' AND originalEndToEnd = ?))
       ORDER BY sequence`,
      accountId,
      endToEnd,
      endToEnd,
    )
    .map(({ sequence }) => buildStarkId('transaction', sequence))
}

/** Presents a transfer as the SDK's Transfer, without an end-to-end id; `status` where it is not the current one. */
export function presentStarkTransfer(
  store: SimulatorStore,
  view: StarkTransferView,
  status = findTransferStatus(view),
) {
  const { key: _, taxId, ...receiver } = JSON.parse(view.transfer.receiver) as StarkReceiver
  return { ...presentOrder(store, view, status), ...receiver, taxId: formatTaxId(taxId) }
}

/** Presents a transfer as the SDK's VerifiedTransfer: with the verified account in place of the receiver. */
export function presentVerifiedTransfer(
  store: SimulatorStore,
  view: StarkTransferView,
  status = findTransferStatus(view),
) {
  const { verifiedAccountNumber, receiver } = view.transfer
  return {
    ...presentOrder(store, view, status),
    accountId: buildStarkId('verifiedAccount', verifiedAccountNumber!),
    accountType: (JSON.parse(receiver) as StarkReceiver).accountType,
  }
}

function presentOrder(store: SimulatorStore, view: StarkTransferView, status: StarkTransferStatus) {
  const { transfer } = view
  return {
    id: buildStarkId('transfer', transfer.number),
    amount: transfer.cents,
    externalId: transfer.externalId ?? '',
    ...(JSON.parse(transfer.texts) as StarkTransferTexts),
    tags: JSON.parse(transfer.tags) as string[],
    scheduled: formatStarkTime(transfer.createdAt),
    status,
    fee: 0,
    transactionIds: listTransferTransactionIds(store, view),
    metadata: {},
    created: formatStarkTime(transfer.createdAt),
    updated: formatStarkTime(readTransferChangedAt(view)),
  }
}

export function readTransferChangedAt({ transfer, sent }: StarkTransferView): string {
  return sent?.settledAt ?? transfer.updatedAt
}

/** One log of a transfer. */
type StarkTransferLog = {
  id: string
  createdAt: string
  type: string
  errors: string[]
  /** Presents the transfer, which only a log that is shown needs. */
  present(): object
}

/**
 * Lists the logs of a transfer, oldest first. Published types are `created`, `sending`, `processing`, `success` and `failed` (SDK; events
 * in its tests and those that users have published); `refunded`, for money that the receiver returned, imitates them.
 */
export function listTransferLogs(
  store: SimulatorStore,
  view: StarkTransferView,
): [StarkTransferLog, ...StarkTransferLog[]] {
  const { transfer, sent } = view
  const objectId = buildStarkId('transfer', transfer.number)
  const build = (index: number, type: string, status: StarkTransferStatus, errors: string[] = []) => ({
    id: buildStarkLogId(objectId, index),
    createdAt: index < 2 ? transfer.createdAt : readTransferChangedAt(view),
    type,
    errors,
    present: () => presentStarkTransfer(store, view, status),
  })
  const status = findTransferStatus(view)
  const returns = listTransferTransactionIds(store, view).slice(1)
  return [
    build(0, 'created', 'created'),
    ...(sent ? [build(1, 'sending', 'processing')] : []),
    ...(status === 'success' || status === 'failed' || status === 'canceled'
      ? [build(2, status, status, sent?.code ? [sent.code] : [])]
      : []),
    ...returns.map((_, index) => build(3 + index, 'refunded', 'success')),
  ]
}

/** Presents a log of a transfer. */
export function presentTransferLog(log: StarkTransferLog): object {
  const { id, createdAt, type, errors } = log
  return { id, created: formatStarkTime(createdAt), type, errors, transfer: log.present() }
}

/** Finds the transfer of Stark's API that is a transfer of the rail. */
export function findStarkTransfer(
  store: SimulatorStore,
  accountId: string,
  transferId: string,
): StarkTransfer | undefined {
  return store.first<StarkTransfer>(
    'SELECT * FROM starkTransfer WHERE accountId = ? AND transferId = ?',
    accountId,
    transferId,
  )
}
