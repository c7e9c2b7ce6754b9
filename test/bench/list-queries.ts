import { listEvents } from '../../src/api/events/find.ts'
import { listLedger } from '../../src/api/ledger/find.ts'
import { listMeds } from '../../src/api/meds/find.ts'
import { listCharges } from '../../src/api/payments/find.ts'
import { listRefunds } from '../../src/api/refunds/find.ts'
import { listTransfers } from '../../src/api/transfers/find.ts'
import { listDeliveries } from '../../src/api/webhooks/deliveries.ts'
import type { EntityManager } from '../../src/db/orm.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { deliveriesQuery } from '../../src/wire/delivery.ts'
import { eventsQuery } from '../../src/wire/event.ts'
import { ledgerQuery } from '../../src/wire/ledger.ts'
import { medsQuery } from '../../src/wire/med.ts'
import { paymentsQuery } from '../../src/wire/payment.ts'
import { transfersQuery } from '../../src/wire/transfer.ts'
import type { LivedIn } from './rows.ts'

/** Every list of the API with the filters that it has, alone and in pairs that hurt. */
export type ListCase = {
  what: string
  /** Whether its total comes from tallies. */
  isTallied: boolean
  list(em: EntityManager): Promise<unknown>
}

const DAY_MS = 86_400_000
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
const LONG_AGO = { date_from: dayBefore(230), date_to: dayBefore(230) }
const A_MONTH = { date_from: dayBefore(230), date_to: dayBefore(200) }
/** Links to proofs are not what is measured, and nothing here has any. */
const NO_FILES = {} as Storage

type Known = { external_ref: string; end_to_end: string; txid: string; uuid: string; value: string }

export async function listCases(em: EntityManager, world: LivedIn): Promise<ListCase[]> {
  const { accountUuid, connections } = world
  const token = {
    uuid: accountUuid,
    accountUuid,
    connectionUuid: null,
    mode: 'test',
    reaches: 'test',
  } as const
  const [one] = await em.execute<Known[]>(
    `select uuid, external_ref, end_to_end, txid, value_cents / 100.0 as value from charge where state = 'paid'
     order by created_at offset ? limit 1`,
    [Math.floor(world.charges / 3)],
  )
  const { external_ref, end_to_end, txid, uuid } = one!
  const value = Number(one!.value).toFixed(2)
  const [most, fewest] = [connections[0]!, connections.at(-1)!]
  const charges = (what: string, query: object, isTallied = false): ListCase => ({
    ...{ what: `charges ${what}`, isTallied },
    list: em => listCharges(em, token, paymentsQuery.parse(query)),
  })
  const transfers = (what: string, query: object, isTallied = false): ListCase => ({
    ...{ what: `transfers ${what}`, isTallied },
    list: em => listTransfers(em, token, transfersQuery.parse(query)),
  })
  const meds = (what: string, query: object): ListCase => ({
    ...{ what: `disputes ${what}`, isTallied: false },
    list: em => listMeds(em, NO_FILES, token, medsQuery.parse(query)),
  })
  const ledger = (what: string, query: object): ListCase => ({
    ...{ what: `ledger ${what}`, isTallied: true },
    list: em => listLedger(em, token, ledgerQuery.parse(query)),
  })
  const events = (what: string, query: object): ListCase => ({
    ...{ what: `events ${what}`, isTallied: true },
    list: em => listEvents(em, token, eventsQuery.parse(query)),
  })
  const deliveries = (what: string, query: object): ListCase => ({
    ...{ what: `deliveries ${what}`, isTallied: true },
    list: em => listDeliveries(em, { accountUuid, uuid: world.webhook }, deliveriesQuery.parse(query)),
  })
  return [
    charges('all', {}, true),
    charges('page 50', { page: '50' }, true),
    charges('PAID', { status: 'PAID' }, true),
    charges('PROCESSING (rare, two states)', { status: 'PROCESSING' }, true),
    charges('EXPIRED or CANCELLED', { status: 'EXPIRED,CANCELLED' }, true),
    charges('provider, most', { provider_uuid: most }, true),
    charges('provider, fewest', { provider_uuid: fewest }, true),
    charges('provider and FAILED', { provider_uuid: fewest, status: 'FAILED' }, true),
    charges('a day long ago', LONG_AGO, true),
    charges('a month long ago, PAID', { ...A_MONTH, status: 'PAID' }, true),
    charges('paid on a day long ago', {
      payment_date_from: LONG_AGO.date_from,
      payment_date_to: LONG_AGO.date_to,
    }),
    charges('paid within a month', {
      payment_date_from: A_MONTH.date_from,
      payment_date_to: A_MONTH.date_to,
    }),
    charges('paid since a year', { payment_date_from: dayBefore(300) }),
    charges('value, exactly', { value_min: value, value_max: value }),
    charges('value ≥ 98 000', { value_min: '98000' }),
    charges('value 10 to 100', { value_min: '10', value_max: '100' }),
    charges('value ≥ 5', { value_min: '5' }),
    charges('value nobody asked', { value_min: '9000000' }),
    charges('value, PAID, provider', {
      ...{ value_min: '10', value_max: '100' },
      ...{ status: 'PAID', provider_uuid: most },
    }),
    charges('external_ref', { external_ref }),
    charges('end_to_end', { end_to_end }),
    charges('txid', { txid }),
    charges('uuid', { uuid }),
    transfers('all', {}, true),
    transfers('PROCESSING (rare, two states)', { status: 'PROCESSING' }, true),
    transfers('provider, fewest', { provider_uuid: fewest }, true),
    transfers('a day long ago', LONG_AGO, true),
    transfers('pix_key', { pix_key: 'pagador-7@example.com' }),
    transfers('settled on a day long ago', {
      transfer_date_from: LONG_AGO.date_from,
      transfer_date_to: LONG_AGO.date_to,
    }),
    transfers('settled since a year', { transfer_date_from: dayBefore(300) }),
    transfers('external_ref', { external_ref: 'saida-77' }),
    meds('all', {}),
    meds('open', { open: 'true' }),
    meds('unresolved', { resolved: 'false' }),
    meds('SCAM', { dispute_type: 'SCAM' }),
    meds('a day long ago', LONG_AGO),
    ledger('all', {}),
    ledger('page 50', { page: '50' }),
    ledger('provider, most', { provider_uuid: most }),
    ledger('a day long ago', LONG_AGO),
    ledger('a month long ago', A_MONTH),
    events('all', {}),
    events('PAYMENT', { type: 'PAYMENT' }),
    events('MED or TRANSFER (rare)', { type: 'MED,TRANSFER' }),
    events('a day', { date_from: dayBefore(20), date_to: dayBefore(20) }),
    deliveries('all', {}),
    deliveries('PENDING (rare)', { status: 'PENDING' }),
    deliveries('FAILED', { status: 'FAILED' }),
    {
      ...{ what: 'refunds of a charge', isTallied: false },
      list: em => listRefunds(em, token, world.refunded, { page: 1, per_page: 15 }),
    },
  ]
}
