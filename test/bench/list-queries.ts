import { randomUUID } from 'node:crypto'
import { listCharges } from '../../src/api/operations/charges.ts'
import { listDisputes } from '../../src/api/operations/disputes.ts'
import { listEvents } from '../../src/api/operations/events.ts'
import { listLedgerLines } from '../../src/api/operations/ledger.ts'
import { listPixKeys } from '../../src/api/operations/pix-keys.ts'
import { listAllRefunds, listRefunds } from '../../src/api/operations/refunds.ts'
import { listBatchItems, listTransferBatches } from '../../src/api/operations/transfer-batches.ts'
import { listTransfers } from '../../src/api/operations/transfers.ts'
import { listDeliveries } from '../../src/api/operations/webhook-deliveries.ts'
import { chargesQuery } from '../../src/contract/charges/charge.ts'
import { disputesQuery } from '../../src/contract/disputes/dispute.ts'
import { eventsQuery } from '../../src/contract/events/event.ts'
import { ledgerQuery } from '../../src/contract/ledger/ledger-line.ts'
import { pixKeysQuery } from '../../src/contract/pix-keys/pix-key.ts'
import { allRefundsQuery, refundsQuery } from '../../src/contract/refunds/refund.ts'
import { transfersQuery } from '../../src/contract/transfers/transfer.ts'
import { batchesQuery, batchItemsQuery } from '../../src/contract/transfers/transfer-batch.ts'
import { deliveriesQuery } from '../../src/contract/webhooks/webhook-delivery.ts'
import type { EntityManager } from '../../src/db/client/orm.ts'
import type { FileStorage } from '../../src/storage/storage.ts'
import type { SeededAccount } from './seeded-account.ts'

/** A numbered page, the first one by default, or one by cursor. */
type PagePlace = { page?: string; cursor?: string }
type PageMeta = { total?: number; next_cursor: string | null }

/** Every list of the API with its filters, alone and in expensive pairs. */
export type ListCase = {
  what: string
  /** Whether its total comes from counters. */
  isTallied: boolean
  /** Whether it is by days of payment or settlement, whose rows are not near in the order of the list. */
  isByDoneDays?: boolean | undefined
  list(em: EntityManager, place: PagePlace): Promise<{ meta: PageMeta }>
}

const DAY_MS = 86_400_000
const dateDaysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
const LONG_AGO = { date_from: dateDaysAgo(230), date_to: dateDaysAgo(230) }
const OF_BRAZIL = { ...LONG_AGO, time_zone: 'America/Sao_Paulo' }
const A_MONTH = { date_from: dateDaysAgo(230), date_to: dateDaysAgo(200) }
/** Links to proofs are not measured, and no row here has any. */
const NO_FILES = {} as FileStorage

type KnownCharge = { external_ref: string; end_to_end: string; txid: string; uuid: string; value: string }

