import type { Logger } from 'pino'
import type { Dispatcher } from 'undici'
import { type SimulatedAccounts, simulateAccounts } from './accounts.ts'
import { type SimulatedCharges, simulateCharges } from './charges.ts'
import { createEfiConfigurations, type EfiConfigurations } from './configurations.ts'
import { type SimulatedDisputes, simulateDisputes } from './disputes.ts'
import { createFaults, type Faults } from './faults.ts'
import { createIdGenerator, type IdGenerator } from './ids.ts'
import { createInbox, type Inbox } from './inbox.ts'
import { createWaitScaler, type WaitScaler } from './latency.ts'
import { createListingDelay, type ListingDelay } from './listing-delay.ts'
import { createNotifier } from './notifications.ts'
import { type Panel, simulatePanel } from './panel.ts'
import { type PayerBank, simulatePayerBank } from './payer/payer-bank.ts'
import type { PayloadSigner } from './payer/payload-document.ts'
import { createBacenDueArithmetic } from './provider-apis/bacen/due-arithmetic.ts'
import { createEfiNotificationFormat } from './provider-apis/efi/notifications.ts'
import { createInterNotificationFormat } from './provider-apis/inter/notifications.ts'
import { createInterApprovals, sendScheduledPayment } from './provider-apis/inter/payment-sending.ts'
import { createSicoobNotificationFormat } from './provider-apis/sicoob/notifications.ts'
import { starkDueArithmetic } from './provider-apis/stark/due-terms.ts'
import { createStarkNotificationFormat } from './provider-apis/stark/notifications.ts'
import { cancelStarkTransfer } from './provider-apis/stark/pending-transfers.ts'
import { wooviDueArithmetic } from './provider-apis/woovi/due-terms.ts'
import { createWooviNotificationFormat } from './provider-apis/woovi/notifications.ts'
import { type PendingOrderKey, removeWooviOrder } from './provider-apis/woovi/order-removal.ts'
import { simulateWooviSubscriptions, type WooviSubscriptions } from './provider-apis/woovi/subscriptions.ts'
import { createRail, type Rail } from './rail.ts'
import type { RailEventHandler } from './rail-events.ts'
import { type Receipts, simulateReceipts } from './receipts.ts'
import { type SimulatedRecurring, simulateRecurring } from './recurrences/recurring.ts'
import { type SimulatedRefunds, simulateRefunds } from './refunds.ts'
import { type SimulatedReturns, simulateReturns } from './returns.ts'
import { createTaskSchedule, type TaskSchedule } from './schedule.ts'
import type { SimulatorStore } from './store.ts'
import { type SimulatedTransfers, simulateTransfers } from './transfers.ts'
import { type SimulatedWebhooks, simulateWebhooks } from './webhooks.ts'

/** The simulated objects on one store; the provider APIs and the control API change state only through them. */
export type SimulatorState = {
  store: SimulatorStore
  ids: IdGenerator
  accounts: SimulatedAccounts
  rail: Rail
  charges: SimulatedCharges
  receipts: Receipts
  listing: ListingDelay
  refunds: SimulatedRefunds
  returns: SimulatedReturns
  transfers: SimulatedTransfers
  disputes: SimulatedDisputes
  /** Recurrences (Pix Automático) with their charges, payers and clock. */
  recurring: SimulatedRecurring
  wooviSubscriptions: WooviSubscriptions
  panel: Panel
  /** Webhooks of received PIX, by PIX key. */
  webhooks: SimulatedWebhooks
  /** Webhooks of sent PIX, recurrences and automatic charges of the banks over the Central Bank's API, by kind. */
  paymentWebhooks: SimulatedWebhooks
  configurations: EfiConfigurations
  faults: Faults
  inbox: Inbox
  payerBank: PayerBank
  schedule: TaskSchedule
  onRailEvent: RailEventHandler
  /** Notifies an event once more, without repeats. */
  resendNotification: RailEventHandler
  signer: PayloadSigner
  now: () => Date
  scaleWaitMs: WaitScaler
  log: Logger
  /** Aborted when the simulator stops. */
  stopping: AbortSignal
}

