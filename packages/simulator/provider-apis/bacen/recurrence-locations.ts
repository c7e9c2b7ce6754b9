import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { RecurrenceLocation } from '../../recurrences/locations.ts'
import type { SimulatorState } from '../../state.ts'
import { buildBacenListPage } from './list-page.ts'
import { presentRecurrenceLocation } from './recurrence-presenters.ts'
import type { BacenRecurrenceProfile } from './recurrence-profile.ts'

/** Creates the handlers of the locations of recurrences, `/locrec`. */
export function createBacenRecurrenceLocationHandlers(
  { recurring: { locations, recurrences } }: SimulatorState,
  { refusals }: BacenRecurrenceProfile,
): Record<'create' | 'show' | 'list' | 'unlink', (call: SimulatedCall) => SimulatedResponse> {
  const present = (location: RecurrenceLocation) =>
    presentRecurrenceLocation(location, locations.buildUrl(location.token))
  const find = ({ account, params }: SimulatedCall) => locations.find(account.id, Number(params.id))
  const matchesQuery = ({ recurrenceId }: RecurrenceLocation, query: URLSearchParams) => {
    const isUsed = String(recurrenceId !== null)
    const agreement = recurrenceId === null ? null : recurrences.find(recurrenceId)!.agreement
    return (
      (query.get('idRecPresente') ?? isUsed) === isUsed && (query.get('convenio') ?? agreement) === agreement
    )
  }

  return {
    create: ({ account }) => ({ status: 201, body: present(locations.create(account.id)) }),
    show: call => {
      const location = find(call)
      return location ? { status: 200, body: present(location) } : refusals.notFound('locrec')
    },
    list: call =>
      buildBacenListPage(
        call,
        {
          field: 'loc',
          between: range => locations.listBetween(call.account.id, range),
          matches: location => matchesQuery(location, call.query),
          present,
        },
        { refusals, subject: 'locrec' },
      ),
    unlink: call => {
      const location = find(call)
      return location
        ? { status: 200, body: present(locations.detach(location)) }
        : refusals.notFound('locrec')
    },
  }
}
