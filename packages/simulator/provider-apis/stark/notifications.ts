import type { NotificationFormat } from '../../notifications.ts'
import type { RailEvent } from '../../rail-events.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import type { SimulatorStore } from '../../store.ts'
import { buildStarkId, formatStarkTime } from './ids.ts'
import { listInvoiceLogs } from './invoice-presenters.ts'
import { findPullRequestOfDay, listPullRequestLogs } from './pull-request-presenters.ts'
import {
  findNumberedReceipt,
  findPaidInvoice,
  listReceiptLogs,
  presentDeposit,
  presentReceiptLog,
} from './received-pix.ts'
import type { StarkSubscription } from './schemas.ts'
import { openStarkSigningKey, type StarkSigningKey } from './signing-key.ts'
import { findSubscription, listSubscriptionLogs, presentPullLog } from './subscription-presenters.ts'
import {
  findStarkTransfer,
  listTransferLogs,
  presentStarkTransfer,
  presentTransferLog,
} from './transfer-presenters.ts'
import { findWorkspaceId, listWebhookUrls } from './workspace.ts'

type StarkNotificationDependencies = { store: SimulatorStore; now: () => Date }

/**
 * Creates Stark's notifications: an event per change of money, to each URL with its subscription, signed with Stark's key in the header
 * `Digital-Signature`. Stark has an event for every log; the simulator sends those of logs that move or end something.
 */
export function createStarkNotificationFormat(
  dependencies: StarkNotificationDependencies,
): NotificationFormat {
  const { store, now } = dependencies
  let key: StarkSigningKey | undefined
  const sign = (body: string) => {
    key ??= openStarkSigningKey(dependencies)
    return key.sign(body)
  }
  return {
    buildNotifications: event => {
      const found = findEventLog(dependencies, event)
      if (!found) return []
      const { subscription, log } = found
      const urls = listWebhookUrls(store, event.account.id, subscription)
      return urls.map(url => {
        const body = JSON.stringify({
          event: {
            id: buildStarkId('event', store.nextCount('starkEvent')),
            created: formatStarkTime(now().toISOString()),
            isDelivered: false,
            subscription,
            workspaceId: findWorkspaceId(store, event.account),
            log,
          },
        })
        const headers = {
          'content-type': 'application/json',
          'user-agent': 'Stark-Webhook/simulator',
          [SIGNATURE_HEADER]: sign(body),
        }
        return { url, headers, body }
      })
    },
    buildForgeries: ({ url, headers, body }) => [
      { url, headers: { ...headers, [SIGNATURE_HEADER]: sign(`${body} `) }, body },
      { url, headers, body: body.replace(/"amount":\d+/, '"amount":999999') },
    ],
  }
}

const SIGNATURE_HEADER = 'Digital-Signature'

type EventLog = { subscription: StarkSubscription; log: object }

/** Finds the log that an event notifies; null for an event that Stark's API does not have. */
function findEventLog(dependencies: StarkNotificationDependencies, event: RailEvent): EventLog | null {
  const { store, now } = dependencies
  switch (event.kind) {
    case 'payment':
    case 'refund': {
      const refunds = event.kind === 'refund' ? event.refunds : []
      const changed = event.kind === 'refund' ? event.changed : null
      return findReceiptLog(dependencies, event, { refunds, changed })
    }
    case 'transfer':
    case 'return': {
      const { id, accountId } = event.transfer
      const transfer = findStarkTransfer(store, accountId, id)
      // Sent in the web banking, and not read since.
      if (!transfer) return null
      const logs = listTransferLogs(store, { transfer, sent: event.transfer })
      return { subscription: 'transfer', log: presentTransferLog(logs.at(-1)!) }
    }
    // The event also comes of a transfer that was not canceled, by a fault.
    case 'order_removed': {
      const transfer = findStarkTransfer(store, event.account.id, event.id)!
      const view = { transfer, sent: undefined }
      const [created] = listTransferLogs(store, view)
      const present = () => presentStarkTransfer(store, view, 'canceled')
      return { subscription: 'transfer', log: presentTransferLog({ ...created, type: 'canceled', present }) }
    }
    case 'recurrence': {
      const { recurrence } = event
      const subscription = findSubscription(store, 'recurrenceId', recurrence.id)
      const [log] = subscription
        ? listSubscriptionLogs({ subscription, recurrence, now: now() }).slice(-1)
        : []
      return log ? { subscription: 'invoice-pull-subscription', log: presentPullLog(log) } : null
    }
    case 'automatic_charge': {
      const { charge, tries } = event
      const day = tries.at(-1)?.day ?? charge.dueOn
      const request = findPullRequestOfDay(store, { ...charge, day })
      const log = request && listPullRequestLogs({ request, charge, tries }).at(-1)!
      return log ? { subscription: 'invoice-pull-request', log: presentPullLog(log) } : null
    }
    case 'dispute':
      return null
    default:
      return event satisfies never
  }
}

type ReceiptChange = { refunds: SimulatedRefund[]; changed: SimulatedRefund | null }

/** Finds the last log of a received PIX, or of the reversal that changed, as a log of its invoice or deposit. */
function findReceiptLog(
  { store, now }: StarkNotificationDependencies,
  { account, receipt: { accountId, endToEnd } }: Extract<RailEvent, { kind: 'payment' | 'refund' }>,
  { refunds, changed }: ReceiptChange,
): EventLog {
  const receipt = findNumberedReceipt(store, { accountId, endToEnd })
  const invoice = findPaidInvoice(store, receipt)
  const logs = invoice
    ? listInvoiceLogs(invoice, { store, payment: { receipt, refunds }, now: now() })
    : listReceiptLogs(
        { receipt, refunds },
        {
          objectId: buildStarkId('deposit', receipt.number),
          firstTypes: ['created', 'credited'],
          view: earlier => presentDeposit(store, { account, receipt, refunds: earlier }),
        },
      )
  const subscription = invoice ? 'invoice' : 'deposit'
  const log = logs.findLast(({ refundId }) => refundId === (changed?.id ?? null))!
  return { subscription, log: presentReceiptLog(subscription, log) }
}
