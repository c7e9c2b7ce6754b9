import type { SimulatorState } from '../../state.ts'
import type { ProviderApiRoute } from '../serve-calls.ts'
import { createBacenChargeHandlers } from './charges.ts'
import { createBacenDueChargeHandlers } from './due-charges.ts'
import type { BacenProfile } from './profile.ts'
import { createBacenReceivedPixHandlers } from './received-pix.ts'
import { createBacenWebhookHandlers } from './webhooks.ts'

/** A route of a bank's API behind the scope that the token of a call needs. */
export type ScopedRoute = [scope: string, ...route: ProviderApiRoute]

/** A change of a charge is its removal where it names a status. */
function nameRevision({ body }: { body: unknown }): readonly ['cancelCharge' | 'reviseCharge'] {
  return typeof body === 'object' && body !== null && 'status' in body ? ['cancelCharge'] : ['reviseCharge']
}

/** Lists the routes of the Central Bank's API below a path, with their operations of the provider port. */
export function listBacenRoutes(state: SimulatorState, profile: BacenProfile, path: string): ScopedRoute[] {
  const cobs = createBacenChargeHandlers(state, profile)
  const cobvs = createBacenDueChargeHandlers(state, profile)
  const receivedPix = createBacenReceivedPixHandlers(state, profile)
  const webhooks = createBacenWebhookHandlers(state, profile)
  const operation = 'registerNotificationUrl'
  const list: ScopedRoute[] = [
    ['webhook.read', 'get', `${path}/webhook`, { operation, handle: webhooks.list }],
  ]
  return [
    ['cob.write', 'put', `${path}/cob/:txid`, { operation: 'issueCharge', handle: cobs.create }],
    ['cob.write', 'post', `${path}/cob`, { operation: 'issueCharge', handle: cobs.create }],
    ['cob.write', 'patch', `${path}/cob/:txid`, { operation: 'cancelCharge', handle: cobs.revise }],
    ['cob.read', 'get', `${path}/cob/:txid`, { operation: 'findCharge', handle: cobs.show }],
    ['cob.read', 'get', `${path}/cob`, { operation: 'statement', handle: cobs.list }],
    ['cobv.write', 'put', `${path}/cobv/:txid`, { operation: 'issueCharge', handle: cobvs.create }],
    ['cobv.write', 'patch', `${path}/cobv/:txid`, { operation: nameRevision, handle: cobvs.revise }],
    ['cobv.read', 'get', `${path}/cobv/:txid`, { operation: 'findCharge', handle: cobvs.show }],
    ['cobv.read', 'get', `${path}/cobv`, { operation: 'statement', handle: cobvs.list }],
    ['pix.read', 'get', `${path}/pix/:e2eId`, { operation: 'findPayment', handle: receivedPix.show }],
    ['pix.read', 'get', `${path}/pix`, { operation: 'statement', handle: receivedPix.list }],
    [
      'pix.write',
      'put',
      `${path}/pix/:e2eId/devolucao/:id`,
      { operation: 'refund', handle: receivedPix.refund },
    ],
    [
      'pix.read',
      'get',
      `${path}/pix/:e2eId/devolucao/:id`,
      { operation: 'findRefund', handle: receivedPix.showRefund },
    ],
    ['webhook.write', 'put', `${path}/webhook/:chave`, { operation, handle: webhooks.put }],
    ['webhook.read', 'get', `${path}/webhook/:chave`, { operation, handle: webhooks.show }],
    ['webhook.write', 'delete', `${path}/webhook/:chave`, { operation, handle: webhooks.remove }],
    ...(profile.webhookListRange === null ? [] : list),
  ]
}