export async function buildListCases(em: EntityManager, world: SeededAccount): Promise<ListCase[]> {
  const { accountUuid, connections } = world
  const token = {
    uuid: accountUuid,
    accountUuid,
    connectionUuid: null,
    mode: 'test',
    modeScope: 'test',
  } as const
  const [one] = await em.execute<KnownCharge[]>(
    `select uuid, external_ref, end_to_end, txid, value_cents / 100.0 as value from charge where account_uuid = ? and state = 'paid'
     order by created_at offset ? limit 1`,
    [accountUuid, Math.floor(world.charges / 3)],
  )
  const { external_ref, end_to_end, txid, uuid } = one!
  const value = Number(one!.value).toFixed(2)
  const someUuids = Array.from({ length: 99 }, () => randomUUID()).join(',')
  const [most, fewest] = [connections[0]!, connections.at(-1)!]
  type Query = Record<string, string>
  const charges = (what: string, query: Query, isTallied = false): ListCase => ({
    what: `charges ${what}`,
    isTallied,
    isByDoneDays: 'payment_date_from' in query,
    list: (em, place) => listCharges(em, token, chargesQuery.parse({ ...query, ...place })),
  })
  const transfers = (what: string, query: Query, isTallied = false): ListCase => ({
    what: `transfers ${what}`,
    isTallied,
    isByDoneDays: 'transfer_date_from' in query,
    list: (em, place) => listTransfers(em, token, transfersQuery.parse({ ...query, ...place })),
  })
  const batches = (what: string, query: Query): ListCase => ({
    what: `batches ${what}`,
    isTallied: false,
    list: (em, place) => listTransferBatches(em, token, batchesQuery.parse({ ...query, ...place })),
  })
  const items = (what: string, query: Query): ListCase => ({
    what: `items of a batch ${what}`,
    isTallied: false,
    list: (em, place) =>
      listBatchItems(em, token, {
        uuid: world.batch,
        query: batchItemsQuery.parse({ ...query, ...place }),
      }),
  })
  const meds = (what: string, query: Query): ListCase => ({
    what: `disputes ${what}`,
    isTallied: false,
    list: (em, place) => listDisputes(em, NO_FILES, token, disputesQuery.parse({ ...query, ...place })),
  })
  const ledger = (what: string, query: Query, isTallied = true): ListCase => ({
    what: `ledger ${what}`,
    isTallied,
    list: (em, place) => listLedgerLines(em, token, ledgerQuery.parse({ ...query, ...place })),
  })
  const events = (what: string, query: Query): ListCase => ({
    what: `events ${what}`,
    isTallied: true,
    list: (em, place) => listEvents(em, token, eventsQuery.parse({ ...query, ...place })),
  })
  const refunds = (what: string, query: Query): ListCase => ({
    what: `refunds ${what}`,
    isTallied: true,
    list: (em, place) => listAllRefunds(em, token, allRefundsQuery.parse({ ...query, ...place })),
  })
  const deliveries = (what: string, query: Query): ListCase => ({
    what: `deliveries ${what}`,
    isTallied: true,
    list: (em, place) =>
      listDeliveries(em, { accountUuid, uuid: world.webhook }, deliveriesQuery.parse({ ...query, ...place })),
  })
  return [
    charges('all', {}, true),
    charges('by uuid, one of a hundred', { uuid: `${uuid},${someUuids}` }),
    charges('PAID', { status: 'PAID' }, true),
    charges('PROCESSING (rare, two states)', { status: 'PROCESSING' }, true),
    charges('EXPIRED or CANCELLED', { status: 'EXPIRED,CANCELLED' }, true),
    charges('provider, most', { provider_uuid: most }, true),
    charges('provider, fewest', { provider_uuid: fewest }, true),
    charges('provider and FAILED', { provider_uuid: fewest, status: 'FAILED' }, true),
    charges('a day long ago', LONG_AGO, true),
    charges('a day of Brazil long ago', OF_BRAZIL, true),
    charges('a month long ago, PAID', { ...A_MONTH, status: 'PAID' }, true),
    charges('paid on a day long ago', {
      payment_date_from: LONG_AGO.date_from,
      payment_date_to: LONG_AGO.date_to,
    }),
    charges('paid within a month', {
      payment_date_from: A_MONTH.date_from,
      payment_date_to: A_MONTH.date_to,
    }),
    charges('paid since a year', { payment_date_from: dateDaysAgo(300) }),
    charges('paid within a month, provider, most', {
      payment_date_from: A_MONTH.date_from,
      payment_date_to: A_MONTH.date_to,
      provider_uuid: most,
    }),
    charges('due on a day', { due_from: LONG_AGO.date_from, due_to: LONG_AGO.date_to }),
    charges('value, exactly', { value_min: value, value_max: value }),
    charges('value ≥ 98 000', { value_min: '98000' }),
    charges('value 10 to 100', { value_min: '10', value_max: '100' }),
    charges('value ≥ 5', { value_min: '5' }),
    charges('value nobody asked', { value_min: '9000000' }),
    charges('value, PAID, provider', {
      value_min: '10',
      value_max: '100',
      status: 'PAID',
      provider_uuid: most,
    }),
    charges('external_ref', { external_ref }),
    charges('end_to_end', { end_to_end }),
    charges('txid', { txid }),
    charges('uuid', { uuid }),
    transfers('all', {}, true),
    transfers('PROCESSING (rare, two states)', { status: 'PROCESSING' }, true),
    transfers('provider, fewest', { provider_uuid: fewest }, true),
    transfers('a day long ago', LONG_AGO, true),
    transfers('a day of Brazil long ago', OF_BRAZIL, true),
    transfers('FAILED, a month long ago', { ...A_MONTH, status: 'FAILED' }, true),
    transfers('pix_key', { pix_key: 'pagador-7@example.com' }),
    transfers('settled on a day long ago', {
      transfer_date_from: LONG_AGO.date_from,
      transfer_date_to: LONG_AGO.date_to,
    }),
    transfers('settled within a month', {
      transfer_date_from: A_MONTH.date_from,
      transfer_date_to: A_MONTH.date_to,
    }),
    transfers('settled since a year', { transfer_date_from: dateDaysAgo(300) }),
    transfers('external_ref', { external_ref: 'saida-77' }),
    transfers('of a batch', { batch_uuid: world.batch }),
    batches('all', {}),
    batches('PROCESSING (none)', { status: 'PROCESSING' }),
    batches('a day long ago', LONG_AGO),
    items('all', {}),
    items('FAILED', { status: 'FAILED' }),
    transfers('end_to_end', { end_to_end: `S${'77'.padStart(31, '0')}` }),
    transfers('uuid (none)', { uuid: someUuids }),
    meds('all', {}),
    meds('open', { open: 'true' }),
    meds('unresolved', { resolved: 'false' }),
    meds('REQUESTED_MED (none)', { med_type: 'REQUESTED_MED' }),
    meds('uuid (none)', { uuid: someUuids }),
    meds('SCAM', { dispute_type: 'SCAM' }),
    meds('ACCEPTED (none)', { status: 'ACCEPTED' }),
    meds('a day long ago', LONG_AGO),
    meds('a day of Brazil long ago', OF_BRAZIL),
    ledger('all', {}),
    ledger('provider, most', { provider_uuid: most }),
    ledger('a day long ago', LONG_AGO),
    ledger('a day of Brazil long ago', OF_BRAZIL),
    ledger('a month long ago', A_MONTH),
    ledger('EXTERNAL_TRANSFER', { type: 'EXTERNAL_TRANSFER' }),
    ledger('FEE (none)', { type: 'FEE' }),
    ledger('REFUND, a month long ago', { ...A_MONTH, operation_type: 'REFUND' }, false),
    ledger('TRANSFER (none), a month long ago', { ...A_MONTH, operation_type: 'TRANSFER' }, false),
    ledger('REFUND or DISPUTE, a month long ago', { ...A_MONTH, operation_type: 'REFUND,DISPUTE' }, false),
    ledger('CHARGE, a month long ago', { ...A_MONTH, operation_type: 'CHARGE' }, false),
    ledger('an operation', { operation_uuid: uuid }, false),
    events('all', {}),
    events('PAYMENT', { type: 'PAYMENT' }),
    events('MED or TRANSFER (rare)', { type: 'MED,TRANSFER' }),
    events('a day of Brazil', {
      date_from: dateDaysAgo(20),
      date_to: dateDaysAgo(20),
      time_zone: 'America/Sao_Paulo',
      type: 'PAYMENT',
    }),
    events('a day', { date_from: dateDaysAgo(20), date_to: dateDaysAgo(20) }),
    deliveries('all', {}),
    deliveries('PENDING (rare)', { status: 'PENDING' }),
    deliveries('FAILED', { status: 'FAILED' }),
    deliveries('PAYMENT', { type: 'PAYMENT' }),
    deliveries('MED (rare)', { type: 'MED' }),
    deliveries('MED or TRANSFER (rare), DELIVERED', { type: 'MED,TRANSFER', status: 'DELIVERED' }),
    deliveries('a day of Brazil', {
      date_from: dateDaysAgo(20),
      date_to: dateDaysAgo(20),
      time_zone: 'America/Sao_Paulo',
      type: 'PIX_TRANSACTION',
    }),
    deliveries('a day', { date_from: dateDaysAgo(20), date_to: dateDaysAgo(20) }),
    refunds('all', {}),
    refunds('PROCESSING (none)', { status: 'PROCESSING' }),
    refunds('provider, fewest', { provider_uuid: fewest }),
    refunds('provider, a month long ago', { ...A_MONTH, provider_uuid: most }),
    { ...refunds('uuid (none)', { uuid: someUuids }), isTallied: false },
    { ...refunds('charge', { charge_uuid: world.refunded }), isTallied: false },
    refunds('a day long ago', LONG_AGO),
    refunds('a day of Brazil long ago', OF_BRAZIL),
    {
      what: 'refunds of a charge',
      isTallied: false,
      list: (em, place) => listRefunds(em, token, world.refunded, refundsQuery.parse(place)),
    },
    {
      what: 'keys all',
      isTallied: false,
      list: (em, place) => listPixKeys(em, token, pixKeysQuery.parse(place)),
    },
  ]
}
