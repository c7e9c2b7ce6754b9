import type { DisputeStatus } from '../../../src/domain/disputes/dispute.ts'
import type { PaymentStatus } from '../../../src/domain/shared/payment-status.ts'
import type { SubscribableEventType } from '../../../src/domain/webhooks/webhook.ts'
import {
  awaitStatus,
  createTriggerActions,
  TRIGGER_VALUE,
  type TriggerActions,
  type TriggerContext,
  type TriggeredResource,
} from './trigger-actions.ts'

/** What `trigger` can cause: the type of an event and the status that its resource shows, both as in the event. */
type EventKind = `${Lowercase<SubscribableEventType>}.${Lowercase<
  PaymentStatus | DisputeStatus | 'COMPLETED' | 'SETTLED'
>}`

type Trigger = {
  description: string
  /** Does what causes the event; returns the resource that it is about, with the status to wait for. */
  cause: (actions: TriggerActions) => Promise<TriggeredResource>
  /** How long the status may take; a minute where absent. */
  limitMs?: number
}

const DAY_MS = 86_400_000
/** Shortest `expires_in`, the grace after it, and the look-up at the provider (SPEC §2). */
const EXPIRY_LIMIT_MS = 180_000
/** Magic keys of the simulator (SPEC §10). */
const REJECTED_KEY = { pix_key: 'ac03-later@sim.trilho.test' }
const RETURNED_KEY = { pix_key: 'returned@sim.trilho.test' }

type Identified = { uuid: string }
const charge = ({ uuid }: Identified, status: PaymentStatus) => ({ path: `/payments/${uuid}`, status })
const transfer = ({ uuid }: Identified, status: PaymentStatus) => ({ path: `/transfers/${uuid}`, status })
const dispute = ({ uuid }: Identified, status: DisputeStatus) => ({ path: `/meds/${uuid}`, status })
const refund = ({ uuid, refundUuid }: Identified & { refundUuid: string }, status: string) => ({
  path: `/payments/${uuid}/refunds/${refundUuid}`,
  status,
})

/** What causes each event, in the order of the help. */
export const TRIGGERS = {
  'payment.paid': {
    description: 'a payer pays a charge',
    cause: async actions => charge(await actions.payCharge(), 'PAID'),
  },
  'payment.failed': {
    description: 'the provider refuses to issue a charge; another charge is cancelled before',
    cause: async actions => charge(await actions.createRefusedCharge(), 'FAILED'),
  },
  'payment.cancelled': {
    description: 'a charge is cancelled before it is paid',
    cause: async actions => charge(await actions.cancelCharge(await actions.createCharge()), 'CANCELLED'),
  },
  'payment.expired': {
    description: 'a charge is not paid in time; takes two minutes',
    cause: async actions => charge(await actions.createCharge({ expires_in: 60 }), 'EXPIRED'),
    limitMs: EXPIRY_LIMIT_MS,
  },
  'payment.partially_refunded': {
    description: 'half of a paid charge is refunded',
    cause: async actions =>
      charge(await actions.refundCharge({ value: TRIGGER_VALUE / 2 }), 'PARTIALLY_REFUNDED'),
  },
  'payment.refunded': {
    description: 'a paid charge is refunded whole',
    cause: async actions => charge(await actions.refundCharge(), 'REFUNDED'),
  },
  'refund.completed': {
    description: 'the refund of a charge settles',
    cause: async actions => refund(await actions.refundCharge(), 'COMPLETED'),
  },
  'refund.failed': {
    description: 'the provider refuses the refund of a charge',
    cause: async actions => refund(await actions.refuseRefund(), 'FAILED'),
  },
  'transfer.paid': {
    description: 'a transfer settles',
    cause: async actions => transfer(await actions.sendTransfer(), 'PAID'),
  },
  'transfer.failed': {
    description: 'the recipient’s bank refuses a transfer after the provider has accepted it (AC03)',
    cause: async actions => transfer(await actions.sendTransfer(REJECTED_KEY), 'FAILED'),
  },
  'transfer.cancelled': {
    description: 'a scheduled transfer is cancelled',
    async cause(actions) {
      const tomorrow = new Date(Date.now() + DAY_MS).toISOString()
      const scheduled = await actions.sendTransfer({ scheduled_for: tomorrow })
      return transfer(await actions.cancelTransfer(scheduled), 'CANCELLED')
    },
  },
  'transfer.refunded': {
    description: 'the recipient returns a transfer whole',
    cause: async actions => transfer(await actions.sendTransfer(RETURNED_KEY), 'REFUNDED'),
  },
  'med.pending': {
    description: 'a payer disputes a payment',
    cause: async actions => dispute(await actions.openDispute(), 'PENDING'),
  },
  'med.accepted': {
    description: 'a dispute is decided for the payer, and the money returned',
    cause: async actions => dispute(await actions.decideDispute('agreed'), 'ACCEPTED'),
  },
  'med.rejected': {
    description: 'a dispute is decided for the merchant',
    cause: async actions => dispute(await actions.decideDispute('disagreed'), 'REJECTED'),
  },
  'med.cancelled': {
    description: 'a payer withdraws a dispute',
    cause: async actions => dispute(await actions.decideDispute('cancelled'), 'CANCELLED'),
  },
  'pix_transaction.settled': {
    description: 'a PIX settles: the payment of a charge',
    cause: async actions => charge(await actions.payCharge(), 'PAID'),
  },
} as const satisfies Partial<Record<EventKind, Trigger>>

export type TriggerName = keyof typeof TRIGGERS

/** Makes an event happen; returns its resource once that shows the status of the event. */
export async function runTrigger(name: TriggerName, context: TriggerContext): Promise<TriggeredResource> {
  const { cause, limitMs }: Trigger = TRIGGERS[name]
  const resource = await cause(createTriggerActions(context))
  await awaitStatus(context.api, resource, limitMs)
  return resource
}
