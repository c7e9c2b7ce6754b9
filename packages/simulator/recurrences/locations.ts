import type { IdGenerator } from '../ids.ts'
import type { SimulatorStore } from '../store.ts'
import type { RecurrenceClock } from './clock.ts'

/** The location of a recurrence's payload, whose URL ends with `rec/` and `token`. */
export type RecurrenceLocation = {
  id: number
  accountId: string
  token: string
  /** Null: no recurrence is shown there. */
  recurrenceId: string | null
  createdAt: string
}

export type RecurrenceLocations = {
  create(accountId: string): RecurrenceLocation
  find(accountId: string, id: number): RecurrenceLocation | undefined
  findByToken(token: string): RecurrenceLocation | undefined
  findByRecurrence(recurrenceId: string): RecurrenceLocation | undefined
  /** Lists the locations created in [from, to], both ISO 8601 UTC, oldest first. */
  listBetween(accountId: string, range: { from: string; to: string }): RecurrenceLocation[]
  /** Shows a recurrence at a location, and at no other. */
  attach(location: RecurrenceLocation, recurrenceId: string): void
  detach(location: RecurrenceLocation): RecurrenceLocation
  /** Builds the URL of a location, without a scheme. */
  buildUrl(token: string): string
}

type LocationDependencies = {
  store: SimulatorStore
  ids: IdGenerator
  clock: RecurrenceClock
  /** Returns host and port in the URLs of payloads. */
  payloadHost: () => string
}

export function simulateRecurrenceLocations({
  store,
  ids,
  clock,
  payloadHost,
}: LocationDependencies): RecurrenceLocations {
  const setRecurrence = (id: number, recurrenceId: string | null) =>
    void store.run('UPDATE recurrenceLocation SET recurrenceId = ? WHERE id = ?', recurrenceId, id)
  const findByRecurrence = (recurrenceId: string) =>
    store.first<RecurrenceLocation>('SELECT * FROM recurrenceLocation WHERE recurrenceId = ?', recurrenceId)

  return {
    create: accountId => {
      const createdAt = clock.now().toISOString()
      const location = { id: ids.locationId(), accountId, token: ids.token(), recurrenceId: null, createdAt }
      store.insert('recurrenceLocation', location)
      return location
    },
    find: (accountId, id) =>
      store.first<RecurrenceLocation>(
        'SELECT * FROM recurrenceLocation WHERE accountId = ? AND id = ?',
        accountId,
        id,
      ),
    findByToken: token =>
      store.first<RecurrenceLocation>('SELECT * FROM recurrenceLocation WHERE token = ?', token),
    findByRecurrence,
    listBetween: (accountId, { from, to }) =>
      store.all<RecurrenceLocation>(
        'SELECT * FROM recurrenceLocation WHERE accountId = ? AND createdAt BETWEEN ? AND ? ORDER BY id',
        accountId,
        from,
        to,
      ),
    attach: ({ id }, recurrenceId) =>
      store.inTransaction(() => {
        const former = findByRecurrence(recurrenceId)
        if (former) setRecurrence(former.id, null)
        setRecurrence(id, recurrenceId)
      }),
    detach: location => {
      setRecurrence(location.id, null)
      return { ...location, recurrenceId: null }
    },
    buildUrl: token => `${payloadHost()}/qr/v2/rec/${token}`,
  }
}
