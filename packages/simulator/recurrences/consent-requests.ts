import type { SimulatedAccount } from '../accounts.ts'
import type { IdGenerator } from '../ids.ts'
import { SIMULATOR_WAITS_MS, type WaitScaler } from '../latency.ts'
import type { TaskSchedule } from '../schedule.ts'
import type { SimulatorStore } from '../store.ts'
import type { RecurrenceClock } from './clock.ts'
import { appendToHistory } from './history.ts'

type ConsentRequestStatus =
  | 'created'
  | 'sent'
  | 'received'
  | 'rejected'
  | 'accepted'
  | 'expired'
  | 'cancelled'

/** A request to the payer's bank that the payer authorise a recurrence (journey 1). */
export type ConsentRequest = {
  id: string
  accountId: string
  recurrenceId: string
  status: ConsentRequestStatus
  expiresAt: string
  /** Account of the payer (`ConsentRecipient`), JSON. */
  recipient: string
  /** Changes of status (`StatusChange`), JSON. */
  history: string
  createdAt: string
}

/** The account at the payer's bank that a request is about. */
export type ConsentRecipient = {
  ispb: string
  document: string
  account: string
  branch?: string | undefined
}

export type ConsentRequests = {
  /** Creates a request, which reaches the payer's bank shortly after; undefined if the recurrence has an active one. */
  create(
    account: SimulatedAccount,
    order: { recurrenceId: string; expiresAt: string; recipient: ConsentRecipient },
  ): ConsentRequest | undefined
  /** Finds a request; one whose time is over expires then, as for the lists below. */
  find(accountId: string, id: string): ConsentRequest | undefined
  listByRecurrence(recurrenceId: string): ConsentRequest[]
  findActive(recurrenceId: string): ConsentRequest | undefined
  /** Ends an active request. */
  end(request: ConsentRequest, status: 'accepted' | 'rejected' | 'cancelled'): ConsentRequest
}

type ConsentRequestDependencies = {
  store: SimulatorStore
  ids: IdGenerator
  clock: RecurrenceClock
  schedule: TaskSchedule
  scaleWaitMs: WaitScaler
  /** Handles that a request has reached the payer's bank. */
  onReceived: (request: ConsentRequest) => void
}

export function simulateConsentRequests({
  store,
  ids,
  clock,
  schedule,
  scaleWaitMs,
  onReceived,
}: ConsentRequestDependencies): ConsentRequests {
  const setStatus = (request: ConsentRequest, status: ConsentRequestStatus): ConsentRequest => {
    const history = appendToHistory(request.history, { status, at: clock.now().toISOString() })
    store.run('UPDATE consentRequest SET status = ?, history = ? WHERE id = ?', status, history, request.id)
    return { ...request, status, history }
  }
  const expireIfOver = (request: ConsentRequest) =>
    isActiveRequest(request) && request.expiresAt < clock.now().toISOString()
      ? setStatus(request, 'expired')
      : request
  const listByRecurrence = (recurrenceId: string) =>
    store
      .all<ConsentRequest>('SELECT * FROM consentRequest WHERE recurrenceId = ? ORDER BY rowid', recurrenceId)
      .map(expireIfOver)
  const findActive = (recurrenceId: string) => listByRecurrence(recurrenceId).find(isActiveRequest)

  schedule.registerHandler('deliver_consent_request', ({ id }: { id: string }) => {
    const stored = store.first<ConsentRequest>('SELECT * FROM consentRequest WHERE id = ?', id)!
    const request = expireIfOver(stored)
    if (request.status === 'created') onReceived(setStatus(setStatus(request, 'sent'), 'received'))
    return undefined
  })

  return {
    create: (account, { recurrenceId, expiresAt, recipient }) =>
      store.inTransaction(() => {
        if (findActive(recurrenceId)) return undefined
        const createdAt = clock.now().toISOString()
        const request: ConsentRequest = {
          id: ids.recurrenceId({ prefix: 'SC', ispb: account.ispb, day: clock.today() }),
          accountId: account.id,
          recurrenceId,
          status: 'created',
          expiresAt,
          recipient: JSON.stringify(recipient),
          history: appendToHistory('[]', { status: 'created', at: createdAt }),
          createdAt,
        }
        store.insert('consentRequest', request)
        const afterMs = scaleWaitMs(SIMULATOR_WAITS_MS.settle)
        schedule.add({ task: 'deliver_consent_request', input: { id: request.id }, afterMs })
        return request
      }),
    find: (accountId, id) => {
      const request = store.first<ConsentRequest>(
        'SELECT * FROM consentRequest WHERE accountId = ? AND id = ?',
        accountId,
        id,
      )
      return request && expireIfOver(request)
    },
    listByRecurrence,
    findActive,
    end: setStatus,
  }
}

export function isActiveRequest({ status }: ConsentRequest): boolean {
  return status === 'created' || status === 'sent' || status === 'received'
}
