import type { Logger } from 'pino'
import type { Dispatcher } from 'undici'
import type { Dialect } from '../domain/provider.ts'
import { type Accounts, accountsOf } from './accounts.ts'
import { type Agenda, agendaOf } from './agenda.ts'
import { type Charges, chargesOf } from './charges.ts'
import { type Configurations, configurationsOf } from './configurations.ts'
import { efiNoticesOf } from './dialects/efi/notices.ts'
import { wooviNoticesOf } from './dialects/woovi/notices.ts'
import { type Faults, faultsOf } from './faults.ts'
import { idsOf } from './ids.ts'
import { type Inbox, inboxOf } from './inbox.ts'
import { type Meds, medsOf } from './meds.ts'
import { type NoticeWords, noticesOf } from './notices.ts'
import { type Pace, paceOf } from './pace.ts'
import { type Panel, panelOf } from './panel.ts'
import { type PayerBank, payerBankOf } from './payer.ts'
import type { PayloadSeal } from './payload-document.ts'
import { type Rail, railOf } from './rail.ts'
import { type Receipts, receiptsOf } from './receipts.ts'
import { type Refunds, refundsOf } from './refunds.ts'
import { type Returns, returnsOf } from './returns.ts'
import { type Sendings, sendingsOf } from './sendings.ts'
import type { Store } from './store.ts'
import { type Webhooks, webhooksOf } from './webhooks.ts'

/** Everything simulated, over one store. Whatever a dialect or the control API does, it does through these. */
export type World = {
  store: Store
  accounts: Accounts
  rail: Rail
  charges: Charges
  receipts: Receipts
  refunds: Refunds
  returns: Returns
  sendings: Sendings
  meds: Meds
  panel: Panel
  webhooks: Webhooks
  configurations: Configurations
  faults: Faults
  inbox: Inbox
  bank: PayerBank
  agenda: Agenda
  seal: PayloadSeal
  now: () => Date
  pace: Pace
  log: Logger
  /** Aborted when the simulator stops. */
  stopping: AbortSignal
}

type Surroundings = Pick<World, 'store' | 'seal' | 'now' | 'log' | 'stopping'> & {
  seed: number
  timeScale: number
  /** Trusts the local authority and carries the providers' client certificate. */
  dispatcher: Dispatcher
  /** Where the main port is reached, known once it listens. */
  url: () => string
}

export function worldOf(surroundings: Surroundings): World {
  const { store, now, log, stopping, seal, dispatcher, url } = surroundings
  const ids = idsOf(store, surroundings.seed)
  const pace = paceOf(surroundings.timeScale)
  const accounts = accountsOf({ store, ids, now })
  const rail = railOf(store)
  const faults = faultsOf(store, now)
  const webhooks = webhooksOf({ store, now })
  const configurations = configurationsOf(store)
  const agenda = agendaOf({ store, now, log })
  const words: Record<Dialect, NoticeWords> = {
    efi: efiNoticesOf({ webhooks, configurations }),
    woovi: wooviNoticesOf(store),
  }
  const { announce } = noticesOf({
    agenda,
    faults,
    pace,
    log,
    dispatcher,
    stopping,
    wordsOf: name => words[name],
  })

  const receipts = receiptsOf({ store, rail, accounts, faults, ids, now, pace, announce })
  const parts = { store, rail, accounts, receipts, agenda, ids, now, pace, announce }
  const sendings = sendingsOf(parts)
  const returns = returnsOf(parts)
  const refunds = refundsOf({ ...parts, returns })
  const meds = medsOf({ ...parts, refunds, returns, sendings })
  const panel = panelOf({ ...parts, refunds, sendings })
  const charges = chargesOf({ store, accounts, receipts, ids, now, payloadHost: () => new URL(url()).host })
  const inbox = inboxOf({ store, now, stopping })
  const bank = payerBankOf({ charges, seal, dispatcher, url })
  return {
    ...{ store, accounts, rail, charges, receipts, refunds, returns, sendings, meds, panel, webhooks },
    configurations,
    ...{ faults, inbox, bank, agenda, seal, now, pace, log, stopping },
  }
}
