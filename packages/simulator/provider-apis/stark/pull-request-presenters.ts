import type { AutomaticCharge, ChargeTry, ChargeTryStatus } from '../../recurrences/automatic-charges.ts'
import { parseHistory } from '../../recurrences/history.ts'
import type { SimulatorStore } from '../../store.ts'
import { buildStarkId, buildStarkLogId, formatStarkTime } from './ids.ts'
import type { StarkPullLog } from './subscription-presenters.ts'

/** A request to debit the payer of a recurrence on a day: what it has besides the tries of its automatic charge on that day. */
export type StarkPullRequestRow = {
  number: number
  accountId: string
  subscriptionNumber: number
  txid: string
  day: string
  externalId: string | null
  /** StarkPullRequestDetails as JSON. */
  details: string
  /** JSON list. */
  tags: string
  createdAt: string
}
export type StarkPullRequestDetails = {
  invoiceId: string
  due: string
  attemptType: 'default' | 'retry'
  displayDescription: string
}

/** Statuses of InvoicePullRequest (SDK). */
const STATUSES = {
  requested: 'pending',
  scheduled: 'scheduled',
  paid: 'success',
  cancelled: 'canceled',
  rejected: 'failed',
  expired: 'failed',
} as const satisfies Record<ChargeTryStatus, string>

/** A request with the tries of its automatic charge. */
export type StarkPullRequestView = {
  request: StarkPullRequestRow
  charge: AutomaticCharge
  tries: ChargeTry[]
}

/** Finds the status; a request waits for the consent of the payer without a try. */
export function findPullRequestStatus(view: StarkPullRequestView): string {
  return listPullRequestLogs(view).at(-1)!.type
}

/** Presents a request as the SDK's InvoicePullRequest; `status` where it is not the current one. */
export function presentPullRequest(view: StarkPullRequestView, status = findPullRequestStatus(view)) {
  const { number, subscriptionNumber, externalId, details, tags, createdAt } = view.request
  const { due, ...others } = JSON.parse(details) as StarkPullRequestDetails
  return {
    id: buildStarkId('pullRequest', number),
    subscriptionId: buildStarkId('subscription', subscriptionNumber),
    ...others,
    due: formatStarkTime(due),
    externalId: externalId ?? '',
    tags: JSON.parse(tags) as string[],
    status,
    installmentId: '',
    created: formatStarkTime(createdAt),
    updated: formatStarkTime(listPullRequestLogs(view).at(-1)!.createdAt),
  }
}

/** Lists the logs of a request, oldest first: the changes of the tries of its day. */
export function listPullRequestLogs(view: StarkPullRequestView): [StarkPullLog, ...StarkPullLog[]] {
  const { request, charge, tries } = view
  const objectId = buildStarkId('pullRequest', request.number)
  const ownTries = tries.filter(({ day }) => day === request.day)
  const changes = ownTries.flatMap(({ history, code }) =>
    parseHistory<ChargeTryStatus>(history).map(({ status, at }) => ({
      type: STATUSES[status],
      at,
      errors: STATUSES[status] === 'failed' ? [code ?? 'notPaid'] : [],
    })),
  )
  if (ownTries.length === 0 && charge.status === 'cancelled')
    changes.push({ type: 'canceled', at: parseHistory(charge.history).at(-1)!.at, errors: [] })
  const build = (index: number, { type, at, errors }: { type: string; at: string; errors: string[] }) => ({
    id: buildStarkLogId(objectId, index),
    objectId,
    createdAt: at,
    type,
    errors,
    present: () => ({ request: presentPullRequest(view, type) }),
  })
  const created = build(0, { type: 'created', at: request.createdAt, errors: [] })
  return [created, ...changes.map((change, index) => build(index + 1, change))]
}

/** Finds the request of a charge on a day. */
export function findPullRequestOfDay(
  store: SimulatorStore,
  { accountId, txid, day }: Pick<StarkPullRequestRow, 'accountId' | 'txid' | 'day'>,
): StarkPullRequestRow | undefined {
  return store.first<StarkPullRequestRow>(
    'SELECT * FROM starkPullRequest WHERE accountId = ? AND txid = ? AND day = ?',
    accountId,
    txid,
    day,
  )
}
