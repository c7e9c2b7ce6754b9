import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DisputeStatus } from '../domain/disputes/dispute.ts'
import type { ProviderName } from '../domain/providers/provider.ts'
import type { PaymentStatus } from '../domain/shared/payment-status.ts'
import type { SubscribableEventType } from '../domain/webhooks/webhook.ts'
import type { SimulatorClient } from '../simulator/control/client.ts'
import type { DecisionBody, FaultBody } from '../simulator/control/schemas.ts'
import { ApiCallError, type ApiClient, type ApiResource } from './api-client.ts'

/** What `trigger` can cause: the type of an event and the status that its resource shows, both as in the event. */
type EventKind = `${Lowercase<SubscribableEventType>}.${Lowercase<
  PaymentStatus | DisputeStatus | 'COMPLETED' | 'SETTLED'
>}`

/** Who carries out a trigger: the merchant by the API, payers, recipients and their banks by the simulator. */
export type TriggerContext = { api: ApiClient; simulator: SimulatorClient }

/** The resource that the event is about, once it shows its status. */
export type TriggeredResource = { path: string; status: string }
type Trigger = { description: string; run: (context: TriggerContext) => Promise<TriggeredResource> }

const VALUE = 10

/** What causes each event, in the order of the help. */
export const TRIGGERS = {
  'payment.paid': {
    description: 'a payer pays a charge',
    run: async context => awaitCharge(context, (await payCharge(context)).uuid, 'PAID'),
  },
  'payment.failed': {
    description: 'the provider refuses to issue a charge; another charge is cancelled before',
    async run(context) {
      const { api } = context
      const { uuid, connectionUuid, ...fault } = await createCharge(context)
      await addFault(context, { uuid, ...fault, operation: 'issueCharge' })
      await api.post(`/payments/${uuid}/cancel`)
      const body = { value: VALUE, type: 'PIX', provider_uuid: connectionUuid }
      const failed = await readFailure(api.post('/payments', body))
      return { path: `/payments/${failed.uuid}`, status: 'FAILED' }
    },
  },
  'payment.cancelled': {
    description: 'a charge is cancelled before it is paid',
    async run(context) {
      const { uuid } = await createCharge(context)
      await context.api.post(`/payments/${uuid}/cancel`)
      return awaitCharge(context, uuid, 'CANCELLED')
    },
  },
  'payment.expired': {
    description: 'a charge is not paid in time; takes two minutes',
    async run(context) {
      const { uuid } = await createCharge(context, { expires_in: 60 })
      return awaitCharge(context, uuid, 'EXPIRED', EXPIRY_LIMIT_MS)
    },
  },
  'payment.partially_refunded': {
    description: 'half of a paid charge is refunded',
    async run(context) {
      const { uuid } = await refundCharge(context, { value: VALUE / 2 })
      return awaitCharge(context, uuid, 'PARTIALLY_REFUNDED')
    },
  },
  'payment.refunded': {
    description: 'a paid charge is refunded whole',
    async run(context) {
      const { uuid } = await refundCharge(context)
      return awaitCharge(context, uuid, 'REFUNDED')
    },
  },
  'refund.completed': {
    description: 'the refund of a charge settles',
    async run(context) {
      const { uuid, refund } = await refundCharge(context)
      await awaitCharge(context, uuid, 'REFUNDED')
      return { path: `/payments/${uuid}/refunds/${refund}`, status: 'COMPLETED' }
    },
  },
  'refund.failed': {
    description: 'the provider refuses the refund of a charge',
    async run(context) {
      const { api } = context
      const charge = await payCharge(context)
      const { uuid } = charge
      await awaitCharge(context, uuid, 'PAID')
      await addFault(context, { ...charge, operation: 'refund' })
      const { refund } = await readFailure(api.post(`/payments/${uuid}/refund`))
      return { path: `/payments/${uuid}/refunds/${Object(refund).uuid}`, status: 'FAILED' }
    },
  },
  'transfer.paid': {
    description: 'a transfer settles',
    run: async context => awaitTransfer(context, await sendTransfer(context), 'PAID'),
  },
  'transfer.failed': {
    description: 'the recipient’s bank refuses a transfer after the provider has accepted it (AC03)',
    run: async context => awaitTransfer(context, await sendTransfer(context, REJECTED_KEY), 'FAILED'),
  },
  'transfer.cancelled': {
    description: 'a scheduled transfer is cancelled',
    async run(context) {
      const tomorrow = new Date(Date.now() + DAY_MS).toISOString()
      const { uuid } = await sendTransfer(context, { scheduled_for: tomorrow })
      await context.api.post(`/transfers/${uuid}/cancel`)
      return awaitTransfer(context, { uuid }, 'CANCELLED')
    },
  },
  'transfer.refunded': {
    description: 'the recipient returns a transfer whole',
    run: async context => awaitTransfer(context, await sendTransfer(context, RETURNED_KEY), 'REFUNDED'),
  },
  'med.pending': {
    description: 'a payer disputes a payment',
    run: async context => (await openDispute(context)).resource,
  },
  'med.accepted': {
    description: 'a dispute is decided for the payer, and the money returned',
    run: context => decideDispute(context, 'agreed', 'ACCEPTED'),
  },
  'med.rejected': {
    description: 'a dispute is decided for the merchant',
    run: context => decideDispute(context, 'disagreed', 'REJECTED'),
  },
  'med.cancelled': {
    description: 'a payer withdraws a dispute',
    run: context => decideDispute(context, 'cancelled', 'CANCELLED'),
  },
  'pix_transaction.settled': {
    description: 'a PIX settles: the payment of a charge',
    run: async context => awaitCharge(context, (await payCharge(context)).uuid, 'PAID'),
  },
} as const satisfies Partial<Record<EventKind, Trigger>>

