import type { Logger } from 'pino'
import type { Dispatcher } from 'undici'
import type { ProviderApi } from '../domain/providers/provider.ts'
import { type SimulatedAccounts, simulateAccounts } from './accounts.ts'
import { type SimulatedCharges, simulateCharges } from './charges.ts'
import { createEfiConfigurations, type EfiConfigurations } from './configurations.ts'
import { type SimulatedDisputes, simulateDisputes } from './disputes.ts'
import { createFaults, type Faults } from './faults.ts'
import { createIdGenerator, type IdGenerator } from './ids.ts'
import { createInbox, type Inbox } from './inbox.ts'
import { createWaitScaler, type WaitScaler } from './latency.ts'
import { createNotifier, type NotificationFormat } from './notifications.ts'
import { type Panel, simulatePanel } from './panel.ts'
import { type PayerBank, simulatePayerBank } from './payer/payer-bank.ts'
import type { PayloadSigner } from './payer/payload-document.ts'
import { createEfiNotificationFormat } from './provider-apis/efi/notifications.ts'
import { createWooviNotificationFormat } from './provider-apis/woovi/notifications.ts'
import { type PendingOrderKey, removeWooviOrder } from './provider-apis/woovi/order-removal.ts'
import { createRail, type Rail } from './rail.ts'
import type { RailEventHandler } from './rail-events.ts'
import { type Receipts, simulateReceipts } from './receipts.ts'
import { type SimulatedRefunds, simulateRefunds } from './refunds.ts'
import { type SimulatedReturns, simulateReturns } from './returns.ts'
import { createTaskSchedule, type TaskSchedule } from './schedule.ts'
import type { SimulatorStore } from './store.ts'
import { type SimulatedTransfers, simulateTransfers } from './transfers.ts'
import { type SimulatedWebhooks, simulateWebhooks } from './webhooks.ts'

/** Everything simulated, over one store. Whatever a dialect or the control API does, it does through these. */
export type SimulatorState = {
  store: SimulatorStore
  ids: IdGenerator
  accounts: SimulatedAccounts
  rail: Rail
  charges: SimulatedCharges
  receipts: Receipts
  refunds: SimulatedRefunds
  returns: SimulatedReturns
  transfers: SimulatedTransfers
  disputes: SimulatedDisputes
  panel: Panel
  webhooks: SimulatedWebhooks
  configurations: EfiConfigurations
  faults: Faults
  inbox: Inbox
  payerBank: PayerBank
  schedule: TaskSchedule
  onRailEvent: RailEventHandler
  /** Notifies an event again, once. */
  resendNotification: RailEventHandler
  seal: PayloadSigner
  now: () => Date
  scaleWaitMs: WaitScaler
  log: Logger
  /** Aborted when the simulator stops. */
  stopping: AbortSignal
}

type SimulatorStateOptions = Pick<SimulatorState, 'store' | 'seal' | 'now' | 'log' | 'stopping'> & {
  seed: number
  timeScale: number
  /** Trusts the local authority and carries the providers' client certificate. */
  dispatcher: Dispatcher
  /** Where the main port is reached, known once it listens. */
  url: () => string
}

export function createSimulatorState(surroundings: SimulatorStateOptions): SimulatorState {
  const { store, now, log, stopping, seal, dispatcher, url } = surroundings
  const ids = createIdGenerator(store, surroundings.seed)
  const pace = createWaitScaler(surroundings.timeScale)
  const accounts = simulateAccounts({ store, ids, now })
  const rail = createRail(store)
  const faults = createFaults(store, now)
  const webhooks = simulateWebhooks({ store, now })
  const configurations = createEfiConfigurations(store)
  const agenda = createTaskSchedule({ store, now, log })
  const words: Record<ProviderApi, NotificationFormat> = {
    efi: createEfiNotificationFormat({ webhooks, configurations }),
    woovi: createWooviNotificationFormat(store),
  }
  const { onRailEvent: announce, resend } = createNotifier({
    schedule: agenda,
    faults,
    scaleWaitMs: pace,
    log,
    dispatcher,
    stopping,
    formatOf: name => words[name],
  })

  const receipts = simulateReceipts({
    store,
    rail,
    accounts,
    faults,
    ids,
    now,
    scaleWaitMs: pace,
    onRailEvent: announce,
  })
  const parts = {
    store,
    rail,
    accounts,
    receipts,
    schedule: agenda,
    ids,
    now,
    scaleWaitMs: pace,
    onRailEvent: announce,
  }
  agenda.registerHandler('remove_order', (order: PendingOrderKey) => void removeWooviOrder(parts, order))
  const sendings = simulateTransfers(parts)
  const returns = simulateReturns(parts)
  const refunds = simulateRefunds({ ...parts, returns })
  const meds = simulateDisputes({ ...parts, refunds, returns, sendings })
  const panel = simulatePanel({ ...parts, refunds, transfers: sendings })
  const charges = simulateCharges({
    store,
    accounts,
    receipts,
    ids,
    now,
    payloadHost: () => new URL(url()).host,
  })
  const inbox = createInbox({ store, now, stopping })
  const bank = simulatePayerBank({ accounts, charges, receipts, seal, dispatcher, url })
  return {
    ...{
      store,
      ids,
      accounts,
      rail,
      charges,
      receipts,
      refunds,
      returns,
      transfers: sendings,
      disputes: meds,
      panel,
      webhooks,
    },
    configurations,
    ...{ onRailEvent: announce, resendNotification: resend },
    ...{ faults, inbox, payerBank: bank, schedule: agenda, seal, now, scaleWaitMs: pace, log, stopping },
  }
}