type SimulatorStateOptions = Pick<SimulatorState, 'store' | 'signer' | 'now' | 'log' | 'stopping'> & {
  seed: number
  timeScale: number
  /** Trusts the local authority and presents the providers' client certificate. */
  dispatcher: Dispatcher
  /** Returns the URL of the main port, known once it listens. */
  url: () => string
}

export function createSimulatorState(options: SimulatorStateOptions): SimulatorState {
  const { store, now, log, stopping, signer, dispatcher, url } = options
  const ids = createIdGenerator(store, options.seed)
  const scaleWaitMs = createWaitScaler(options.timeScale)
  const accounts = simulateAccounts({ store, ids, now })
  const rail = createRail(store)
  const faults = createFaults(store, now)
  const webhooks = simulateWebhooks({ store, now })
  const paymentWebhooks = simulateWebhooks({ store, now, table: 'paymentWebhook' })
  const configurations = createEfiConfigurations(store)
  const schedule = createTaskSchedule({ store, now, log })
  const { onRailEvent, resend } = createNotifier({
    schedule,
    faults,
    scaleWaitMs,
    log,
    dispatcher,
    stopping,
    formats: {
      efi: createEfiNotificationFormat({ webhooks, paymentWebhooks, configurations }),
      woovi: createWooviNotificationFormat(store),
      sicoob: createSicoobNotificationFormat({ webhooks, paymentWebhooks }),
      stark: createStarkNotificationFormat({ store, now }),
      inter: createInterNotificationFormat({ webhooks, paymentWebhooks, store }),
    },
  })

  const payloadHost = () => new URL(url()).host
  const listing = createListingDelay({ faults, now, scaleWaitMs })
  const receipts = simulateReceipts({ store, rail, accounts, listing, ids, now, onRailEvent })
  const charges = simulateCharges({
    store,
    accounts,
    receipts,
    ids,
    faults,
    now,
    payloadHost,
    dueArithmetics: {
      efi: createBacenDueArithmetic({ movesEnd: true }),
      sicoob: createBacenDueArithmetic({ movesEnd: false }),
      inter: createBacenDueArithmetic({ movesEnd: false }),
      woovi: wooviDueArithmetic,
      stark: starkDueArithmetic,
    },
  })
  const dependencies = {
    store,
    rail,
    accounts,
    receipts,
    listing,
    schedule,
    ids,
    now,
    scaleWaitMs,
    onRailEvent,
    charges,
  }
  schedule.registerHandler('remove_order', (order: PendingOrderKey) => {
    const remove =
      accounts.find(order.accountId)?.dialect === 'stark' ? cancelStarkTransfer : removeWooviOrder
    remove(dependencies, order)
    return undefined
  })
  const transfers = simulateTransfers(dependencies)
  schedule.registerHandler(
    'send_scheduled_payment',
    (payment: { code: string }) => void sendScheduledPayment({ store, accounts, transfers, now }, payment),
  )
  schedule.registerHandler(
    'disapprove_payment',
    ({ code }: { code: string }) =>
      void createInterApprovals({ store, accounts, transfers, now, onRailEvent }).remove(code),
  )
  const returns = simulateReturns(dependencies)
  const refunds = simulateRefunds({ ...dependencies, returns })
  const disputes = simulateDisputes({ ...dependencies, refunds, returns, transfers })
  const recurring = simulateRecurring({ ...dependencies, payloadHost })
  const wooviSubscriptions = simulateWooviSubscriptions({ ...dependencies, recurring })
  const panel = simulatePanel({ ...dependencies, refunds, transfers })
  const inbox = createInbox({ store, now, stopping })
  const payerBank = simulatePayerBank({ accounts, charges, receipts, recurring, signer, dispatcher, url })
  return {
    store,
    ids,
    accounts,
    rail,
    charges,
    receipts,
    listing,
    refunds,
    returns,
    transfers,
    disputes,
    recurring,
    wooviSubscriptions,
    panel,
    webhooks,
    paymentWebhooks,
    configurations,
    faults,
    inbox,
    payerBank,
    schedule,
    onRailEvent,
    resendNotification: resend,
    signer,
    now,
    scaleWaitMs,
    log,
    stopping,
  }
}
