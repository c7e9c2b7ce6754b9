import type { SimulatorState } from '../../state.ts'
import { createBacenAutomaticChargeHandlers } from './automatic-charges.ts'
import { createBacenConsentHandlers } from './consent-requests.ts'
import { createBacenRecurrenceLocationHandlers } from './recurrence-locations.ts'
import type { BacenRecurrenceProfile } from './recurrence-profile.ts'
import { createRecurrenceWebhookHandlers } from './recurrence-webhooks.ts'
import { createBacenRecurrenceHandlers } from './recurrences.ts'
import type { ScopedRoute } from './routes.ts'

/** Scopes of the calls of recurrences. */
export const RECURRENCE_SCOPES = [
  'rec',
  'solicrec',
  'cobr',
  'payloadlocationrec',
  'webhookrec',
  'webhookcobr',
].flatMap(resource => [`${resource}.read`, `${resource}.write`])

/** A change of a recurrence is its cancellation where it names a status. */
function nameRevision({ body }: { body: unknown }): readonly ['cancelRecurrence' | 'reviseRecurrence'] {
  return typeof body === 'object' && body !== null && 'status' in body
    ? ['cancelRecurrence']
    : ['reviseRecurrence']
}

/** Lists the routes of recurrences in the Central Bank's API below a path, with their operations of the provider port. */
export function listRecurrenceRoutes(
  state: SimulatorState,
  profile: BacenRecurrenceProfile,
  path: string,
): ScopedRoute[] {
  const recs = createBacenRecurrenceHandlers(state, profile)
  const requests = createBacenConsentHandlers(state, profile)
  const locations = createBacenRecurrenceLocationHandlers(state, profile)
  const cobrs = createBacenAutomaticChargeHandlers(state, profile)
  const issue = { operation: 'issueAutomaticCharge', handle: cobrs.create } as const
  const webhooks = (['rec', 'cobr'] as const).flatMap((kind): ScopedRoute[] => {
    const handlers = createRecurrenceWebhookHandlers(state, profile, kind)
    const [resource, operation] = [`webhook${kind}`, 'registerNotificationUrl' as const]
    return [
      [`${resource}.write`, 'put', `${path}/${resource}`, { operation, handle: handlers.put }],
      [`${resource}.read`, 'get', `${path}/${resource}`, { operation, handle: handlers.show }],
      [`${resource}.write`, 'delete', `${path}/${resource}`, { operation, handle: handlers.remove }],
    ]
  })
  return [
    ['rec.write', 'post', `${path}/rec`, { operation: 'issueRecurrence', handle: recs.create }],
    ['rec.read', 'get', `${path}/rec`, { operation: 'findRecurrence', handle: recs.list }],
    ['rec.read', 'get', `${path}/rec/:idRec`, { operation: 'findRecurrence', handle: recs.show }],
    ['rec.write', 'patch', `${path}/rec/:idRec`, { operation: nameRevision, handle: recs.revise }],
    [
      'payloadlocationrec.write',
      'post',
      `${path}/locrec`,
      { operation: 'issueRecurrence', handle: locations.create },
    ],
    [
      'payloadlocationrec.read',
      'get',
      `${path}/locrec`,
      { operation: 'findRecurrence', handle: locations.list },
    ],
    [
      'payloadlocationrec.read',
      'get',
      `${path}/locrec/:id`,
      { operation: 'findRecurrence', handle: locations.show },
    ],
    [
      'payloadlocationrec.write',
      'delete',
      `${path}/locrec/:id/idRec`,
      { operation: 'reviseRecurrence', handle: locations.unlink },
    ],
    ['solicrec.write', 'post', `${path}/solicrec`, { operation: 'requestConsent', handle: requests.create }],
    [
      'solicrec.read',
      'get',
      `${path}/solicrec/:idSolicRec`,
      { operation: 'findRecurrence', handle: requests.show },
    ],
    [
      'solicrec.write',
      'patch',
      `${path}/solicrec/:idSolicRec`,
      { operation: 'cancelRecurrence', handle: requests.revise },
    ],
    ['cobr.write', 'put', `${path}/cobr/:txid`, issue],
    ['cobr.write', 'post', `${path}/cobr`, issue],
    [
      'cobr.write',
      'patch',
      `${path}/cobr/:txid`,
      { operation: 'cancelAutomaticCharge', handle: cobrs.revise },
    ],
    ['cobr.read', 'get', `${path}/cobr/:txid`, { operation: 'findAutomaticCharge', handle: cobrs.show }],
    ['cobr.read', 'get', `${path}/cobr`, { operation: 'findAutomaticCharge', handle: cobrs.list }],
    [
      'cobr.write',
      'post',
      `${path}/cobr/:txid/retentativa/:data`,
      { operation: 'retryAutomaticCharge', handle: cobrs.retry },
    ],
    ...webhooks,
  ]
}