export type TriggerName = keyof typeof TRIGGERS

const DAY_MS = 86_400_000
const STATUS_LIMIT_MS = 60_000
/** Shortest `expires_in`, the grace after it, and the look-up at the provider (SPEC §2). */
const EXPIRY_LIMIT_MS = 180_000
const POLL_MS = 500
/** Magic keys of the simulator (SPEC §10). */
const REJECTED_KEY = { pix_key: 'ac03-later@sim.trilho.test' }
const RETURNED_KEY = { pix_key: 'returned@sim.trilho.test' }

type ChargeReference = { uuid: string; connectionUuid: string; provider: ProviderName; payload: string }

async function createCharge({ api }: TriggerContext, more: object = {}): Promise<ChargeReference> {
  const charge = await api.post('/payments', { value: VALUE, type: 'PIX', ...more })
  const connection = charge.provider as { uuid: string; provider: ProviderName }
  const { payload } = charge.payment as { payload: string }
  return { uuid: charge.uuid, connectionUuid: connection.uuid, provider: connection.provider, payload }
}

/** Makes the provider refuse the next call about the account of a charge: a fault of the provider would hit others. */
async function addFault(
  { simulator }: TriggerContext,
  { uuid, provider, operation }: Pick<ChargeReference, 'uuid' | 'provider'> & Pick<FaultBody, 'operation'>,
): Promise<void> {
  // Our reference at the provider is the uuid of the charge without hyphens (SPEC §2).
  const reference = uuid.replaceAll('-', '')
  const charge = (await simulator.listCharges()).find(one => one.reference === reference)
  if (!charge) throw new Error(`the simulator has no charge ${uuid}: is it the one that the API calls?`)
  await simulator.addFault({ provider, operation, account: charge.account, fault: 'refused' })
}

async function payCharge(context: TriggerContext): Promise<ChargeReference & { endToEnd: string }> {
  const charge = await createCharge(context)
  const { end_to_end: endToEnd } = await context.simulator.pay({ payload: charge.payload })
  return { ...charge, endToEnd }
}

async function refundCharge(context: TriggerContext, body: object = {}) {
  const { uuid } = await payCharge(context)
  await awaitCharge(context, uuid, 'PAID')
  const { refund } = await context.api.post(`/payments/${uuid}/refund`, body)
  return { uuid, refund: String(Object(refund).uuid) }
}

function sendTransfer({ api }: TriggerContext, more: object = {}): Promise<ApiResource> {
  return api.post('/transfers', { value: VALUE, pix_key: `${randomUUID()}@example.com`, ...more })
}

/** Disputes a payment as the payer's bank, and finds the dispute in the API. */
async function openDispute(context: TriggerContext): Promise<{ id: string; resource: TriggeredResource }> {
  const { api, simulator } = context
  const { uuid, endToEnd } = await payCharge(context)
  await awaitCharge(context, uuid, 'PAID')
  const { id } = await simulator.openDispute({ end_to_end: endToEnd })
  const found = await poll(async () => {
    const { data } = await api.get<{ data: ApiResource[] }>('/meds?per_page=100')
    return data.find(dispute => JSON.stringify(dispute).includes(endToEnd))
  }, `the dispute of ${endToEnd} does not appear`)
  return { id, resource: { path: `/meds/${found.uuid}`, status: 'PENDING' } }
}

async function decideDispute(
  context: TriggerContext,
  decision: DecisionBody['decision'],
  status: DisputeStatus,
) {
  const { id, resource } = await openDispute(context)
  await context.simulator.decideDispute(id, decision)
  return awaitStatus(context, { path: resource.path, status })
}

function awaitCharge(context: TriggerContext, uuid: string, status: PaymentStatus, limitMs?: number) {
  return awaitStatus(context, { path: `/payments/${uuid}`, status }, limitMs)
}

function awaitTransfer(context: TriggerContext, { uuid }: { uuid: string }, status: PaymentStatus) {
  return awaitStatus(context, { path: `/transfers/${uuid}`, status })
}

/** Reads a resource until it shows its status. */
async function awaitStatus({ api }: TriggerContext, resource: TriggeredResource, limitMs?: number) {
  const { path, status } = resource
  await poll(
    async () => {
      const { data } = await api.get<{ data: ApiResource }>(path)
      return data.status === status || undefined
    },
    `${path} is not ${status}`,
    limitMs,
  )
  return resource
}

async function poll<T>(
  read: () => Promise<T | undefined>,
  failure: string,
  limitMs = STATUS_LIMIT_MS,
): Promise<T> {
  const deadlineMs = performance.now() + limitMs
  for (;;) {
    const found = await read()
    if (found !== undefined) return found
    if (performance.now() > deadlineMs) throw new Error(`${failure} after ${limitMs / 1_000} s`)
    await sleep(POLL_MS)
  }
}

/** Returns the stored resource of a refused operation, which the error carries as `data`. */
async function readFailure(refused: Promise<unknown>): Promise<ApiResource> {
  try {
    await refused
  } catch (error) {
    if (error instanceof ApiCallError && error.code === 'provider_rejected')
      return error.body.data as ApiResource
    throw error
  }
  throw new Error('the provider accepted what it should have refused: another caller has used the fault')
}
